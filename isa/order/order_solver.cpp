// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "isa/order/access.hpp"
#include "isa/order/solved_order.hpp"
#include "isa/order/wait_rule.hpp"

namespace a2a3::isa {
namespace {

constexpr std::uint64_t kStepsPerRecord = 500;

/// A stretch of a thread in which its clock does not change. All threads start in stage 0.
using Stage = std::uint32_t;

/// A signal or the end of a task, for those who learn of it.
struct Release {
  Stage stage = 0;
  Thread thread = 0;
  std::uint32_t index = 0;
};

/// The signals on a cell between two writes of it that were none.
struct SolvedCell {
  CellSignals signals;
  std::vector<Release> settled;  ///< before: nobody can tell what they were good for
  std::uint32_t landed = 0;
  std::int32_t value = 0;
  VectorClock clock;          ///< of all that has landed, in this run
  std::uint64_t changed = 1;  ///< when a clock of its signals did
};

class OrderSolver {
 public:
  OrderSolver(const TaskOrder& order, std::uint64_t max_records)
      : order_(order),
        max_records_(max_records),
        threads_(order.device_of_thread.size()),
        stages_(1, VectorClock(threads_.size())),
        stage_cells_(1),
        stage_changed_(1, 1),
        completed_(order.tasks.size()),
        tasks_of_launch_(order.after.size()) {
    for (std::vector<Began>& thread : threads_)
      thread.push_back({0, 0});
    for (std::uint32_t task = 0; task < order.tasks.size(); ++task)
      tasks_of_launch_[order.tasks[task].launch].push_back(task);
  }

