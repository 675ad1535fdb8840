// SPDX-License-Identifier: Apache-2.0
#include "a2a3/reference_run.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "a2a3/finding.hpp"
#include "a2a3/float_adds.hpp"
#include "a2a3/hint_check.hpp"
#include "a2a3/range_name.hpp"
#include "a2a3/reference_memory.hpp"
#include "a2a3/relaxed_run.hpp"
#include "a2a3/signal_feed.hpp"
#include "interp/untimed.hpp"
#include "isa/contents/undefined_elements.hpp"
#include "isa/contents/written_bytes.hpp"
#include "isa/hints/signal_record.hpp"
#include "isa/order/happens_before.hpp"

namespace a2a3 {
namespace {

/// One execution and what it left.
class Execution {
 public:
  explicit Execution(const Run& run) : run_(run) {}

  /// Executes with the checks that were asked for and enters what they found.
  interp::UntimedResult::Outcome execute() {
    if (!run_.options.check_races) return run_once(run_.kernels, {});
    const std::uint64_t max_records = run_.options.limits.max_race_records;
    isa::WrittenBytes written(plan().gm_bytes.size(), max_records, [&](isa::GlobalAddress address) {
      return window_of(plan(), address).index;
    });
    mark_inputs(written);
    const isa::TaskOrder order = order_of_tasks(run_);
    isa::UndefinedElements undefined(max_records);
    isa::FloatAdds adds(max_records);
    std::vector<isa::RunObserver*> observers{&written, &undefined, &adds};
    std::optional<isa::SignalRecord> record;
    if (run_.options.record_signals || run_.options.hints) {
      const std::uint64_t kept =
          run_.options.record_signals ? run_.options.limits.max_signal_records : 0;
      observers.push_back(&record.emplace(order, kept, max_records));
    }
    std::optional<HintCheck> hints;
    if (run_.options.hints) {
      hints.emplace(order, *record, max_records, run_.locate());
      std::ranges::copy(hints->observers(), std::back_inserter(observers));
    }
    std::optional<isa::HappensBefore> races;
    const auto look = [&](const isa::SolvedOrder* solved) -> isa::HappensBefore& {
      return races.emplace(order, max_records, solved);
    };
    observers.push_back(&look(nullptr));
    run_once(run_.kernels, std::move(observers));
    std::optional<isa::SolvedOrder> solved;
    if (races->needs_solving()) solved = races->solve();
    if (solved) {
      // The same once more, now that it is known what each wait needs.
      interp::KernelRun again(plan(), run_.limits);
      run_once(again, {&look(&*solved)});
    }
    enter_findings(*races, written, undefined);
    run_.result.float_adds = describe_adds(adds, plan(), run_.locate());
    if (hints && report_.outcome == interp::UntimedResult::Outcome::finished) {
      if (auto second = hints->second_look(); !second.empty()) {
        interp::KernelRun again(plan(), run_.limits);
        run_once(again, std::move(second));
      }
      run_.result.hints = hints->hints(plan(), [&](std::size_t window) {
        const auto& read = run_.options.windows_read;
        return read ? read->contains(window) : run_.options.keep_windows;
      });
    }
    if (run_.options.record_signals)
      run_.result.signals = describe_signals(*record, plan(), run_.locate());
    return report_.outcome;
  }

  void copy_out() const { memory_->copy_out(run_); }
  [[nodiscard]] std::uint64_t instructions() const { return report_.instructions; }
  [[nodiscard]] const sim::SignalLog& signals() const { return *signals_; }

  void collect_blocked() const {
    std::vector<BlockedWaitSite> sites;
    for (const interp::BlockedWait& core : report_.blocked) {
      sites.push_back({core.device, core.core, core.source, core.wait, core.value, std::nullopt,
                       core.deferred});
    }
    a2a3::collect_blocked(run_, sites, *signals_,
                          [&](isa::GlobalAddress cell) { return value_of(cell); });
  }

 private:
  [[nodiscard]] const interp::LaunchPlan& plan() const { return run_.result.plan; }

  interp::UntimedResult::Outcome run_once(interp::KernelRun& kernels,
                                          std::vector<isa::RunObserver*> observers) {
    memory_.reset();
    memory_.emplace(run_);
    signals_.emplace();
    SignalFeed feed(*signals_);
    observers.push_back(&feed);
    interp::UntimedOptions options;
    options.seed = run_.options.seed;
    options.relaxed = relaxed_order(run_);
    options.max_instructions = run_.instruction_limit();
    options.observers = std::move(observers);
    report_ = interp::run_untimed(kernels, memory_->gm(), run_.limits.local_bytes(), options);
    return report_.outcome;
  }

