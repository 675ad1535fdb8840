// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "isa/order/access.hpp"
#include "isa/order/task_order.hpp"
#include "isa/order/vector_clock.hpp"

namespace a2a3::isa {

/// When a task's accesses take effect.
enum class Effects : std::uint8_t {
  in_order,  ///< in program order
  delayed    ///< perhaps after waits behind them, but before a notify behind them lands
};

/// What each thread of a run knows of the others: from the tasks before its own, and from what it
/// is told that its waits brought.
class ThreadClocks {
 public:
  ThreadClocks(TaskOrder order, Effects effects);

  [[nodiscard]] const TaskOrder& order() const { return order_; }

  /// The place of an operation of a task in its thread.
  AccessRecord place(std::uint32_t task, std::uint32_t sync_index, SourceId source,
                     std::uint64_t time);
  void begin_task(std::uint32_t task);
  void complete_task(std::uint32_t task);
  /// Of the running task's first and last operation so far.
  [[nodiscard]] std::uint32_t first_index(Thread thread) const { return threads_[thread].base; }
  [[nodiscard]] std::uint32_t last_index(Thread thread) const { return threads_[thread].last; }

  [[nodiscard]] const VectorClock& now(Thread thread) const { return threads_[thread].clock; }
  /// To add to what the thread knows. What it knew before holds on for operations with an index
  /// below `since`, see at().
  VectorClock& change(Thread thread, std::uint32_t since);
  /// To add to what the thread knows between tasks.
  VectorClock& change(Thread thread);
  /// What the thread knew at an operation of the running task.
  [[nodiscard]] const VectorClock& at(const AccessRecord& record) const;

  /// A notify leaves its core; it may land when its thread knows more.
  void issue(const AccessRecord& notify);
  /// A notify lands, and all effects before it are there: what its thread knew when it left.
  ClockSnapshot land(const AccessRecord& notify);

  /// What the memory use grows with, see HappensBefore.
  [[nodiscard]] std::size_t records() const { return records_; }

 private:
  using Held = std::pair<std::uint32_t, ClockSnapshot>;  ///< from an index on
  struct State {
    VectorClock clock;
    ClockSnapshot snapshot;    ///< of `clock`; null when it changed
    std::uint32_t since = 0;   ///< index from which on `clock` holds
    std::vector<Held> before;  ///< and what held before that
    std::vector<Held> issued;  ///< notifies under way, by index
    std::uint32_t base = 0;    ///< index of the running task's first operation
    std::uint32_t last = 0;    ///< highest index so far
  };
  /// What is left of a complete task for those that come after it.
  struct Completed {
    Thread thread = 0;
    std::uint32_t last = 0;
    ClockSnapshot clock;
  };

  static const ClockSnapshot& snapshot(State& thread);
  void drop_clocks(State& thread, std::uint32_t until);
  [[nodiscard]] std::size_t clock_records() const;

  TaskOrder order_;
  Effects effects_;
  std::vector<State> threads_;
  std::vector<std::vector<Completed>> completed_;  ///< by launch
  std::vector<std::uint32_t> followers_;  ///< by launch: tasks that come after it, not begun yet
  std::size_t records_ = 0;
};

}  // namespace a2a3::isa
