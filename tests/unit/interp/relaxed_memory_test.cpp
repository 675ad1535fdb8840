// SPDX-License-Identifier: Apache-2.0
#include "interp/relaxed_memory.hpp"

#include <array>
#include <set>

#include <gtest/gtest.h>

#include "interp/task_order.hpp"

namespace a2a3::interp::relaxed_memory_test {
namespace {

constexpr std::array<std::byte, 4> kBytes{};

/// Cores 0 and 1 on devices 0 and 1.
RelaxedMemory two_cores(std::uint64_t seed, bool fenced = true) {
  RelaxedOrder order;
  order.seed = seed;
  order.fenced = fenced;
  return {std::vector<KernelRun::Core>{{0, 0, nullptr}, {1, 0, nullptr}}, order};
}

isa::TStore store_to(std::uint32_t device) {
  isa::TStore store;
  store.dst.base.device = device;
  return store;
}

TEST(RelaxedMemory, LandsTheWritesToOneDeviceInTheirOrder) {
  std::set<std::vector<std::uint32_t>> orders;  // of the devices
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RelaxedMemory memory = two_cores(seed);
    for (const std::uint32_t device : {0U, 1U}) {
      for (std::uint64_t i = 0; i < 3; ++i)
        memory.add(0, {device, i * 4}, kBytes, std::nullopt);
    }
    std::array<std::uint64_t, 2> next{};
    std::vector<std::uint32_t> devices;
    while (memory.in_flight(0)) {
      const auto landing = memory.land(true);
      ASSERT_TRUE(landing);
      EXPECT_EQ(landing->first, 0U);
      const auto [device, offset] = landing->second.address;
      EXPECT_EQ(offset, 4 * next.at(device)++);
      devices.push_back(device);
    }
    EXPECT_FALSE(memory.land(true));
    orders.insert(devices);
  }
  EXPECT_GT(orders.size(), 5U);
}

TEST(RelaxedMemory, KeepsWritesInFlightForAWhile) {
  std::set<int> turns;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RelaxedMemory memory = two_cores(seed);
    memory.add(1, {0, 0}, kBytes, std::nullopt);
    int turn = 0;
    while (!memory.land(false))
      ++turn;
    turns.insert(turn);
  }
  EXPECT_TRUE(turns.contains(0));
  EXPECT_GT(*turns.rbegin(), 100);
}

TEST(RelaxedMemory, LandsWhatTheCoreItselfTouches) {
  RelaxedMemory memory = two_cores(0);
  for (std::uint64_t i = 0; i < 3; ++i)
    memory.add(0, {1, i * 4}, kBytes, std::nullopt);
  EXPECT_FALSE(memory.land_behind(1, {1, 0}, 100));  // another core's
  EXPECT_FALSE(memory.land_behind(0, {0, 0}, 100));  // another device
  EXPECT_EQ(memory.land_behind(0, {1, 4}, 4)->second.address.offset_bytes, 0U);
  EXPECT_EQ(memory.land_behind(0, {1, 4}, 4)->second.address.offset_bytes, 4U);
  EXPECT_FALSE(memory.land_behind(0, {1, 4}, 4));
  EXPECT_TRUE(memory.in_flight(0));
}

TEST(RelaxedMemory, KnowsTheFencesOfTheCompiler) {
  const RelaxedMemory fenced = two_cores(0);
  const RelaxedMemory unfenced = two_cores(0, false);
  for (const isa::Operation& operation : std::initializer_list<isa::Operation>{
           isa::TNotify{}, isa::TPut{}, isa::TGet{}, isa::PipeBarrier{}}) {
    EXPECT_TRUE(fenced.is_fence(operation)) << isa::mnemonic(operation);
    EXPECT_FALSE(unfenced.is_fence(operation)) << isa::mnemonic(operation);
  }
  EXPECT_TRUE(fenced.is_fence(isa::TaskEnd{}));
  EXPECT_TRUE(unfenced.is_fence(isa::TaskEnd{}));
  EXPECT_FALSE(fenced.is_fence(isa::TWait{}));
  EXPECT_FALSE(fenced.is_fence(isa::TStore{}));
  EXPECT_TRUE(fenced.fences_itself(0, isa::TPut{}));
  EXPECT_TRUE(fenced.fences_itself(0, store_to(1)));
  EXPECT_FALSE(fenced.fences_itself(0, store_to(0)));
  EXPECT_FALSE(unfenced.fences_itself(0, store_to(1)));
}

TEST(RelaxedMemory, ASlowRankTakesFewerTurns) {
  bool found = false;
  for (std::uint64_t seed = 0; seed < 20 && !found; ++seed) {
    RelaxedMemory memory = two_cores(seed);
    const std::deque<std::size_t> ready{0, 1};
    std::array<int, 2> turns{};
    for (int turn = 0; turn < 2000; ++turn)
      ++turns.at(memory.choose(ready));
    EXPECT_GT(turns[0] * turns[1], 0);
    found = turns[0] > 10 * turns[1] || turns[1] > 10 * turns[0];
  }
  EXPECT_TRUE(found);
}

TEST(TaskOrderWithZeroings, PutsATaskBeforeThoseOfEachDevice) {
  LaunchPlan plan;
  plan.gm_bytes = {64, 64};
  plan.launches = {{0, 1, {}}, {1, 1, {}}, {0, 1, {0}}};
  for (std::uint32_t launch = 0; launch < 3; ++launch) {
    Task& task = plan.tasks.emplace_back();
    task.device = plan.launches[launch].device;
    task.launch = launch;
  }
  const isa::TaskOrder order = task_order_with_zeroings(plan);
  ASSERT_EQ(order.tasks.size(), 5U);
  EXPECT_EQ(order.tasks[3].launch, 3U);
  EXPECT_EQ(order.device_of_thread[order.tasks[4].thread], 1U);
  EXPECT_EQ(order.after[0], std::vector<std::uint32_t>{3});
  EXPECT_EQ(order.after[1], std::vector<std::uint32_t>{4});
  EXPECT_EQ(order.after[2], (std::vector<std::uint32_t>{0, 3}));
  EXPECT_TRUE(order.after[4].empty());
}

}  // namespace
}  // namespace a2a3::interp::relaxed_memory_test
