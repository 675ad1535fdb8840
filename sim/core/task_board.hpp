// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <systemc>
#include <utility>
#include <vector>

#include "isa/instruction.hpp"
#include "isa/task_queue.hpp"
#include "sim/memory/global_memory.hpp"
#include "sim/observer.hpp"
#include "sim/run_control.hpp"

namespace a2a3::sim {

/// A core that has nothing to execute until a task of its device is complete.
class IdleCore {
 public:
  IdleCore() = default;
  IdleCore(const IdleCore&) = delete;
  IdleCore& operator=(const IdleCore&) = delete;
  virtual ~IdleCore() = default;

  /// There may be work now.
  virtual void look_again(Picoseconds now) = 0;
};

/// A device's task scheduler: hears from the cores which tasks have ended, polls the conditions
/// that ended tasks left for their completion, tells the queue, and wakes the idle cores. Left
/// out: the time the scheduler itself takes for a task.
class TaskBoard : public sc_core::sc_module {
 public:
  /// Without a queue every core runs its source alone.
  TaskBoard(const sc_core::sc_module_name& name, isa::TaskQueue* queue, GlobalMemory& memory,
            Picoseconds poll_interval, RunControl& control);

  [[nodiscard]] bool has_queue() const { return queue_ != nullptr; }

  /// `core` asks no more until look_again(); of several, that with the lowest number is woken
  /// first.
  void wait(std::uint32_t core, IdleCore& waiter) { idle_.insert({core, &waiter}); }

  /// The running task is complete only when this has held, too.
  void add_condition(const Origin& origin, const isa::TDeferWait& condition);

  /// The task has ended at `now`, which is the present time, with all its effects in memory.
  void ended(std::uint32_t task, Picoseconds now);

  /// A condition that has not held.
  struct Pending {
    Origin origin;
    isa::TDeferWait condition;
    std::int32_t value = 0;
    Picoseconds since = 0;  ///< when its task ended
  };
  [[nodiscard]] std::vector<Pending> pending() const;

 private:
  class Condition final : public SignalWaiter {
   public:
    Condition(TaskBoard& board, const Origin& from, const isa::TDeferWait& what)
        : origin(from), condition(what), board_(board) {}
    void cell_written() override { board_.look_at(*this); }

    Origin origin;
    isa::TDeferWait condition;
    bool watched = false;
    Picoseconds since = 0;

   private:
    TaskBoard& board_;
  };
  using Conditions = std::vector<std::unique_ptr<Condition>>;

  void poll();
  void look_at(const Condition& condition);
  [[nodiscard]] bool holds(const Condition& condition);
  [[nodiscard]] std::int32_t value_of(const Condition& condition) const;
  /// Drops the conditions that hold; true when none is left.
  bool settle(Conditions& conditions);
  void complete(std::uint32_t task, Picoseconds now);

  isa::TaskQueue* queue_;
  GlobalMemory& memory_;
  Picoseconds poll_interval_;
  RunControl& control_;
  std::set<std::pair<std::uint32_t, IdleCore*>> idle_;
  std::map<std::uint32_t, Conditions> conditions_;  ///< by task that has not ended
  std::map<std::uint32_t, Conditions> ended_;       ///< by task that has
  sc_core::sc_event wake_;
};

}  // namespace a2a3::sim
