// SPDX-License-Identifier: Apache-2.0
#include "interp/task_order.hpp"

#include <gtest/gtest.h>

namespace a2a3::interp::task_order_test {
namespace {

LaunchPlan plan_of(std::vector<Launch> launches) {
  LaunchPlan plan;
  plan.launches = std::move(launches);
  for (std::uint32_t launch = 0; launch < plan.launches.size(); ++launch) {
    for (std::uint32_t block = 0; block < plan.launches[launch].blocks; ++block) {
      Task& task = plan.tasks.emplace_back();
      task.device = plan.launches[launch].device;
      task.launch = launch;
      task.block = block;
    }
  }
  return plan;
}

std::vector<isa::Thread> threads(const isa::TaskOrder& order) {
  std::vector<isa::Thread> all;
  for (const isa::TaskOrder::Task& task : order.tasks)
    all.push_back(task.thread);
  return all;
}

TEST(TaskOrder, LaunchesAfterEachOtherShareAThread) {
  const isa::TaskOrder order = task_order(plan_of({{0, 1, {}}, {1, 1, {}}, {0, 1, {0}}}));
  EXPECT_EQ(threads(order), (std::vector<isa::Thread>{0, 1, 0}));
  EXPECT_EQ(order.device_of_thread, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(order.after[2], std::vector<std::uint32_t>{0});
}

TEST(TaskOrder, IndependentLaunchesOfOneDeviceHaveThreadsOfTheirOwn) {
  EXPECT_EQ(threads(task_order(plan_of({{0, 1, {}}, {0, 1, {}}, {0, 1, {0, 1}}}))),
            (std::vector<isa::Thread>{0, 1, 1}));
  // Two after one: only the first goes on with its thread.
  EXPECT_EQ(threads(task_order(plan_of({{0, 1, {}}, {0, 1, {0}}, {0, 1, {0}}}))),
            (std::vector<isa::Thread>{0, 0, 1}));
}

TEST(TaskOrder, BlocksHaveThreadsOfTheirOwn) {
  EXPECT_EQ(threads(task_order(plan_of({{0, 2, {}}, {0, 1, {0}}, {0, 3, {1}}}))),
            (std::vector<isa::Thread>{0, 1, 0, 0, 1, 2}));
}

}  // namespace
}  // namespace a2a3::interp::task_order_test
