// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
  /// `learn(clock)` adds to what the thread knows, and says whether it did; so does this.
  template <class Learn>
  bool learn(Thread thread, Learn&& learn) {
    State& state = threads_[thread];
    if (!learn(state.clock)) return false;
    state.snapshot = nullptr;
    return true;
  }
  /// What the thread knows now, to keep.
  const ClockSnapshot& snapshot(Thread thread);

  /// What the memory use grows with, see HappensBefore.
  [[nodiscard]] std::size_t records() const {
    return (threads_.size() + completed_clocks_ + live_.count()) *
           records_of(threads_.size() * sizeof(std::uint32_t));
  }

 private:
  struct State {
    VectorClock clock;
    ClockSnapshot snapshot;  ///< of `clock`; null when it changed
    std::uint32_t base = 0;  ///< index of the running task's first operation
    std::uint32_t last = 0;  ///< highest index so far
  };
  /// How many of the snapshots that were made here somebody holds. A copy counts those of its own.
  class LiveCount {
   public:
    LiveCount() = default;
    LiveCount(const LiveCount& /*other*/) : LiveCount() {}
    LiveCount(LiveCount&&) = default;
    LiveCount& operator=(LiveCount other) noexcept {
      count_.swap(other.count_);
      return *this;
    }
    ~LiveCount() = default;
    [[nodiscard]] std::size_t count() const { return *count_; }
    [[nodiscard]] const std::shared_ptr<std::size_t>& shared() const { return count_; }

   private:
    std::shared_ptr<std::size_t> count_ = std::make_shared<std::size_t>(0);
  };

  TaskOrder order_;
  std::vector<State> threads_;
  /// By launch: of its complete tasks, for those that come after it; without threads when there are
  /// none.
  std::vector<VectorClock> completed_;
  std::size_t completed_clocks_ = 0;      ///< of them with threads
  std::vector<std::uint32_t> followers_;  ///< by launch: tasks that come after it, not begun yet
  LiveCount live_;
};

}  // namespace a2a3::isa
