// SPDX-License-Identifier: Apache-2.0
// UntimedOptions::choose.
#include <algorithm>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::untimed_order_test {
namespace {

/// The devices, of one core each, in the order in which their instructions took effect.
struct Order final : isa::RunObserver {
  void on_begin(const isa::RunEvent& event) override { devices.push_back(event.device); }
  void on_operation(const isa::RunEvent& event, const isa::Operation& /*operation*/) override {
    devices.push_back(event.device);
  }
  void on_notify(const isa::RunEvent& event, const isa::TNotify& /*notify*/,
                 isa::CellChange /*cell*/) override {
    devices.push_back(event.device);
  }
  void on_wait(const isa::RunEvent& event, const isa::TWait& /*wait*/,
               std::int32_t /*value*/) override {
    devices.push_back(event.device);
  }
  std::vector<std::size_t> devices;
};

std::vector<std::size_t> order_of(UntimedOptions options) {
  TextOptions text;
  text.ranks = 3;
  const TextRun planned = plan_text(kAllgather, text);
  const CoreLimits limits;
  KernelRun run(planned.plan, limits);
  DeviceMemory memory = make_memory(planned.plan);
  const std::vector<std::span<std::byte>> gm(memory.begin(), memory.end());
  Order order;
  options.observers = {&order};
  const UntimedResult result = run_untimed(run, gm, limits.local_bytes(), options);
  EXPECT_EQ(result.outcome, UntimedResult::Outcome::finished);
  EXPECT_EQ(result.instructions, order.devices.size());
  return order.devices;
}

TEST(UntimedOrder, TheChosenCoreGoesNext) {
  UntimedOptions options;
  options.choose = [](std::span<const std::size_t> ready) {
    return static_cast<std::size_t>(std::ranges::max_element(ready) - ready.begin());
  };
  const std::vector<std::size_t> order = order_of(options);
  // Core 2 goes on until it waits for the others, then core 1, which lets nobody go on.
  const auto first_of = [&](std::size_t core) {
    return std::ranges::find(order, core) - order.begin();
  };
  EXPECT_EQ(order.front(), 2U);
  EXPECT_GT(first_of(1), 2);
  EXPECT_GT(first_of(0), first_of(1));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.begin() + first_of(0) + 1, std::greater<>()));
  EXPECT_NE(order.back(), 2U);
}

TEST(UntimedOrder, AnyOrderCanBeRepeated) {
  std::vector<std::size_t> places;
  UntimedOptions options;
  std::mt19937_64 random(7);
  options.choose = [&](std::span<const std::size_t> ready) {
    places.push_back(random() % ready.size());
    return places.back();
  };
  const std::vector<std::size_t> order = order_of(options);
  UntimedOptions again;
  std::size_t next = 0;
  again.choose = [&](std::span<const std::size_t>) { return places.at(next++); };
  EXPECT_EQ(order_of(again), order);
  UntimedOptions seeded;
  seeded.seed = 7;
  EXPECT_EQ(order_of(seeded), order);
  EXPECT_NE(order_of({}), order);
}

}  // namespace
}  // namespace a2a3::interp::untimed_order_test
