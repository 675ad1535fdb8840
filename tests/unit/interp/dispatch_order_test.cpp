// SPDX-License-Identifier: Apache-2.0
#include "interp/dispatch_order.hpp"

#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::dispatch_order_test {
namespace {

using Before = std::vector<std::set<std::uint32_t>>;

/// One dispatch with the bytes 0..8 of memory `index`, whose launches come after one another as
/// `own` says.
void dispatch(DispatchOrder& order, Before& before, std::uint64_t index, const Before& own,
              bool write = true, std::uint32_t device = 0) {
  order.begin(static_cast<std::uint32_t>(before.size()));
  order.access({{device, 0, index}, 0, 8, write});
  before.insert(before.end(), own.begin(), own.end());
  order.end(before);
}

TEST(DispatchOrder, TheFirstLaunchesWaitForTheLastOfTheDispatchBefore) {
  DispatchOrder order;
  Before before;
  dispatch(order, before, 0, {{}, {0}, {0}});    // 1 and 2 end it
  dispatch(order, before, 0, {{}, {}, {3, 4}});  // 3 and 4 begin it
  dispatch(order, before, 0, {{}});
  EXPECT_EQ(before, (Before{{}, {0}, {0}, {1, 2}, {1, 2}, {3, 4}, {5}}));
}

TEST(DispatchOrder, ReadersOtherMemoriesAndOtherDevicesHaveNone) {
  DispatchOrder order;
  Before before;
  dispatch(order, before, 0, {{}}, false);
  dispatch(order, before, 0, {{}}, false);
  dispatch(order, before, 1, {{}});
  dispatch(order, before, 0, {{}}, true, 1);
  EXPECT_EQ(before, (Before{{}, {}, {}, {}}));
}

TEST(DispatchOrder, ADispatchWithoutLaunchesHandsTheOrderOn) {
  DispatchOrder order;
  Before before;
  dispatch(order, before, 0, {{}});
  order.begin(1);  // shares memory 0 with the one before and memory 1 with the one behind
  order.access({{0, 0, 0}, 0, 8, false});
  order.access({{0, 0, 1}, 0, 8, true});
  order.end(before);
  dispatch(order, before, 1, {{}});
  EXPECT_EQ(before, (Before{{}, {0}}));
}

TEST(DispatchOrder, AnArgumentThatNoKernelUsesOrdersDispatches) {
  const std::string text = kImports + R"(
@pl.jit.incore
def copy(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = pl.store(pl.load(x, [0, 0], [1, 8]), [0, 0], y)

@pl.jit
def with_token(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
               z: pl.Out[pl.Tensor[[1, 8], pl.FP32]], token: pld.DistributedTensor[[1], pl.INT32]):
    copy(x, y)
    copy(x, z)

@pl.jit
def without(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    copy(x, y)

@pl.jit.host
def host(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[6, 1, 8], pl.FP32]]):
    buf = pld.alloc_window_buffer([1], dtype=pl.INT32)
    token = pld.window(buf, [1], dtype=pl.INT32)
    with_token(x, y[0], y[1], token, device=0)
    without(x, y[2], device=0)
    with_token(x, y[3], y[4], token, device=0)
    without(x, y[5], device=0)
)";
  const TextRun run = plan_text(text, {});
  ASSERT_EQ(run.plan.launches.size(), 6U) << run.text();
  std::vector<std::vector<std::uint32_t>> after;
  for (const Launch& launch : run.plan.launches)
    after.push_back(launch.after);
  EXPECT_EQ(after, (std::vector<std::vector<std::uint32_t>>{{}, {}, {}, {0, 1}, {0, 1}, {}}));
}

}  // namespace
}  // namespace a2a3::interp::dispatch_order_test
