// SPDX-License-Identifier: Apache-2.0
// pl.spmd: one kernel on several cores of a device.
#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::spmd_test {
namespace {

/// A kernel that adds its block index times 100 plus the block count to row `b` of x; `chip_body`
/// launches it.
std::string rows_program(const std::string& chip_body, const std::string& kernel_parameters,
                         const std::string& prologue = "") {
  return kImports + R"(ROWS = 6
NR = pl.dynamic("NR")

@pl.jit.incore
def kern(x: pl.Tensor[[ROWS, 8], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, 8], pl.FP32]])" +
         kernel_parameters + "):\n" + prologue +
         R"(    t = pl.load(x, [b, 0], [1, 8])
    t = pl.add(t, pl.cast(b * 100 + pl.tile.get_block_num() * 1000, pl.INT32))
    y = pl.store(t, [b, 0], y)
    return y

@pl.jit
def chip(x: pl.Tensor[[ROWS, 8], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, 8], pl.FP32]],
         n: pl.Scalar[pl.INT32]):
)" + chip_body +
         R"(    return y

@pl.jit.host
def host(x: pl.Tensor[[NR, ROWS, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, ROWS, 8], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], 6, device=r)
)";
}

TextRun run_on(const std::string& text, std::int64_t ranks, std::uint32_t cores,
               std::optional<std::uint64_t> seed = {}) {
  TextOptions options;
  options.ranks = ranks;
  options.limits.vector_cores = cores;
  options.seed = seed;
  options.input = [](const std::string&, std::int64_t i) { return static_cast<double>(i); };
  return run_text(text, options);
}

void expect_rows(const TextRun& run, std::int64_t ranks) {
  ASSERT_TRUE(run.finished()) << run.text();
  const isa::Array& y = run.arrays.at("y");
  for (std::int64_t i = 0; i < ranks * 6 * 8; ++i) {
    ASSERT_EQ(y.at(i), static_cast<double>(i + i / 8 % 6 * 100 + 6000)) << i;
  }
}

TEST(Spmd, ALoopGivesEachBlockItsIndex) {
  const std::string text = rows_program("    for b in pl.spmd(n):\n        y = kern(x, y, b)\n",
                                        ", b: pl.Scalar[pl.INDEX]");
  for (const std::int64_t ranks : {1, 2, 3, 5}) {
    for (const std::uint32_t cores : {1u, 4u, 6u, 48u}) {
      expect_rows(run_on(text, ranks, cores), ranks);
      expect_rows(run_on(text, ranks, cores, 7), ranks);
    }
  }
}

TEST(Spmd, AWithScopeLeavesTheIndexToTheKernel) {
  for (const char* scope : {"pl.spmd(n)", "pl.spmd(core_num=ROWS, name_hint=\"rows\")"}) {
    const std::string text =
        rows_program(std::string("    with ") + scope + ":\n        kern(x, y)\n", "",
                     "    b = pl.tile.get_block_idx()\n");
    expect_rows(run_on(text, 3, 4), 3);
  }
}

TEST(Spmd, OutsideOfALaunchOfBlocksThereIsBlockZeroOfOne) {
  const TextRun run =
      run_on(rows_program("    kern(x, y)\n", "", "    b = pl.get_block_idx()\n"), 1, 4);
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(run.arrays.at("y").at(3), 1003);
}

TEST(Spmd, OneLaunchHasAllBlocks) {
  const TextRun run = run_on(
      rows_program("    for b in pl.spmd(n):\n        kern(x, y, b)\n", ", b: pl.Scalar[pl.INDEX]"),
      2, 4);
  ASSERT_EQ(run.plan.launches.size(), 2u);
  EXPECT_EQ(run.plan.launches[1].blocks, 6u);
  EXPECT_TRUE(run.plan.launches[1].after.empty());
  ASSERT_EQ(run.plan.tasks.size(), 12u);
  EXPECT_EQ(run.plan.tasks[8].launch, 1u);
  EXPECT_EQ(run.plan.tasks[8].block, 2u);
  EXPECT_NE(print(run.plan).find("task 8: kern on device 1, block 2 of 6, launch 1"),
            std::string::npos)
      << print(run.plan);
}

