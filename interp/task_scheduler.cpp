// SPDX-License-Identifier: Apache-2.0
#include "interp/task_scheduler.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace a2a3::interp {
namespace {

/// An upper bound of the blocks of one device that can run together. Launches form chains in which
/// each waits for the one before; blocks of different chains may overlap.
std::vector<std::uint64_t> most_at_once(const LaunchPlan& plan) {
  constexpr std::size_t kNoChain = ~std::size_t{0};
  struct Chain {
    std::uint32_t device = 0;
    std::uint32_t widest = 0;
  };
  std::vector<Chain> chains;
  std::vector<std::size_t> chain_ending_at(plan.launches.size(), kNoChain);
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const Launch& launch = plan.launches[i];
    const auto before =
        std::find_if(launch.after.rbegin(), launch.after.rend(),
                     [&](std::uint32_t earlier) { return chain_ending_at[earlier] != kNoChain; });
    std::size_t chain = chains.size();
    if (before == launch.after.rend()) {
      chains.push_back({launch.device, 0});
    } else {
      std::swap(chain, chain_ending_at[*before]);
      chain_ending_at[*before] = kNoChain;
    }
    chain_ending_at[i] = chain;
    chains[chain].widest = std::max(chains[chain].widest, launch.blocks);
  }
  std::vector<std::uint64_t> widths(plan.gm_bytes.size(), 0);
  for (const Chain& chain : chains)
    widths[chain.device] += chain.widest;
  return widths;
}

}  // namespace

TaskScheduler::TaskScheduler(const LaunchPlan& plan, std::uint32_t vector_cores)
    : plan_(plan), launches_(plan.launches.size()), devices_(plan.gm_bytes.size()) {
  const std::vector<std::uint64_t> widths = most_at_once(plan);
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    devices_[device].cores.resize(std::min<std::uint64_t>(widths[device], vector_cores));
  }
  for (std::uint32_t task = 0; task < plan.tasks.size(); ++task) {
    LaunchState& launch = launches_[plan.tasks[task].launch];
    launch.tasks.push_back(task);
    ++launch.incomplete_blocks;
    ++devices_[plan.tasks[task].device].undealt;
  }
  for (std::uint32_t launch = 0; launch < launches_.size(); ++launch) {
    for (const std::uint32_t before : plan.launches[launch].after)
      launches_[before].then.push_back(launch);
    launches_[launch].incomplete_before =
        static_cast<std::uint32_t>(plan.launches[launch].after.size());
  }
  for (std::uint32_t launch = 0; launch < launches_.size(); ++launch) {
    if (launches_[launch].incomplete_before == 0) make_ready(launch);
  }
}

void TaskScheduler::make_ready(std::uint32_t launch) {
  std::set<std::uint32_t>& ready = devices_[plan_.launches[launch].device].ready;
  ready.insert(launches_[launch].tasks.begin(), launches_[launch].tasks.end());
}

void TaskScheduler::deal(DeviceState& device) {
  for (CoreState& core : device.cores) {
    if (device.ready.empty()) return;
    if (core.task != CoreState::kNone) continue;
    core.task = *device.ready.begin();
    core.taken = false;
    device.ready.erase(device.ready.begin());
    --device.undealt;
  }
}

TaskScheduler::Turn TaskScheduler::take(std::uint32_t device, std::uint32_t core) {
  DeviceState& state = devices_[device];
  deal(state);
  CoreState& own = state.cores[core];
  if (own.task != CoreState::kNone && !own.taken) {
    own.taken = true;
    return {Turn::Kind::task, static_cast<std::uint32_t>(own.task)};
  }
  return {state.undealt == 0 ? Turn::Kind::done : Turn::Kind::idle, 0};
}

void TaskScheduler::ended(std::uint32_t task) {
  for (CoreState& core : devices_[plan_.tasks[task].device].cores) {
    if (core.task == task) core.task = CoreState::kNone;
  }
}

std::optional<std::string> TaskScheduler::add_condition(std::uint32_t task) {
  /// Of the real scheduler (kernel_language 4.3), for a task and for all together.
  constexpr std::uint32_t kMostConditions = 64;
  auto& conditions = devices_[plan_.tasks[task].device].conditions;
  std::uint32_t all = 0;
  for (const auto& [other, count] : conditions)
    all += count;
  if (conditions[task] == kMostConditions) {
    return fmt::format("more than {} pld.system.defer_wait conditions in one task",
                       kMostConditions);
  }
  if (all == kMostConditions) {
    return fmt::format("more than {} pld.system.defer_wait conditions pending on device {}",
                       kMostConditions, plan_.tasks[task].device);
  }
  ++conditions[task];
  return std::nullopt;
}

void TaskScheduler::complete(std::uint32_t task) {
  devices_[plan_.tasks[task].device].conditions.erase(task);
  LaunchState& launch = launches_[plan_.tasks[task].launch];
  if (--launch.incomplete_blocks > 0) return;
  for (const std::uint32_t next : launch.then) {
    if (--launches_[next].incomplete_before == 0) make_ready(next);
  }
}

std::vector<StalledLaunch> TaskScheduler::stalled() const {
  std::vector<StalledLaunch> stalled;
  for (const DeviceState& device : devices_) {
    for (const std::uint32_t task : device.ready) {
      const std::uint32_t launch = plan_.tasks[task].launch;
      if (stalled.empty() || stalled.back().launch != launch) stalled.push_back({launch, 0});
      ++stalled.back().waiting_blocks;
    }
  }
  return stalled;
}

std::vector<std::uint32_t> TaskScheduler::undealt() const {
  std::vector<std::uint32_t> tasks;
  for (const LaunchState& launch : launches_) {
    if (launch.incomplete_before > 0)
      tasks.insert(tasks.end(), launch.tasks.begin(), launch.tasks.end());
  }
  for (const DeviceState& device : devices_)
    tasks.insert(tasks.end(), device.ready.begin(), device.ready.end());
  std::ranges::sort(tasks);
  return tasks;
}

}  // namespace a2a3::interp
