// SPDX-License-Identifier: Apache-2.0
// Writes that no fence follows: unfenced_index().
#include <gtest/gtest.h>

#include "isa/order/happens_before.hpp"
#include "isa/order/sync_index.hpp"

namespace a2a3::isa::unfenced_test {
namespace {

constexpr GlobalAddress kData{0, 0};
constexpr TNotify kNotify{{1, 64}, 1, NotifyOp::atomic_add};

/// Tasks 0 and 1 on devices 0 and 1, and task 2 behind both, on a thread of its own.
TaskOrder three_tasks() {
  TaskOrder order;
  order.tasks = {{0, 0}, {1, 1}, {2, 2}};
  order.after = {{}, {}, {0, 1}};
  order.device_of_thread = {0, 1, 0};
  return order;
}

TEST(UnfencedIndex, LeavesRoomForAllTasksOfAThread) {
  TaskOrder order = three_tasks();
  const std::uint64_t alone = unfenced_index(order);
  EXPECT_EQ(alone, std::uint64_t{1} << 31);
  for (int task = 0; task < 999; ++task)
    order.tasks.push_back({0, 0});
  EXPECT_LE(1000 * (std::uint64_t{unfenced_index(order)} + 1), std::uint64_t{1} << 32);
  EXPECT_GT(unfenced_index(order), 1'000'000U);
  EXPECT_GT(unfenced_index({}), 0U);
}

TEST(UnfencedIndex, ANotifyDoesNotOrderTheWrite) {
  for (const bool fenced : {true, false}) {
    HappensBefore check(three_tasks(), 1000);
    check.on_begin({0, 0, 0, 0});
    check.on_begin({1, 1, 0, 0});
    const std::uint32_t index = fenced ? 0 : unfenced_index(three_tasks());
    check.on_access({0, 0, index, 10}, AccessKind::write, kData, 4);
    check.on_access({0, 0, 0, 11}, AccessKind::read, kData, 4);  // its own: in program order
    check.on_notify({0, 0, 0, 12}, kNotify, {0, 1});
    check.on_access({0, 0, 1, 13}, AccessKind::read, kData, 4);
    check.on_wait({1, 1, 1, 20}, {{1, 64}, 1}, 1);
    check.on_access({1, 1, 1, 21}, AccessKind::read, kData, 4);
    const auto races = check.findings();
    ASSERT_EQ(races.size(), fenced ? 0U : 1U);
    if (fenced) continue;
    EXPECT_EQ(races[0].kind, RaceKind::read_before_write);
    EXPECT_EQ(races[0].earlier.record.source, 10U);
    EXPECT_EQ(races[0].later.record.source, 21U);
  }
}

TEST(UnfencedIndex, TheEndOfTheTaskDoes) {
  HappensBefore check(three_tasks(), 1000);
  check.on_begin({0, 0, 0, 0});
  check.on_begin({1, 1, 0, 0});
  check.on_access({0, 0, unfenced_index(three_tasks()), 10}, AccessKind::write, kData, 4);
  check.on_notify({0, 0, 0, 12}, kNotify, {0, 1});
  check.on_wait({1, 1, 1, 20}, {{1, 64}, 1}, 1);
  check.on_complete(0);
  check.on_complete(1);
  check.on_begin({2, 2, 0, 0});
  check.on_access({2, 2, 0, 30}, AccessKind::read, kData, 4);
  EXPECT_TRUE(check.findings().empty());
}

TEST(UnfencedIndex, ANotifyStillOrdersReads) {
  HappensBefore check(three_tasks(), 1000);
  check.on_begin({0, 0, 0, 0});
  check.on_begin({1, 1, 0, 0});
  check.on_access({0, 0, unfenced_index(three_tasks()), 10}, AccessKind::write, {0, 512}, 4);
  check.on_access({0, 0, 0, 11}, AccessKind::read, kData, 4);
  check.on_notify({0, 0, 0, 12}, kNotify, {0, 1});
  check.on_wait({1, 1, 1, 20}, {{1, 64}, 1}, 1);
  check.on_access({1, 1, 1, 21}, AccessKind::write, kData, 4);
  EXPECT_TRUE(check.findings().empty());
}

}  // namespace
}  // namespace a2a3::isa::unfenced_test
