// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "isa/task_queue.hpp"
#include "sim/observer.hpp"

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

/// A device's part of the task scheduler: hears from the cores which tasks have ended, tells the
/// queue, and wakes the idle cores. Left out: the time the scheduler itself takes.
class TaskBoard {
 public:
  /// Without a queue every core runs its source alone.
  explicit TaskBoard(isa::TaskQueue* queue) : queue_(queue) {}

  [[nodiscard]] bool has_queue() const { return queue_ != nullptr; }

  /// `core` asks no more until look_again(); of several, that with the lowest number is woken
  /// first.
  void wait(std::uint32_t core, IdleCore& waiter) { idle_.insert({core, &waiter}); }

  /// The task has ended at `now`, which is the present time, with all its effects in memory.
  void ended(std::uint32_t task, Picoseconds now) {
    queue_->ended(task);
    queue_->complete(task);
    const auto idle = std::move(idle_);
    idle_.clear();
    for (const auto& [core, waiter] : idle)
      waiter->look_again(now);
  }

 private:
  isa::TaskQueue* queue_;
  std::set<std::pair<std::uint32_t, IdleCore*>> idle_;
};

}  // namespace a2a3::sim
