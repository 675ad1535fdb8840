// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "isa/order/run_observer.hpp"

namespace a2a3::interp {

/// What tasks have made their completion depend on: the core goes on, the task is complete when the
/// cells compare true.
class TaskConditions {
 public:
  struct Condition {
    isa::RunEvent event;
    std::size_t core = 0;  ///< that ran the task
    isa::TDeferWait condition;
  };

  TaskConditions(std::size_t cores, std::size_t devices) : running_(cores), pending_(devices) {}

  /// The task that runs on the core adds one.
  void add(const Condition& condition) { running_[condition.core].push_back(condition); }
  /// The core's task has ended. False when it has no conditions.
  bool end_task(std::size_t core, std::uint32_t device);

  /// Ended tasks of the device wait for something.
  [[nodiscard]] bool has_pending(std::uint32_t device) const { return !pending_[device].empty(); }
  /// Drops those of the device's ended tasks that hold; `is_met(condition)` says whether one does.
  /// The tasks that are complete by this, ascending; `any` is whether one was dropped.
  struct Settled {
    bool any = false;
    std::vector<std::uint32_t> complete;
  };
  Settled settle(std::uint32_t device, const std::function<bool(const Condition&)>& is_met);

  /// By device: of the tasks that have ended.
  [[nodiscard]] const std::vector<std::vector<Condition>>& pending() const { return pending_; }

 private:
  std::vector<std::vector<Condition>> running_;  ///< by core: of the task it runs
  std::vector<std::vector<Condition>> pending_;
};

}  // namespace a2a3::interp
