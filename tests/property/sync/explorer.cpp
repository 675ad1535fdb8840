// SPDX-License-Identifier: Apache-2.0
#include "explorer.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "concurrency.hpp"
#include "interp/memory.hpp"
#include "interp/untimed.hpp"

namespace a2a3::sync {
namespace {

using Schedule = std::vector<std::size_t>;  ///< the tasks chosen where the order matters

/// 128 bits tell the states apart.
struct Digest {
  std::uint64_t low = 0x9e3779b97f4a7c15U;
  std::uint64_t high = 0xc2b2ae3d27d4eb4fU;

  void add(std::uint64_t value) {
    low = (low ^ value) * 0xbf58476d1ce4e5b9U;
    low ^= low >> 29U;
    high = (high ^ low ^ value) * 0x94d049bb133111ebU;
    high ^= high >> 31U;
  }
  void add(std::span<const std::byte> bytes) {
    add(bytes.size());
    std::size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, sizeof(word));
      add(word);
    }
    for (; i < bytes.size(); ++i)
      add(std::to_integer<std::uint64_t>(bytes[i]));
  }
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// Ends a run whose rest is known.
struct KnownState {};
/// A task does something else than in the first run.
struct OtherWay {};

bool is_asynchronous(const isa::Operation& operation) {
  return std::holds_alternative<isa::TPutAsync>(operation) ||
         std::holds_alternative<isa::TGetAsync>(operation);
}

/// Takes down what each task executes.
class Recorder final : public isa::RunObserver {
 public:
  explicit Recorder(std::size_t tasks) : trace_(tasks) {}

  void on_begin(const isa::RunEvent& event) override { add(event, {}); }
  void on_operation(const isa::RunEvent& event, const isa::Operation& operation) override {
    supported_ = supported_ && !is_asynchronous(operation);
    add(event, step_of(operation));
  }
  void on_notify(const isa::RunEvent& event, const isa::TNotify& notify,
                 isa::CellChange /*cell*/) override {
    add(event, step_of(notify));
  }
  void on_wait(const isa::RunEvent& event, const isa::TWait& wait,
               std::int32_t /*value*/) override {
    add(event, step_of(wait));
  }

  [[nodiscard]] bool is_supported() const { return supported_; }
  Trace take() { return std::move(trace_); }

 private:
  void add(const isa::RunEvent& event, Step step) { trace_[event.task].push_back(std::move(step)); }
  Trace trace_;
  bool supported_ = true;
};

/// Holds a run to the steps of a trace, and tells which task the chosen core runs.
class Follower final : public isa::RunObserver {
 public:
  Follower(const Trace& trace, std::size_t cores)
      : trace_(trace), at_(trace.size(), 0), task_of_(cores) {}

  void chosen(std::size_t core) { core_ = core; }
  [[nodiscard]] std::optional<std::size_t> task_of(std::size_t core) const {
    return task_of_[core];
  }
  [[nodiscard]] const Positions& at() const { return at_; }
  [[nodiscard]] const Step& next_of(std::size_t task) const { return trace_[task][at_[task]]; }

  void on_begin(const isa::RunEvent& event) override {
    task_of_[core_] = event.task;
    take(event, {});
  }
  void on_operation(const isa::RunEvent& event, const isa::Operation& operation) override {
    take(event, step_of(operation));
    if (std::holds_alternative<isa::TaskEnd>(operation)) task_of_[core_].reset();
  }
  void on_notify(const isa::RunEvent& event, const isa::TNotify& notify,
                 isa::CellChange /*cell*/) override {
    take(event, step_of(notify));
  }
  void on_wait(const isa::RunEvent& event, const isa::TWait& wait,
               std::int32_t /*value*/) override {
    take(event, step_of(wait));
  }

 private:
  void take(const isa::RunEvent& event, const Step& step) {
    if (at_[event.task] == trace_[event.task].size() || step != next_of(event.task))
      throw OtherWay{};
    ++at_[event.task];
  }

