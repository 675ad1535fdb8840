// SPDX-License-Identifier: Apache-2.0
#include "isa/order/thread_clocks.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace a2a3::isa::thread_clocks_test {
namespace {

/// Launch 0 of one task on each of three threads, then launch 1 likewise.
TaskOrder two_launches() {
  TaskOrder order;
  order.device_of_thread = {0, 1, 2};
  for (std::uint32_t launch = 0; launch < 2; ++launch) {
    for (Thread thread = 0; thread < 3; ++thread)
      order.tasks.push_back({thread, launch});
  }
  order.after = {{}, {0}};
  return order;
}

TEST(ThreadClocks, ATaskKnowsAllTasksOfTheLaunchesBeforeIts) {
  ThreadClocks clocks(two_launches());
  std::vector<AccessRecord> last;
  for (std::uint32_t task = 0; task < 3; ++task) {
    clocks.begin_task(task);
    last.push_back(clocks.place(task, 10 + task, 1));
  }
  // Thread 1 has learned more than its own launch tells.
  clocks.learn(1, [](VectorClock& clock) { return clock.add(2, 4); });
  for (std::uint32_t task = 0; task < 3; ++task)
    clocks.complete_task(task);
  clocks.begin_task(3);
  EXPECT_TRUE(clocks.now(0).covers(1, last[1].index));
  EXPECT_TRUE(clocks.now(0).covers(2, last[2].index));
  EXPECT_FALSE(clocks.now(0).covers(1, last[1].index + 1));
  EXPECT_FALSE(clocks.now(1).covers(0, last[0].index)) << "its task has not begun";
}

TEST(ThreadClocks, LearnSaysWhetherThereWasSomethingNew) {
  ThreadClocks clocks(two_launches());
  clocks.begin_task(0);
  const ClockSnapshot before = clocks.snapshot(0);
  EXPECT_FALSE(clocks.learn(0, [](VectorClock&) { return false; }));
  EXPECT_EQ(clocks.snapshot(0), before) << "the same one";
  EXPECT_TRUE(clocks.learn(0, [](VectorClock& clock) { return clock.add(1, 5); }));
  EXPECT_TRUE(clocks.snapshot(0)->covers(1, 5));
  EXPECT_FALSE(before->covers(1, 5));
}

TEST(ThreadClocks, CountTheSnapshotsThatSomebodyHolds) {
  ThreadClocks clocks(two_launches());
  clocks.begin_task(0);
  const std::size_t none = clocks.records();
  std::vector<ClockSnapshot> held;
  for (std::uint32_t i = 0; i < 10; ++i) {
    clocks.learn(0, [i](VectorClock& clock) { return clock.add(1, i); });
    held.push_back(clocks.snapshot(0));
    held.push_back(clocks.snapshot(0));
  }
  EXPECT_EQ(clocks.records(), none + 10);
  const ThreadClocks copy = clocks;
  EXPECT_EQ(copy.records(), none) << "those that it shares are counted once";
  held.clear();
  EXPECT_EQ(clocks.records(), none + 1) << "its own";
  EXPECT_EQ(copy.records(), none);
}

TEST(ThreadClocks, CountWhatCompleteLaunchesLeave) {
  ThreadClocks clocks(two_launches());
  const std::size_t none = clocks.records();
  for (std::uint32_t task = 0; task < 3; ++task) {
    clocks.begin_task(task);
    clocks.complete_task(task);
  }
  EXPECT_EQ(clocks.records(), none + 1) << "one clock for all tasks";
  for (std::uint32_t task = 3; task < 6; ++task)
    clocks.begin_task(task);
  EXPECT_EQ(clocks.records(), none);
}

}  // namespace
}  // namespace a2a3::isa::thread_clocks_test