TEST(Spmd, ALaterLaunchWaitsForAllBlocks) {
  // The second launch reads rows that other blocks of the first wrote.
  const std::string text = kImports + R"(
@pl.jit.incore
def first(x: pl.Tensor[[8, 8], pl.FP32], m: pl.Out[pl.Tensor[[8, 8], pl.FP32]], b: pl.Scalar[pl.INDEX]):
    t = pl.load(x, [b, 0], [1, 8])
    m = pl.store(pl.add(t, 1.0), [b, 0], m)

@pl.jit.incore
def second(m: pl.Tensor[[8, 8], pl.FP32], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]], b: pl.Scalar[pl.INDEX]):
    t = pl.load(m, [7 - b, 0], [1, 8])
    y = pl.store(pl.mul(t, 2.0), [b, 0], y)

@pl.jit
def chip(x: pl.Tensor[[8, 8], pl.FP32], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
    m = pl.create_tensor([8, 8], dtype=pl.FP32)
    for b in pl.spmd(8):
        first(x, m, b)
    for b in pl.spmd(8):
        second(m, y, b)

@pl.jit.host
def host(x: pl.Tensor[[1, 8, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8, 8], pl.FP32]]):
    chip(x[0], y[0], device=0)
)";
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const TextRun run = run_on(text, 1, seed % 2 == 0 ? 3 : 48, seed);
    ASSERT_TRUE(run.finished()) << run.text();
    EXPECT_EQ(run.plan.launches[1].after, (std::vector<std::uint32_t>{0}));
    for (int i = 0; i < 64; ++i) {
      ASSERT_EQ(run.arrays.at("y").at(i), 2.0 * ((7 - i / 8) * 8 + i % 8 + 1)) << i;
    }
  }
}

/// Every block signals the others and waits for them.
const std::string kMeeting = kImports + R"(
@pl.jit.incore
def meet(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], cell: pld.DistributedTensor[[1, 1], pl.INT32],
         b: pl.Scalar[pl.INDEX]):
    r = pld.rank(pld.get_comm_ctx(cell))
    pld.system.notify(cell, peer=r, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(cell, offsets=[0, 0], expected=5, cmp=pld.WaitCmp.Ge)
    if b == 0:
        y = pl.store(pl.tile.full([1, 8], dtype=pl.INT32, value=7), [0, 0], y)

@pl.jit
def chip(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], cell: pld.DistributedTensor[[1, 1], pl.INT32]):
    for b in pl.spmd(5):
        meet(y, cell, b)

@pl.jit.host
def host(y: pl.Out[pl.Tensor[[2, 1, 8], pl.INT32]]):
    buf = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
    cell = pld.window(buf, [1, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        chip(y[r], cell, device=r)
)";

TEST(Spmd, BlocksThatWaitForEachOtherFitOnTheDevice) {
  const TextRun run = run_on(kMeeting, 2, 5);
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(run.arrays.at("y").at(8), 7);
}

TEST(Spmd, BlocksThatWaitForOneWithoutACoreAreADeadlock) {
  const TextRun run = run_on(kMeeting, 2, 4);
  ASSERT_NE(run.run, nullptr) << run.text();
  EXPECT_EQ(run.result.outcome, UntimedResult::Outcome::deadlock);
  EXPECT_EQ(run.result.blocked.size(), 8u);
  const auto stalled = run.run->stalled();
  ASSERT_EQ(stalled.size(), 2u);
  EXPECT_EQ(stalled[0].launch, 0u);
  EXPECT_EQ(stalled[0].waiting_blocks, 1u);
}

TEST(Spmd, TheNumberOfBlocksIsCheckedWhenItIsKnown) {
  const TextRun run = plan_text(rows_program(
      "    for b in pl.spmd(n - 6):\n        kern(x, y, b)\n", ", b: pl.Scalar[pl.INDEX]"));
  EXPECT_NE(run.text().find("pl.spmd of 0 blocks: a launch has 1 to 65536"), std::string::npos)
      << run.text();
}

}  // namespace
}  // namespace a2a3::interp::spmd_test
