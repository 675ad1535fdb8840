// SPDX-License-Identifier: Apache-2.0
#include "a2a3/reference_run.hpp"

#include <algorithm>
#include <deque>
#include <optional>

#include <fmt/format.h>

#include "a2a3/host_memory.hpp"
#include "a2a3/shared_cells.hpp"
#include "interp/task_order.hpp"
#include "interp/untimed.hpp"
#include "isa/order/happens_before.hpp"
#include "sim/memory/lazy_bytes.hpp"

namespace a2a3 {
namespace {

/// The devices' memories as the run finds them.
class ReferenceMemory {
 public:
  explicit ReferenceMemory(const Run& run) : plan_(run.result.plan) {
    for (const std::uint64_t bytes : plan_.gm_bytes) {
      memories_.emplace_back(bytes);
      gm_.push_back(memories_.back().bytes());
    }
    for (const interp::HostCopy& copy : plan_.copies) {
      if (copy.copy_in) std::ranges::copy(host_bytes(run.tensors, copy), part(copy).begin());
    }
    if (run.options.windows == nullptr) return;
    put_windows(plan_, *run.options.windows,
                [&](isa::GlobalAddress at, std::span<const std::byte> bytes) {
                  std::ranges::copy(bytes, gm_[at.device].subspan(at.offset_bytes).begin());
                });
  }
  [[nodiscard]] std::span<const std::span<std::byte>> gm() const { return gm_; }

  void copy_out(const Run& run) const {
    for (const interp::HostCopy& copy : plan_.copies) {
      if (copy.copy_out) std::ranges::copy(part(copy), host_bytes(run.tensors, copy).begin());
    }
    if (!run.options.keep_windows) return;
    run.result.windows =
        take_windows(plan_, [&](isa::GlobalAddress at, std::span<std::byte> bytes) {
          std::ranges::copy(gm_[at.device].subspan(at.offset_bytes, bytes.size()), bytes.begin());
        });
  }

 private:
  [[nodiscard]] std::span<std::byte> part(const interp::HostCopy& copy) const {
    return gm_[copy.device.device].subspan(copy.device.offset_bytes, copy.bytes);
  }

  const interp::LaunchPlan& plan_;
  std::deque<sim::LazyBytes> memories_;
  std::vector<std::span<std::byte>> gm_;
};

/// Executes with the checks; `options` has the rest.
interp::UntimedResult execute(const Run& run, const ReferenceMemory& memory,
                              interp::UntimedOptions options) {
  options.seed = run.options.seed;
  options.max_instructions = run.options.limits.max_instructions;
  std::optional<isa::HappensBefore> races;
  if (run.options.check_races) {
    options.races =
        &races.emplace(interp::task_order(run.result.plan), run.options.limits.max_race_records);
  }
  interp::UntimedResult report =
      interp::run_untimed(run.kernels, memory.gm(), run.limits.local_bytes(), options);
  if (races) run.result.race_check = describe_races(*races, run.result.plan, run.locate());
  return report;
}

}  // namespace

void check_by_reference(const Run& run) {
  interp::KernelRun kernels(run.result.plan, run.limits);
  const Run check{run.machine, run.options, run.limits, kernels, run.tensors, run.result};
  (void)execute(check, ReferenceMemory(check), {});
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
  const ReferenceMemory memory(run);
  sim::SignalLog signals;
  interp::UntimedOptions options;
  options.on_notify = [&](const interp::KernelRun::Core& from, isa::SourceId source,
                          const isa::TNotify& notify, std::int32_t value) {
    const sim::Origin origin{.device = from.device, .core = from.core, .source = source};
    signals.on_signal_landed({.origin = origin, .notify = notify, .value = value});
  };
  const interp::UntimedResult report = execute(run, memory, options);
  memory.copy_out(run);
  Result& result = run.result;
  result.instructions = report.instructions;
  switch (report.outcome) {
    case interp::UntimedResult::Outcome::finished:
      result.outcome = Outcome::finished;
      warn_of_shared_cells(signals, plan, run.locate(), result.diagnostics);
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
  std::vector<BlockedWaitSite> sites;
  for (const interp::BlockedWait& core : report.blocked) {
    sites.push_back(
        {core.device, core.core, core.source, core.wait, core.value, std::nullopt, core.deferred});
  }
  collect_blocked(run, sites, signals);
}

}  // namespace a2a3