  [[nodiscard]] std::int32_t value_of(isa::GlobalAddress cell) const {
    return memory_->value_of(cell);
  }

  /// What the devices' memories hold when the kernels start.
  void mark_inputs(isa::WrittenBytes& written) const {
    for (const interp::HostCopy& copy : plan().copies) {
      if (interp::brings_values(plan(), copy)) written.write(copy.device, copy.bytes);
    }
    if (run_.options.windows == nullptr) return;
    for (const interp::WindowBuffer& window : plan().windows) {
      for (const auto& [device, offset] : window.offset_bytes)
        written.write({device, offset}, window.bytes);
    }
  }

  void enter_findings(const isa::HappensBefore& races, const isa::WrittenBytes& written,
                      const isa::UndefinedElements& undefined) const {
    const bool finished = report_.outcome == interp::UntimedResult::Outcome::finished;
    run_.result.race_check = describe_races(races, plan(), run_.locate());
    RaceCheck::State& state = run_.result.race_check.state;
    if (state == RaceCheck::State::complete) {
      if (!finished) {
        state = RaceCheck::State::cut_off;
      } else if (!written.is_complete() || !undefined.is_complete()) {
        state = RaceCheck::State::undecided;
      }
    }
    note_hazards(run_, run_.result.race_check);
    const FindingSources sources{plan(),
                                 run_.locate(),
                                 finished,
                                 run_.options.windows != nullptr,
                                 *signals_,
                                 run_.kernels.collectives(),
                                 [&](isa::GlobalAddress cell) { return value_of(cell); }};
    const isa::SignalVerdict signals =
        finished ? races.judge_signals() : isa::SignalVerdict{races.signal_findings(false)};
    if (!signals.hang_is_decided && state == RaceCheck::State::complete)
      state = RaceCheck::State::too_many_orders;
    run_.result.findings = signal_findings(signals.findings, sources);
    for (Finding& finding : memory_findings(written, sources))
      run_.result.findings.push_back(std::move(finding));
    for (Finding& finding : tile_findings(undefined, sources))
      run_.result.findings.push_back(std::move(finding));
  }

  const Run& run_;
  std::optional<ReferenceMemory> memory_;
  std::optional<sim::SignalLog> signals_;
  interp::UntimedResult report_;
};

}  // namespace

OtherOrder check_by_reference(const Run& run) {
  interp::KernelRun kernels(run.result.plan, run.limits);
  const Run check{run.machine, run.options, run.limits, kernels, run.tensors, run.result};
  Execution execution(check);
  OtherOrder other;
  switch (execution.execute()) {
    case interp::UntimedResult::Outcome::finished:
      other.outcome = Outcome::finished;
      return other;
    case interp::UntimedResult::Outcome::fault:
      other.outcome = Outcome::fault;
      other.diagnostics = kernels.diagnostics();
      return other;
    case interp::UntimedResult::Outcome::limit:
      run.result.race_check.state = RaceCheck::State::undecided;
      other.outcome = Outcome::finished;
      return other;
    case interp::UntimedResult::Outcome::deadlock:
      break;
  }
  other.outcome = Outcome::deadlock;
  execution.collect_blocked();
  other.blocked = std::exchange(run.result.blocked, {});
  other.cycles = std::exchange(run.result.cycles, {});
  other.unstarted = std::exchange(run.result.unstarted, {});
  return other;
}

void run_reference(const Run& run) {
  const interp::LaunchPlan& plan = run.result.plan;
  std::uint64_t total_bytes = 0;
  for (const std::uint64_t bytes : plan.gm_bytes)
    total_bytes += bytes;
  if (total_bytes > run.options.limits.max_tensor_bytes) {
    run.result.outcome = Outcome::over_limit;
    run.result.diagnostics.error(
        {}, fmt::format("the devices' memories hold {} bytes, more than the {} that "
                        "--max-tensor-bytes allows on the untimed engine",
                        total_bytes, run.options.limits.max_tensor_bytes));
    return;
  }
  Execution execution(run);
  const interp::UntimedResult::Outcome outcome = execution.execute();
  execution.copy_out();
  Result& result = run.result;
  result.instructions = execution.instructions();
  switch (outcome) {
    case interp::UntimedResult::Outcome::finished:
      result.outcome = Outcome::finished;
      return;
    case interp::UntimedResult::Outcome::fault:
      result.outcome = Outcome::fault;
      return;
    case interp::UntimedResult::Outcome::limit:
      report_limit(run);
      return;
    case interp::UntimedResult::Outcome::deadlock:
      break;
  }
  result.outcome = Outcome::deadlock;
  execution.collect_blocked();
}

}  // namespace a2a3