  const Trace& trace_;
  Positions at_;  ///< by task
  std::vector<std::optional<std::size_t>> task_of_;
  std::size_t core_ = 0;
};

/// By task: those that are complete before it begins.
Predecessors predecessors_of(const interp::LaunchPlan& plan) {
  Predecessors before(plan.tasks.size());
  for (std::size_t task = 0; task < plan.tasks.size(); ++task) {
    for (const std::uint32_t launch : plan.launches[plan.tasks[task].launch].after) {
      for (std::size_t other = 0; other < plan.tasks.size(); ++other) {
        if (plan.tasks[other].launch == launch) before[task].push_back(other);
      }
    }
  }
  return before;
}

class Explorer {
 public:
  Explorer(const interp::LaunchPlan& plan, const Inputs& inputs,
           const std::map<std::string, isa::Array>& expected)
      : plan_(plan), expected_(expected) {
    for (const interp::HostParameter& parameter : plan.parameters) {
      const auto given = inputs.find(parameter.name);
      arrays_.push_back(given != inputs.end() ? given->second
                                              : isa::Array(parameter.dtype, parameter.shape));
    }
  }

  Exploration run(std::uint64_t max_runs) {
    record();
    if (result_.verdict != Verdict::same) return result_;
    const Concurrency concurrency(trace_, predecessors_of(plan_));
    if (!concurrency.conditions_stay_met()) result_.verdict = Verdict::undecided;
    concurrency_ = &concurrency;
    open_.emplace_back();
    while (!open_.empty() && result_.verdict == Exploration::Verdict::same) {
      if (++result_.runs > max_runs) {
        result_.verdict = Exploration::Verdict::undecided;
        break;
      }
      const Schedule schedule = std::move(open_.back());
      open_.pop_back();
      follow(schedule);
    }
    return result_;
  }

 private:
  using Verdict = Exploration::Verdict;

  /// Zeros and the inputs.
  void reset_memory() {
    memory_ = interp::make_memory(plan_);
    interp::copy_in(plan_, arrays_, memory_);
    spans_.assign(memory_.begin(), memory_.end());
  }

  interp::UntimedResult execute(const interp::UntimedOptions& options) {
    reset_memory();
    const interp::CoreLimits limits;
    interp::KernelRun kernels(plan_, limits);
    cores_ = kernels.cores().size();
    return interp::run_untimed(kernels, spans_, limits.local_bytes(), options);
  }

  /// What each task executes.
  void record() {
    Recorder recorder(plan_.tasks.size());
    interp::UntimedOptions options;
    options.observers = {&recorder};
    const interp::UntimedResult end = execute(options);
    if (!recorder.is_supported()) result_.verdict = Verdict::undecided;
    if (end.outcome != interp::UntimedResult::Outcome::finished)
      result_.verdict = Verdict::deadlock;
    trace_ = recorder.take();
  }

  /// One run: along the schedule, then the first of the tasks where several may matter.
  void follow(const Schedule& schedule) {
    Follower follower(trace_, cores_);
    seen_.assign(trace_.size(), {});
    chosen_.clear();
    interp::UntimedOptions options;
    options.observers = {&follower};
    options.choose = [&](std::span<const std::size_t> ready) {
      const std::size_t place = choose(ready, schedule, follower);
      follower.chosen(ready[place]);
      return place;
    };
    try {
      const interp::UntimedResult end = execute(options);
      if (end.outcome != interp::UntimedResult::Outcome::finished)
        result_.verdict = Verdict::deadlock;
      else
        compare();
    } catch (const KnownState&) {
      return;
    } catch (const OtherWay&) {
      result_.verdict = Verdict::undecided;
    }
  }

  [[nodiscard]] std::int32_t value_of(isa::GlobalAddress cell) const {
    std::int32_t value = 0;
    std::memcpy(&value, memory_[cell.device].data() + cell.offset_bytes, sizeof(value));
    return value;
  }

  [[nodiscard]] bool is_blocked(const Step& next) const {
    return next.kind == Step::Kind::wait &&
           !isa::condition_holds(next.wait, value_of(next.wait.cell));
  }

