// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/order/access.hpp"
#include "isa/order/task_order.hpp"
#include "isa/order/vector_clock.hpp"

namespace a2a3::isa {

/// What each thread of a run knows of the others: from the tasks before its own, and from what it
/// is told that its waits brought.
class ThreadClocks {
 public:
  explicit ThreadClocks(TaskOrder order);

  [[nodiscard]] const TaskOrder& order() const { return order_; }

  /// The place of an operation of a task in its thread.
  AccessRecord place(std::uint32_t task, std::uint32_t sync_index, SourceId source);
  void begin_task(std::uint32_t task);
  void complete_task(std::uint32_t task);
  /// A condition of the thread's task, which has ended, was met: behind all operations so far, and
  /// before what comes after the task.
  AccessRecord end_condition(Thread thread, SourceId source) {
    return {thread, ++threads_[thread].last, source};
  }
  /// Of the running task's first and last operation so far.
  [[nodiscard]] std::uint32_t first_index(Thread thread) const { return threads_[thread].base; }
  [[nodiscard]] std::uint32_t last_index(Thread thread) const { return threads_[thread].last; }

  [[nodiscard]] const VectorClock& now(Thread thread) const { return threads_[thread].clock; }
  /// To add to what the thread knows.
  VectorClock& change(Thread thread);
  /// What the thread knows now, to keep.
  const ClockSnapshot& snapshot(Thread thread);

  /// What the memory use grows with, see HappensBefore.
  [[nodiscard]] std::size_t records() const { return records_; }

 private:
  struct State {
    VectorClock clock;
    ClockSnapshot snapshot;  ///< of `clock`; null when it changed
    std::uint32_t base = 0;  ///< index of the running task's first operation
    std::uint32_t last = 0;  ///< highest index so far
  };
  /// What is left of a complete task for those that come after it.
  struct Completed {
    Thread thread = 0;
    std::uint32_t last = 0;
    ClockSnapshot clock;
  };

  TaskOrder order_;
  std::vector<State> threads_;
  std::vector<std::vector<Completed>> completed_;  ///< by launch
  std::vector<std::uint32_t> followers_;  ///< by launch: tasks that come after it, not begun yet
  std::size_t records_ = 0;
};

}  // namespace a2a3::isa