  std::optional<SolvedOrder> solve(const SyncTrace& trace) {
    for (const SyncTrace::Event& event : trace.events()) {
      if (takes_too_much()) return std::nullopt;
      std::visit([&](const auto& one) { enter(one); }, event);
    }
    for (SolvedCell& cell : cells_) {
      for (SignalChain& chain : cell.signals.chains) {
        std::ranges::sort(chain.signals, {}, &SignalChain::Signal::index);
        chain.enter_sums();
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (Acquire& acquire : acquires_) {
        if (takes_too_much()) return std::nullopt;
        if (is_fresh(acquire)) continue;
        changed = renew(acquire) || changed;
      }
    }
    return result();
  }

 private:
  struct Began {
    std::uint32_t index = 0;  ///< of the stage's first operation
    Stage stage = 0;
  };
  /// Where a thread learns of others; a new stage of it begins.
  struct Acquire {
    Stage stage = 0;
    Stage before = 0;            ///< the thread's stage until then
    std::vector<Release> after;  ///< the tasks that a task comes after
    // A wait or the condition of a task:
    std::optional<std::uint32_t> cell;
    WaitRule::Wait wait;
    Stage known = 0;  ///< what it builds on: not the task's other conditions
    std::uint32_t landed = 0;
    std::uint64_t evaluated = 0;
  };

  [[nodiscard]] bool takes_too_much() const {
    // A signal has its place in its stage, and sums for the WaitRule.
    constexpr std::uint64_t kBytesPerSignal = sizeof(SignalChain::Signal) + sizeof(std::uint32_t) +
                                              sizeof(std::int64_t) + sizeof(std::size_t);
    const std::uint64_t bytes = (stages_.size() + cells_.size()) *
                                    (kBytesPerRecord + threads_.size() * sizeof(std::uint32_t)) +
                                signals_ * kBytesPerSignal + releases_ * sizeof(Release);
    return bytes / kBytesPerRecord > max_records_ || steps_ / kStepsPerRecord > max_records_;
  }

  /// Begins a stage of the thread at its operation `index`, with the clock that it got in this run.
  Acquire& acquire(Thread thread, std::uint32_t index, VectorClock clock) {
    Acquire& acquire = acquires_.emplace_back();
    acquire.stage = static_cast<Stage>(stages_.size());
    acquire.before = threads_[thread].back().stage;
    clock.join(stages_[acquire.before]);
    stages_.push_back(std::move(clock));
    stage_cells_.emplace_back();
    stage_changed_.push_back(1);
    threads_[thread].push_back({index, acquire.stage});
    return acquire;
  }
  void learn(VectorClock& clock, const Release& release) {
    steps_ += threads_.size();
    clock.join(stages_[release.stage]);
    clock.add(release.thread, release.index);
  }
  [[nodiscard]] VectorClock learned(VectorClock clock, const std::vector<Release>& releases) {
    for (const Release& release : releases)
      learn(clock, release);
    return clock;
  }

  void enter(const SyncTrace::Begin& begin) {
    const TaskOrder::Task& task = order_.tasks[begin.task];
    std::vector<Release> after;
    for (const std::uint32_t launch : order_.after[task.launch]) {
      for (const std::uint32_t before : tasks_of_launch_[launch])
        after.push_back(completed_[before]);
    }
    if (after.empty()) return;
    releases_ += after.size();
    VectorClock clock = learned(VectorClock(threads_.size()), after);
    acquire(task.thread, begin.index, std::move(clock)).after = std::move(after);
  }
  void enter(const SyncTrace::Complete& complete) {
    const Thread thread = order_.tasks[complete.task].thread;
    completed_[complete.task] = {threads_[thread].back().stage, thread, complete.last};
  }
  void enter(const SyncTrace::Wait& wait) {
    Acquire& entered = await(wait.thread, wait.index, wait.cell, wait.condition);
    entered.known = entered.before;
    waits_.emplace_back(wait.thread, entered.stage);
  }
  void enter(const SyncTrace::Meet& meet) {
    const Thread thread = order_.tasks[meet.task].thread;
    const auto [end, is_first] = ended_.try_emplace(meet.task, threads_[thread].back().stage);
    // What only needs the task's last operation may come before it.
    Acquire& entered = await(thread, meet.last + 1, meet.cell, meet.condition);
    entered.known = end->second;
  }
  Acquire& await(Thread thread, std::uint32_t index, std::uint32_t cell,
                 const SignalHistory::Condition& condition) {
    const std::uint32_t known = cell_of(cell);
    Acquire& entered = acquire(thread, index, cells_[known].clock);
    entered.cell = known;
    entered.wait = {thread, index, index, condition};
    entered.landed = cells_[known].landed;
    return entered;
  }

  std::uint32_t new_cell() {
    cells_.emplace_back().clock = VectorClock(threads_.size());
    return static_cast<std::uint32_t>(cells_.size() - 1);
  }
  std::uint32_t cell_of(std::uint32_t traced) {
    const auto [known, is_new] = cell_now_.try_emplace(traced, 0);
    if (is_new) known->second = new_cell();
    return known->second;
  }

  /// Something else than a signal wrote the cell: it begins anew.
  std::uint32_t begin_anew(std::uint32_t traced, std::int32_t initial) {
    const std::uint32_t now = new_cell();
    SolvedCell& cell = cells_[now];
    SolvedCell& old = cells_[cell_now_[traced]];
    cell.signals.initial = initial;
    cell.value = initial;
    cell.clock = old.clock;
    cell.settled = old.settled;
    for (const SignalChain& chain : old.signals.chains) {
      std::erase_if(cell.settled, [&](const Release& one) { return one.thread == chain.sender; });
      const SignalChain::Signal& last = chain.signals.back();
      cell.settled.push_back({last.stage, chain.sender, last.index});
    }
    for (const Release& release : cell.settled)
      stage_cells_[release.stage].push_back(now);
    releases_ += cell.settled.size();
    return cell_now_[traced] = now;
  }

  void enter(const SyncTrace::Signal& signal) {
    std::uint32_t number = cell_of(signal.cell);
    if (signal.before != cells_[number].value) number = begin_anew(signal.cell, signal.before);
    SolvedCell& cell = cells_[number];
    ++signals_;
    cell.value = signal.after();
    auto chain = std::ranges::find(cell.signals.chains, signal.thread, &SignalChain::sender);
    if (chain == cell.signals.chains.end()) {
      cell.signals.chains.push_back({signal.thread, {}, {}, {}});
      chain = std::prev(cell.signals.chains.end());
    }
    const Stage stage = stage_at(signal.thread, signal.index);
    chain->signals.push_back({signal.index, stage, cell.landed++, signal.op, signal.value});
    if (stage_cells_[stage].empty() || stage_cells_[stage].back() != number)
      stage_cells_[stage].push_back(number);
    learn(cell.clock, {stage, signal.thread, signal.index});
  }
  /// The thread may have gone on since it sent the signal.
  [[nodiscard]] Stage stage_at(Thread thread, std::uint32_t index) const {
    const std::vector<Began>& stages = threads_[thread];
    return std::ranges::find_if(stages.rbegin(), stages.rend(),
                                [&](const Began& one) { return one.index <= index; })
        ->stage;
  }

  [[nodiscard]] bool is_fresh(const Acquire& acquire) {
    steps_ += 1 + acquire.after.size();
    const auto unchanged = [&](Stage stage) { return stage_changed_[stage] <= acquire.evaluated; };
    return unchanged(acquire.before) && unchanged(acquire.known) &&
           (!acquire.cell || cells_[*acquire.cell].changed <= acquire.evaluated) &&
           std::ranges::all_of(acquire.after, unchanged, &Release::stage);
  }

  /// Works out the clock by those of others as they are now. False when it is what it was.
  bool renew(Acquire& acquire) {
    acquire.evaluated = now_;
    steps_ += threads_.size();
    VectorClock clock = learned(stages_[acquire.before], acquire.after);
    if (acquire.cell) clock.join(await(acquire));
    if (clock == stages_[acquire.stage]) return false;
    stages_[acquire.stage] = std::move(clock);
    stage_changed_[acquire.stage] = ++now_;
    for (const std::uint32_t cell : stage_cells_[acquire.stage])
      cells_[cell].changed = now_;
    return true;
  }
  [[nodiscard]] VectorClock await(const Acquire& acquire) {
    const SolvedCell& cell = cells_[*acquire.cell];
    VectorClock known = learned(stages_[acquire.known], cell.settled);
    WaitRule rule(cell.signals, stages_, acquire.wait, known);
    std::optional<VectorClock> clock = rule.clock();
    steps_ += rule.steps();
    if (clock) return std::move(*clock);
    // Something else satisfied it, perhaps together with what had landed.
    for (const SignalChain& chain : cell.signals.chains) {
      for (const SignalChain::Signal& signal : chain.signals) {
        if (signal.landed < acquire.landed)
          learn(known, {signal.stage, chain.sender, signal.index});
      }
    }
    return known;
  }

  SolvedOrder result() {
    SolvedOrder solved;
    for (const auto& [task, stage] : ended_)
      solved.complete.emplace(task, stages_[completed_[task].stage]);
    solved.waits.resize(threads_.size());
    for (const auto& [thread, stage] : waits_)
      solved.waits[thread].push_back(std::move(stages_[stage]));
    return solved;
  }

  const TaskOrder& order_;
  const std::uint64_t max_records_;
  std::uint64_t steps_ = 0;     ///< looks at a signal, or at a thread's place in a clock
  std::uint64_t signals_ = 0;   ///< in the cells
  std::uint64_t releases_ = 0;  ///< in all lists of them
  std::uint64_t now_ = 1;       ///< goes up with every change
  std::vector<std::vector<Began>> threads_;              ///< the stages of each
  std::vector<VectorClock> stages_;                      ///< their clocks
  std::vector<std::vector<std::uint32_t>> stage_cells_;  ///< where signals of the stage landed
  std::vector<std::uint64_t> stage_changed_;
  std::vector<Acquire> acquires_;
  std::vector<std::pair<Thread, Stage>> waits_;
  std::vector<SolvedCell> cells_;
  std::unordered_map<std::uint32_t, std::uint32_t> cell_now_;  ///< by number in the trace
  std::vector<Release> completed_;                             ///< by task
  std::vector<std::vector<std::uint32_t>> tasks_of_launch_;
  std::map<std::uint32_t, Stage> ended_;  ///< tasks with conditions: when they ended
};

}  // namespace

std::optional<SolvedOrder> solve_order(const SyncTrace& trace, const TaskOrder& order,
                                       std::uint64_t max_records) {
  return OrderSolver(order, max_records).solve(trace);
}

}  // namespace a2a3::isa