  std::size_t choose(std::span<const std::size_t> ready, const Schedule& schedule,
                     const Follower& follower) {
    std::vector<std::size_t> able;  // places in `ready`
    for (std::size_t place = 0; place < ready.size(); ++place) {
      const auto task = follower.task_of(ready[place]);
      if (!task) return place;  // to begin a task, or to find none, changes nothing for others
      if (!is_blocked(follower.next_of(*task))) able.push_back(place);
    }
    if (able.empty()) return 0;  // the engine finds the deadlock
    const auto task_at = [&](std::size_t place) { return *follower.task_of(ready[place]); };
    const auto cell = [&](isa::GlobalAddress address) { return value_of(address); };
    for (const std::size_t place : able) {
      if (concurrency_->is_independent(task_at(place), follower.at(), cell)) {
        remember_reads(task_at(place), follower);
        return place;
      }
    }
    std::size_t place = able.front();
    if (chosen_.size() < schedule.size()) {
      place = *std::ranges::find(able, schedule[chosen_.size()], task_at);
    } else {
      if (!states_.insert(state(follower)).second) throw KnownState{};
      ++result_.states;
      for (const std::size_t other : able) {
        if (other == place) continue;
        open_.push_back(chosen_);
        open_.back().push_back(task_at(other));
      }
    }
    chosen_.push_back(task_at(place));
    remember_reads(task_at(place), follower);
    return place;
  }

  /// What a task has read is all that its core's memory can depend on.
  void remember_reads(std::size_t task, const Follower& follower) {
    for (const Step::Access& access : follower.next_of(task).accesses) {
      if (access.kind != isa::AccessKind::read) continue;
      seen_[task].add(std::span<const std::byte>(memory_[access.address.device])
                          .subspan(access.address.offset_bytes, access.bytes));
    }
  }

  [[nodiscard]] Digest state(const Follower& follower) const {
    Digest digest;
    for (std::size_t task = 0; task < trace_.size(); ++task) {
      digest.add(follower.at()[task]);
      digest.add(seen_[task].low);
      digest.add(seen_[task].high);
    }
    for (const auto& memory : memory_)
      digest.add(std::span<const std::byte>(memory));
    return digest;
  }

  void compare() {
    std::vector<isa::Array> outputs = arrays_;
    interp::copy_out(plan_, outputs, memory_);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto expected = expected_.find(plan_.parameters[i].name);
      if (expected == expected_.end() || expected->second.bytes == outputs[i].bytes) continue;
      const std::size_t part = outputs[i].bytes.size() / memory_.size();
      const auto first = std::ranges::mismatch(expected->second.bytes, outputs[i].bytes).in2 -
                         outputs[i].bytes.begin();
      result_.verdict = Verdict::differs;
      result_.difference = fmt::format("{} of rank {}", plan_.parameters[i].name,
                                       static_cast<std::size_t>(first) / part);
      return;
    }
  }

  const interp::LaunchPlan& plan_;
  const std::map<std::string, isa::Array>& expected_;
  std::vector<isa::Array> arrays_;  ///< by parameter
  interp::DeviceMemory memory_;
  std::vector<std::span<std::byte>> spans_;
  std::size_t cores_ = 0;
  Trace trace_;
  const Concurrency* concurrency_ = nullptr;
  std::vector<Digest> seen_;  ///< by task: everything read so far
  Schedule chosen_;           ///< in this run
  std::vector<Schedule> open_;
  std::set<Digest> states_;
  Exploration result_;
};

}  // namespace

Exploration explore(const ir::Module& module, std::int64_t ranks, const Inputs& inputs,
                    const std::map<std::string, isa::Array>& expected, std::uint64_t max_runs) {
  interp::BindOptions bind;
  bind.world_size = ranks;
  for (const auto& [name, array] : inputs)
    bind.known_shapes[name] = array.shape;
  const interp::BoundSignature signature = interp::bind_signature(module, bind);
  interp::PlanOptions options;
  options.world_size = ranks;
  const interp::PlanResult planned = interp::plan_launch(module, signature, options);
  if (signature.diagnostics.has_errors() || planned.diagnostics.has_errors())
    throw std::invalid_argument(ir::format(signature.diagnostics) +
                                ir::format(planned.diagnostics));
  return Explorer(planned.plan, inputs, expected).run(max_runs);
}

}  // namespace a2a3::sync
