// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "isa/instruction.hpp"
#include "isa/order/task_order.hpp"

namespace a2a3::isa {

/// Numbers the operations of a task by the notifies and waits between them, in program order. A
/// notify orders everything with an index up to its own before what acquires it; what a wait
/// acquires is ordered before everything with an index from its own on. Waits that follow each
/// other share an index.
class SyncIndex {
 public:
  /// The index of the task's next operation. TaskBegin starts again at 0.
  std::uint32_t of(const Operation& operation) {
    const bool is_wait = std::holds_alternative<TWait>(operation);
    if (std::holds_alternative<TaskBegin>(operation)) value_ = 0;
    if (is_wait && !waited_) ++value_;
    waited_ = is_wait;
    return std::holds_alternative<TNotify>(operation) ? value_++ : value_;
  }

 private:
  std::uint32_t value_ = 0;
  bool waited_ = false;  ///< the last operation was a wait
};

/// The index of a task's writes that no fence follows before its end: what acquires one of its
/// notifies does not know of them, what comes after the task does. A notify with an index from this
/// one on must be given the one below it.
[[nodiscard]] inline std::uint32_t unfenced_index(const TaskOrder& order) {
  constexpr std::uint32_t kIndices = std::uint32_t{1} << 31;  // of all tasks of a thread
  std::vector<std::uint32_t> tasks(order.device_of_thread.size(), 0);
  for (const TaskOrder::Task& task : order.tasks)
    ++tasks[task.thread];
  const auto most = std::ranges::max_element(tasks);
  return kIndices / std::max(most == tasks.end() ? 1U : *most, 1U);
}

}  // namespace a2a3::isa
