// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interp/launch_plan.hpp"
#include "isa/task_queue.hpp"

namespace a2a3::interp {

/// A launch some of whose blocks could run but have no core.
struct StalledLaunch {
  std::uint32_t launch = 0;
  std::uint32_t waiting_blocks = 0;
};

/// Deals the tasks of a launch plan to the vector cores of their devices: a task is ready when all
/// launches before it are complete; the first ready task in dispatch order goes to the free core
/// with the lowest number.
class TaskScheduler final : public isa::TaskQueue {
 public:
  TaskScheduler(const LaunchPlan& plan, std::uint32_t vector_cores);

  /// How many cores of the device can have work at the same time.
  [[nodiscard]] std::uint32_t cores(std::uint32_t device) const {
    return static_cast<std::uint32_t>(devices_[device].cores.size());
  }

  /// What a core does next.
  struct Turn {
    enum class Kind : std::uint8_t {
      task,  ///< runs `task`
      idle,  ///< nothing until another task of the device is complete
      done   ///< nothing any more
    };
    Kind kind = Kind::done;
    std::uint32_t task = 0;
  };
  [[nodiscard]] Turn take(std::uint32_t device, std::uint32_t core);

  void ended(std::uint32_t task) override;
  void complete(std::uint32_t task) override;

  /// One more condition for the completion of a running task; what is wrong when there are too many
  /// of the task or of its device.
  [[nodiscard]] std::optional<std::string> add_condition(std::uint32_t task);

  /// Launches with ready blocks that no core has taken, by launch.
  [[nodiscard]] std::vector<StalledLaunch> stalled() const;
  /// Tasks that no core has got, in dispatch order.
  [[nodiscard]] std::vector<std::uint32_t> undealt() const;

 private:
  struct LaunchState {
    std::uint32_t incomplete_before = 0;
    std::uint32_t incomplete_blocks = 0;
    std::vector<std::uint32_t> then;   ///< launches that wait for it
    std::vector<std::uint32_t> tasks;  ///< its blocks
  };
  struct CoreState {
    static constexpr std::int64_t kNone = -1;
    std::int64_t task = kNone;  ///< dealt to it and not ended
    bool taken = false;         ///< the core knows
  };
  struct DeviceState {
    std::vector<CoreState> cores;
    std::set<std::uint32_t> ready;                      ///< tasks
    std::uint64_t undealt = 0;                          ///< ready or not
    std::map<std::uint32_t, std::uint32_t> conditions;  ///< number, by task that is not complete
  };

  void make_ready(std::uint32_t launch);
  void deal(DeviceState& device);

  const LaunchPlan& plan_;
  std::vector<LaunchState> launches_;
  std::vector<DeviceState> devices_;
};

}  // namespace a2a3::interp
