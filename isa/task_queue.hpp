// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace a2a3::isa {

/// Deals tasks to the cores whose instruction sources it stands behind. A machine tells it how the
/// tasks get on, then lets the device's idle cores ask their sources again. Tasks of one device
/// never wait for those of another.
class TaskQueue {
 public:
  TaskQueue() = default;
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;
  virtual ~TaskQueue() = default;

  /// The core that ran the task has executed its TaskEnd and is free for another one.
  virtual void ended(std::uint32_t task) = 0;
  /// All effects of the task are in memory, so that what waits for it can start. Not before
  /// ended().
  virtual void complete(std::uint32_t task) = 0;
};

}  // namespace a2a3::isa
