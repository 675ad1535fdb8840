// SPDX-License-Identifier: Apache-2.0
#include "interp/task_conditions.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace a2a3::interp {

bool TaskConditions::end_task(std::size_t core, std::uint32_t device) {
  const std::vector<Condition> ended = std::exchange(running_[core], {});
  std::ranges::copy(ended, std::back_inserter(pending_[device]));
  return !ended.empty();
}

TaskConditions::Settled TaskConditions::settle(
    std::uint32_t device, const std::function<bool(const Condition&)>& is_met) {
  std::set<std::uint32_t> tasks;
  std::erase_if(pending_[device], [&](const Condition& one) {
    const bool met = is_met(one);
    if (met) tasks.insert(one.event.task);
    return met;
  });
  Settled settled{!tasks.empty(), {}};
  std::ranges::copy_if(tasks, std::back_inserter(settled.complete), [&](std::uint32_t task) {
    return std::ranges::none_of(pending_[device],
                                [&](const Condition& one) { return one.event.task == task; });
  });
  return settled;
}

}  // namespace a2a3::interp
