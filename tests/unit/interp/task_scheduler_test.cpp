// SPDX-License-Identifier: Apache-2.0
#include "interp/task_scheduler.hpp"

#include <gtest/gtest.h>

namespace a2a3::interp::task_scheduler_test {
namespace {

using Kind = TaskScheduler::Turn::Kind;

struct Wanted {
  std::uint32_t blocks = 1;
  std::vector<std::uint32_t> after;
  std::uint32_t device = 0;
};

LaunchPlan plan_of(const std::vector<Wanted>& wanted, std::size_t devices = 1) {
  LaunchPlan plan;
  plan.gm_bytes.resize(devices);
  for (const Wanted& one : wanted) {
    const auto launch = static_cast<std::uint32_t>(plan.launches.size());
    plan.launches.push_back({one.device, one.blocks, one.after});
    for (std::uint32_t block = 0; block < one.blocks; ++block) {
      Task task;
      task.device = one.device;
      task.launch = launch;
      task.block = block;
      plan.tasks.push_back(task);
    }
  }
  return plan;
}

void finish(TaskScheduler& scheduler, std::uint32_t task) {
  scheduler.ended(task);
  scheduler.complete(task);
}

TEST(TaskScheduler, AChainNeedsOneCore) {
  const LaunchPlan plan = plan_of({{1, {}}, {1, {0}}, {1, {1}}});
  TaskScheduler scheduler(plan, 48);
  ASSERT_EQ(scheduler.cores(0), 1u);
  for (std::uint32_t task = 0; task < 3; ++task) {
    const auto turn = scheduler.take(0, 0);
    ASSERT_EQ(turn.kind, Kind::task);
    EXPECT_EQ(turn.task, task);
    finish(scheduler, task);
  }
  EXPECT_EQ(scheduler.take(0, 0).kind, Kind::done);
}

TEST(TaskScheduler, IndependentLaunchesRunSideBySide) {
  const LaunchPlan plan = plan_of({{2, {}}, {1, {}}, {1, {0, 1}}});
  TaskScheduler scheduler(plan, 48);
  ASSERT_EQ(scheduler.cores(0), 3u);
  EXPECT_EQ(scheduler.take(0, 2).task, 2u);  // dealt by number, whoever asks first
  EXPECT_EQ(scheduler.take(0, 0).task, 0u);
  EXPECT_EQ(scheduler.take(0, 1).task, 1u);
  finish(scheduler, 1);
  EXPECT_EQ(scheduler.take(0, 1).kind, Kind::idle);
  finish(scheduler, 0);
  EXPECT_EQ(scheduler.take(0, 0).kind, Kind::idle);
  finish(scheduler, 2);
  EXPECT_EQ(scheduler.take(0, 1).kind, Kind::done);  // core 0 gets it
  EXPECT_EQ(scheduler.take(0, 0).task, 3u);
  EXPECT_EQ(scheduler.take(0, 2).kind, Kind::done);
}

TEST(TaskScheduler, BlocksWithoutACoreComeWhenOneIsFree) {
  const LaunchPlan plan = plan_of({{5, {}}});
  TaskScheduler scheduler(plan, 2);
  ASSERT_EQ(scheduler.cores(0), 2u);
  EXPECT_EQ(scheduler.take(0, 0).task, 0u);
  EXPECT_EQ(scheduler.take(0, 1).task, 1u);
  ASSERT_EQ(scheduler.stalled().size(), 1u);
  EXPECT_EQ(scheduler.stalled()[0].waiting_blocks, 3u);
  finish(scheduler, 1);
  EXPECT_EQ(scheduler.take(0, 1).task, 2u);
  EXPECT_EQ(scheduler.stalled()[0].waiting_blocks, 2u);
}

TEST(TaskScheduler, WhatIsEndedButNotCompleteKeepsOthersWaitingAndItsCoreFree) {
  const LaunchPlan plan = plan_of({{1, {}}, {1, {0}}, {1, {}}});
  TaskScheduler scheduler(plan, 1);
  EXPECT_EQ(scheduler.take(0, 0).task, 0u);
  scheduler.ended(0);
  EXPECT_EQ(scheduler.take(0, 0).task, 2u);
  finish(scheduler, 2);
  EXPECT_EQ(scheduler.take(0, 0).kind, Kind::idle);
  scheduler.complete(0);
  EXPECT_EQ(scheduler.take(0, 0).task, 1u);
}

TEST(TaskScheduler, DevicesAreApart) {
  const LaunchPlan plan = plan_of({{1, {}, 0}, {3, {}, 2}}, 3);
  const TaskScheduler scheduler(plan, 48);
  EXPECT_EQ(scheduler.cores(0), 1u);
  EXPECT_EQ(scheduler.cores(1), 0u);
  EXPECT_EQ(scheduler.cores(2), 3u);
}

}  // namespace
}  // namespace a2a3::interp::task_scheduler_test
