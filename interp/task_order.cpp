// SPDX-License-Identifier: Apache-2.0
#include "interp/task_order.hpp"

#include <algorithm>

namespace a2a3::interp {

isa::TaskOrder task_order(const LaunchPlan& plan) {
  isa::TaskOrder order;
  std::vector<std::vector<isa::Thread>> threads(plan.launches.size());
  std::vector<bool> is_last_of_its_threads(plan.launches.size(), true);
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const Launch& launch = plan.launches[i];
    order.after.push_back(launch.after);
    const auto before =
        std::find_if(launch.after.rbegin(), launch.after.rend(),
                     [&](std::uint32_t earlier) { return is_last_of_its_threads[earlier]; });
    if (before != launch.after.rend()) {
      threads[i] = threads[*before];
      is_last_of_its_threads[*before] = false;
    }
    while (threads[i].size() < launch.blocks) {
      threads[i].push_back(static_cast<isa::Thread>(order.device_of_thread.size()));
      order.device_of_thread.push_back(launch.device);
    }
  }
  for (const Task& task : plan.tasks)
    order.tasks.push_back({threads[task.launch][task.block], task.launch});
  return order;
}

isa::TaskOrder task_order_with_zeroings(const LaunchPlan& plan) {
  isa::TaskOrder order = task_order(plan);
  const std::size_t launches = plan.launches.size();
  for (std::size_t i = 0; i < launches; ++i)
    order.after[i].push_back(static_cast<std::uint32_t>(launches + plan.launches[i].device));
  for (std::size_t device = 0; device < plan.gm_bytes.size(); ++device) {
    order.tasks.push_back({static_cast<isa::Thread>(order.device_of_thread.size()),
                           static_cast<std::uint32_t>(order.after.size())});
    order.device_of_thread.push_back(static_cast<std::uint32_t>(device));
    order.after.emplace_back();
  }
  return order;
}

}  // namespace a2a3::interp
