// SPDX-License-Identifier: Apache-2.0
// Several rounds of dispatches in one host function, and overlapping communication domains.
#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::dispatch_rounds_test {
namespace {

using After = std::vector<std::uint32_t>;

TextRun run_ranks(const std::string& text, std::int64_t ranks, std::uint64_t seed = 0) {
  TextOptions options;
  options.ranks = ranks;
  options.seed = seed;
  return run_text(text, options);
}

/// Publish: each rank writes its row into its own window and signals all. Consume: it waits for
/// all and sums their rows. The kernels of one device meet in the windows only.
const std::string kPublishConsume = kImports + R"(NR = pl.dynamic("NR")

@pl.jit.incore
def publish(x: pl.Tensor[[1, 8], pl.FP32], data: pld.DistributedTensor[[1, 8], pl.FP32],
            cells: pld.DistributedTensor[[NR, 1], pl.INT32], k: pl.Scalar[pl.INT32]):
    c = pld.get_comm_ctx(data)
    me = pld.rank(c)
    data = pl.store(pl.add(pl.load(x, [0, 0], [1, 8]), k), [0, 0], data)
    for p in pl.range(pld.nranks(c)):
        pld.system.notify(cells, peer=p, offsets=[me, 0], value=1, op=pld.NotifyOp.AtomicAdd)

@pl.jit.incore
def consume(y: pl.InOut[pl.Tensor[[1, 8], pl.FP32]], data: pld.DistributedTensor[[1, 8], pl.FP32],
            cells: pld.DistributedTensor[[NR, 1], pl.INT32], n: pl.Scalar[pl.INT32]):
    c = pld.get_comm_ctx(data)
    me = pld.rank(c)
    for q in pl.range(pld.nranks(c)):
        pld.system.wait(cells, offsets=[q, 0], expected=2 * n - 1, cmp=pld.WaitCmp.Ge)
    acc = pl.load(y, [0, 0], [1, 8])
    for q in pl.range(pld.nranks(c)):
        acc = pl.add(acc, pld.tile.remote_load(data, peer=q, offsets=[0, 0], shape=[1, 8]))
    y = pl.store(acc, [0, 0], y)
    for p in pl.range(pld.nranks(c)):
        pld.system.notify(cells, peer=p, offsets=[me, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    for q in pl.range(pld.nranks(c)):
        pld.system.wait(cells, offsets=[q, 0], expected=2 * n, cmp=pld.WaitCmp.Ge)
    return y

@pl.jit
def publish_chip(x: pl.Tensor[[1, 8], pl.FP32], data: pld.DistributedTensor[[1, 8], pl.FP32],
                 cells: pld.DistributedTensor[[NR, 1], pl.INT32], k: pl.Scalar[pl.INT32]):
    publish(x, data, cells, k)

@pl.jit
def consume_chip(y: pl.InOut[pl.Tensor[[1, 8], pl.FP32]], data: pld.DistributedTensor[[1, 8], pl.FP32],
                 cells: pld.DistributedTensor[[NR, 1], pl.INT32], n: pl.Scalar[pl.INT32]):
    consume(y, data, cells, n)

@pl.jit.host
def host(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.InOut[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    data_buf = pld.alloc_window_buffer([1, 8], dtype=pl.FP32)
    cell_buf = pld.alloc_window_buffer([NR, 1], dtype=pl.INT32)
    for k in pl.range(3):
        for r in pl.range(pld.world_size()):
            data = pld.window(data_buf, [1, 8], dtype=pl.FP32)
            cells = pld.window(cell_buf, [NR, 1], dtype=pl.INT32)
            publish_chip(x[r], data, cells, k, device=r)
        for r in pl.range(pld.world_size()):
            data = pld.window(data_buf, [1, 8], dtype=pl.FP32)
            cells = pld.window(cell_buf, [NR, 1], dtype=pl.INT32)
            consume_chip(y[r], data, cells, k + 1, device=r)
    return y
)";

class DispatchRounds : public ::testing::TestWithParam<int> {};

TEST_P(DispatchRounds, PublishAndConsumeInALoop) {
  const std::int64_t ranks = GetParam();
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    TextOptions options;
    options.ranks = ranks;
    options.seed = seed;
    options.input = [](const std::string& name, std::int64_t i) {
      return name == "x" ? static_cast<double>(i / 8 + 1) : 0.0;
    };
    const TextRun run = run_text(kPublishConsume, options);
    ASSERT_TRUE(run.finished()) << run.text();
    const double sum = static_cast<double>(ranks * (ranks + 1) / 2);
    for (std::int64_t i = 0; i < ranks * 8; ++i)
      ASSERT_EQ(run.arrays.at("y").at(i), 3 * sum + static_cast<double>(3 * ranks)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, DispatchRounds, ::testing::Values(1, 2, 3, 4, 5, 7, 8));

TEST(DispatchOrder, AWindowOrdersTheKernelsOfADevice) {
  TextOptions options;
  options.ranks = 2;
  const TextRun run = plan_text(kPublishConsume, options);
  ASSERT_EQ(run.plan.launches.size(), 12u);
  EXPECT_EQ(run.plan.launches[0].after, After{});
  EXPECT_EQ(run.plan.launches[2].after, (After{0}));  // consume of device 0
  EXPECT_EQ(run.plan.launches[3].after, (After{1}));
  EXPECT_EQ(run.plan.launches[4].after, (After{2}));     // publish again
  EXPECT_EQ(run.plan.launches[6].after, (After{2, 4}));  // and y of the consume before
}

const std::string kScale = kImports + R"(NR = pl.dynamic("NR")

@pl.jit.incore
def scale(a: pl.Tensor[[1, 8], pl.FP32], b: pl.InOut[pl.Tensor[[1, 8], pl.FP32]]):
    b = pl.store(pl.add(pl.load(b, [0, 0], [1, 8]), pl.load(a, [0, 0], [1, 8])), [0, 0], b)

@pl.jit
def chip(a: pl.Tensor[[1, 8], pl.FP32], b: pl.InOut[pl.Tensor[[1, 8], pl.FP32]]):
    scale(a, b)

@pl.jit.host
def host(x: pl.Tensor[[2, 1, 8], pl.FP32], y: pl.InOut[pl.Tensor[[2, 1, 8], pl.FP32]],
         z: pl.InOut[pl.Tensor[[1, 1, 8], pl.FP32]]):
)";

TEST(DispatchOrder, TensorsOrderThoseThatShareOne) {
  const TextRun run = run_ranks(kScale + R"(
    chip(x[0], y[0], device=0)
    chip(x[1], y[1], device=0)
    chip(y[0], z[0], device=0)
    chip(y[1], z[0], device=0)
    chip(x[0], y[0], device=0)
)",
                                1, 3);
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(run.plan.launches[1].after, After{});
  EXPECT_EQ(run.plan.launches[2].after, (After{0}));
  EXPECT_EQ(run.plan.launches[3].after, (After{1, 2}));
  EXPECT_EQ(run.plan.launches[4].after, (After{0, 2}));
  // x, y and z hold 1, 2, ...: y[0] twice x[0] added, z both y after one addition.
  EXPECT_EQ(run.arrays.at("y").at(0), 1 + 1 + 1);
  EXPECT_EQ(run.arrays.at("z").at(0), 1 + (1 + 1) + (9 + 9));
}

TEST(DispatchOrder, KernelsThatOnlyReadATensorRunSideBySide) {
  const TextRun run = run_ranks(kScale + R"(
    chip(x[0], y[0], device=0)
    chip(x[0], y[1], device=0)
)",
                                1);
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(run.plan.launches[1].after, After{});
  EXPECT_EQ(run.run->cores().size(), 2u);
}

TEST(DispatchDomains, TwoDomainsOverlapInOneDevice) {
  // Devices {0, 1} share one window, {1, 2} another; device 1 is rank 1 of the first and rank 0 of
  // the second.
  const TextRun run = run_ranks(kImports + R"(NR = pl.dynamic("NR")

@pl.jit.incore
def swap(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], data: pld.DistributedTensor[[1, 8], pl.INT32],
         cell: pld.DistributedTensor[[1, 1], pl.INT32], base: pl.Scalar[pl.INT32]):
    c = pld.get_comm_ctx(data)
    me = pld.rank(c)
    t = pl.tile.full([1, 8], dtype=pl.INT32, value=0)
    t = pl.add(t, base + 10 * pld.nranks(c) + me)
    data = pld.tile.remote_store(t, target=data, peer=1 - me, offsets=[0, 0])
    pld.system.notify(cell, peer=1 - me, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(cell, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    y = pl.store(pl.load(data, [0, 0], [1, 8]), [0, 0], y)

@pl.jit
def chip(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], data: pld.DistributedTensor[[1, 8], pl.INT32],
         cell: pld.DistributedTensor[[1, 1], pl.INT32], base: pl.Scalar[pl.INT32]):
    swap(y, data, cell, base)

@pl.jit.host
def host(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]], z: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    a_buf = pld.alloc_window_buffer([1, 8], dtype=pl.INT32)
    a_cell = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
    b_buf = pld.alloc_window_buffer([1, 8], dtype=pl.INT32)
    b_cell = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
    for r in pl.range(2):
        chip(y[r], pld.window(a_buf, [1, 8], dtype=pl.INT32),
             pld.window(a_cell, [1, 1], dtype=pl.INT32), 100, device=r)
    for r in pl.range(1, 3):
        chip(z[r], pld.window(b_buf, [1, 8], dtype=pl.INT32),
             pld.window(b_cell, [1, 1], dtype=pl.INT32), 200, device=r)
)",
                                3, 11);
  ASSERT_TRUE(run.finished()) << run.text();
  ASSERT_EQ(run.plan.domains.size(), 2u);
  EXPECT_EQ(run.plan.domains[0].devices, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(run.plan.domains[1].devices, (std::vector<std::uint32_t>{1, 2}));
  const auto at = [&](const char* name, std::int64_t rank) {
    return run.arrays.at(name).at(rank * 8);
  };
  EXPECT_EQ(at("y", 0), 121);
  EXPECT_EQ(at("y", 1), 120);
  EXPECT_EQ(at("z", 1), 221);
  EXPECT_EQ(at("z", 2), 220);
}

TEST(DispatchResults, APerDeviceFunctionReturnsSeveralTensors) {
  const TextRun run = run_ranks(kImports + R"(
@pl.jit.incore
def both(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
         z: pl.Out[pl.Tensor[[1, 8], pl.FP32]]) -> tuple[pl.Tensor[[1, 8], pl.FP32], pl.Tensor[[1, 8], pl.FP32]]:
    t = pl.load(x, [0, 0], [1, 8])
    y = pl.store(pl.add(t, 1.0), [0, 0], y)
    z = pl.store(pl.add(t, 2.0), [0, 0], z)
    return y, z

@pl.jit
def chip(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
         z: pl.Out[pl.Tensor[[1, 8], pl.FP32]]) -> tuple[pl.Tensor[[1, 8], pl.FP32], pl.Tensor[[1, 8], pl.FP32]]:
    a, b = both(x, y, z)
    return b, a

@pl.jit.host
def host(x: pl.Tensor[[2, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, 8], pl.FP32]],
         z: pl.Out[pl.Tensor[[2, 1, 8], pl.FP32]], w: pl.Out[pl.Tensor[[2, 1, 8], pl.FP32]],
         v: pl.Out[pl.Tensor[[2, 1, 8], pl.FP32]]):
    for r in pl.range(2):
        p, q = chip(x[r], y[r], z[r], device=r)
        chip(p, w[r], v[r], device=r)
)",
                                2);
  ASSERT_TRUE(run.finished()) << run.text();
  // p is z: x + 2; w is p + 1.
  EXPECT_EQ(run.arrays.at("w").at(8), 9 + 2 + 1);
  EXPECT_EQ(run.arrays.at("v").at(8), 9 + 2 + 2);
}

}  // namespace
}  // namespace a2a3::interp::dispatch_rounds_test
