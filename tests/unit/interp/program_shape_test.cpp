// SPDX-License-Identifier: Apache-2.0
// Programs of other shapes: several kernels, results, temporaries, tensors of higher rank, and
// explicit staging tiles.
#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::program_shape_test {
namespace {

TEST(ProgramShape, SeveralKernelsRunInOrderAndPassTheirResultsOn) {
  TextOptions options;
  options.ranks = 3;
  const TextRun run = run_text(kImports + R"(
@pl.program
class Two:
    @pl.function(type=pl.FunctionType.InCore)
    def split(self, x, low, high):
        t = pl.load(x, [0, 0], [1, 64])
        low = pl.store(pl.minimum(t, 10.0), [0, 0], low)
        high = pl.store(pl.maximum(t, 10.0), [0, 0], high)
        return high, low

    @pl.function(type=pl.FunctionType.InCore)
    def difference(self, a, b, y, factor: pl.Scalar[pl.INT32]):
        y = pl.store((pl.load(a, [0, 0], [1, 64]) - pl.load(b, [0, 0], [1, 64])) * factor, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x, y, factor):
        low = pl.create_tensor([1, 64], dtype=pl.FP32)
        high = pl.create_tensor([1, 64], dtype=pl.FP32)
        big, small = self.split(x, low, high)
        return self.difference(big, small, y, factor)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[3, 1, 64], pl.FP32], y: pl.Out[pl.Tensor[[3, 1, 64], pl.FP32]]):
        for r in pl.range(pld.world_size()):
            self.chip(x[r], y[r], r + 1, device=r)
        return y
)",
                               options);
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(run.plan.tasks.size(), 6u);
  const isa::Array& y = run.arrays.at("y");
  for (std::int64_t i = 0; i < y.elements(); ++i) {
    const auto x = static_cast<double>(i + 1);
    EXPECT_EQ(y.at(i), (std::max(x, 10.0) - std::min(x, 10.0)) * static_cast<double>(i / 64 + 1));
  }
}

/// A one-rank kernel on a [2, 4, 64] input and output.
TextRun run_cube(const std::string& body) {
  const std::string parameters =
      "x: pl.Tensor[[2, 4, 64], pl.FP32], y: pl.InOut[pl.Tensor[[2, 4, 64], pl.FP32]], "
      "n: pl.Scalar[pl.INT32]";
  TextOptions options;
  options.ranks = 1;
  options.input = [](const std::string& name, std::int64_t i) {
    return name == "x" ? static_cast<double>(i) : -1.0;
  };
  return run_text(kImports + "@pl.jit.incore\ndef kern(" + parameters + "):\n" + body +
                      "\n@pl.jit\ndef chip(" + parameters + "):\n    kern(x, y, n)\n" +
                      "\n@pl.jit.host\ndef host(x: pl.Tensor[[2, 4, 64], pl.FP32], "
                      "y: pl.InOut[pl.Tensor[[2, 4, 64], pl.FP32]]):\n    chip(x, y, 2)\n",
                  options);
}

TEST(HigherRank, ABoxIsFlattenedToRowsAndColumns) {
  const TextRun run = run_cube(
      "    t = pl.load(x, [0, 1, 8], [2, 2, 8])\n"
      "    pl.store(t, [0, 2, 16], y)\n");
  ASSERT_TRUE(run.finished()) << run.text();
  const isa::Array& y = run.arrays.at("y");
  for (std::int64_t i = 0; i < 512; ++i) {
    const std::int64_t row = i / 64 % 4;
    const std::int64_t col = i % 64;
    const bool inside = row >= 2 && col >= 16 && col < 24;
    EXPECT_EQ(y.at(i), inside ? static_cast<double>(i - 64 - 8) : -1.0) << i;
  }
}

TEST(HigherRank, ATwoDimensionalTileGoesIntoOnePlane) {
  const TextRun run = run_cube(
      "    t = pl.load(x, [0, 0, 0], [1, 4, 64])\n"
      "    u = pl.tile.full([2, 8], dtype=pl.FP32, value=5.0)\n"
      "    pl.store(t, [1, 0, 0], y)\n"
      "    pl.store(u, [0, 1, 3], y)\n");
  ASSERT_TRUE(run.finished()) << run.text();
  const isa::Array& y = run.arrays.at("y");
  for (std::int64_t i = 0; i < 256; ++i) {
    const bool inside = (i / 64 == 1 || i / 64 == 2) && i % 64 >= 3 && i % 64 < 11;
    EXPECT_EQ(y.at(i), inside ? 5.0 : -1.0);
    EXPECT_EQ(y.at(256 + i), static_cast<double>(i));
  }
}

TEST(HigherRank, APartialBoxMustStayARectangle) {
  const TextRun good = run_cube(
      "    t = pl.load(x, [0, 0, 0], [2, 4, 64], valid_shape=[n - 1, n, 64])\n"
      "    pl.store(t, [1, 1, 0], y)\n");
  ASSERT_TRUE(good.finished()) << good.text();
  EXPECT_EQ(good.arrays.at("y").at(256 + 64), 0.0);
  EXPECT_EQ(good.arrays.at("y").at(256 + 3 * 64 - 1), 127.0);
  EXPECT_EQ(good.arrays.at("y").at(256 + 3 * 64), -1.0);

  const TextRun bad = run_cube(
      "    t = pl.load(x, [0, 0, 0], [2, 4, 64], valid_shape=[n, n, 64])\n"
      "    pl.store(t, [0, 0, 0], y)\n");
  EXPECT_EQ(bad.result.outcome, UntimedResult::Outcome::fault);
  EXPECT_NE(bad.text().find("valid_shape is no rectangle"), std::string::npos) << bad.text();
}

TEST(HigherRank, AnEmptyBoxMovesNothing) {
  const TextRun run = run_cube(
      "    t = pl.load(x, [0, 0, 0], [1, 4, 64], valid_shape=[1, n - 2, 64])\n"
      "    pl.store(t, [0, 0, 0], y)\n");
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(run.arrays.at("y").at(0), -1.0);
}

TEST(StagedTransfer, PutsThroughTheGivenTiles) {
  for (const char* put : {"pld.tile.put(win, right, x, a)", "pld.tile.put(win, right, x, a, b)",
                          "pld.tile.put(win, right, x, a, b, [0, 0], [0, 0], [4, 64])"}) {
    TextOptions options;
    options.ranks = 3;
    const TextRun run = run_text(around("    c = pld.get_comm_ctx(win)\n"
                                        "    right = (pld.rank(c) + 1) % pld.nranks(c)\n"
                                        "    a = pl.tile.create([2, 32], pl.FP32)\n"
                                        "    b = pl.tile.create([2, 32], pl.FP32)\n"
                                        "    " +
                                        std::string(put) + R"(
    pld.system.notify(cell, peer=right, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(cell, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    pld.tile.get(y, pld.rank(c), win, a)
)"),
                                 options);
    ASSERT_TRUE(run.finished()) << put << "\n" << run.text();
    for (std::int64_t i = 0; i < 768; ++i) {
      ASSERT_EQ(run.arrays.at("y").at(i), static_cast<double>((i + 512) % 768 + 1)) << put;
    }
  }
}

}  // namespace
}  // namespace a2a3::interp::program_shape_test
