// SPDX-License-Identifier: Apache-2.0
// Slices, assemblies and subscripts of tensors, windows and tiles; clamped loads; arrays.
#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::box_test {
namespace {

constexpr int kCols = 64;

/// A run of one body on [4, 64] FP32; element (row, col) of x on rank r is 1000 r + 64 row + col,
/// of y -1.
TextRun run_on(const std::string& body, std::int64_t ranks = 1) {
  TextOptions options;
  options.ranks = ranks;
  options.input = [](const std::string& name, std::int64_t i) {
    return name == "x" ? static_cast<double>(i / 256 * 1000 + i % 256) : -1.0;
  };
  return run_text(around(body), options);
}

double y(const TextRun& run, int row, int col, int rank = 0) {
  return run.arrays.at("y").at(rank * 256 + row * kCols + col);
}

int x(int row, int col, int rank = 0) {
  return 1000 * rank + row * kCols + col;
}

TEST(Boxes, ASliceOfATensorIsAView) {
  const TextRun run = run_on(R"(
    for i in pl.range(4):
        row = x[3 - i:4 - i, 8:]
        t = pl.load(row, [0, 0], [1, 56])
        y = pl.store(t, [i, 0], y)
    b = pl.slice(y, [2, 8], [2, 56])
    b = pl.store(pl.load(x, [0, 0], [2, 8]), [0, 0], b)
)");
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(y(run, 0, 0), x(3, 8));
  EXPECT_EQ(y(run, 3, 55), x(0, 63));
  EXPECT_EQ(y(run, 1, 56), -1);
  EXPECT_EQ(y(run, 2, 56), x(0, 0));
  EXPECT_EQ(y(run, 3, 63), x(1, 7));
}

TEST(Boxes, AnIndexDropsItsAxis) {
  const TextRun run = run_on(R"(
    row = x[2]
    t = pl.load(row, [16], [8])
    y = pl.store(t, [1, 0], y)
    part = x[3, 32:48]
    u = pl.load(part, [8], [8])
    y[0, 0:8] = part[0:8]
    y = pl.store(u, [0, 8], y)
)");
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(y(run, 1, 0), x(2, 16));
  EXPECT_EQ(y(run, 1, 7), x(2, 23));
  EXPECT_EQ(y(run, 0, 0), x(3, 32));
  EXPECT_EQ(y(run, 0, 7), x(3, 39));
  EXPECT_EQ(y(run, 0, 8), x(3, 40));
  EXPECT_EQ(y(run, 0, 16), -1);
}

TEST(Boxes, TwoIndicesAreAnElement) {
  const TextRun run = run_on(R"(
    y[0, 1] = x[3, r + 2]
    v = x[1, 1]
    y[1, 0] = v
    t = pl.load(x, [0, 0], [4, 64])
    t[2, 5] = 7.0
    y[2, 0] = t[2, 5]
    y[2, 1] = t[2, 6]
)");
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(y(run, 0, 1), x(3, 2));
  EXPECT_EQ(y(run, 1, 0), x(1, 1));
  EXPECT_EQ(y(run, 2, 0), 7);
  EXPECT_EQ(y(run, 2, 1), x(2, 6));
}

TEST(Boxes, AViewKeepsWhatItShowsWhenItsLineRunsAgain) {
  const TextRun run = run_on(R"(
    before = x[0:1, :]
    for i in pl.range(1, 4):
        now = x[i:i + 1, :]
        a = pl.load(before, [0, 0], [1, 64])
        b = pl.load(now, [0, 0], [1, 64])
        y = pl.store(pl.sub(b, a), [i, 0], y)
        before = now
    y = pl.store(pl.load(before, [0, 0], [1, 64]), [0, 0], y)
)");
  ASSERT_TRUE(run.finished()) << run.text();
  for (int row = 1; row < 4; ++row)
    EXPECT_EQ(y(run, row, 9), kCols) << row;
  EXPECT_EQ(y(run, 0, 9), x(3, 9));
}

TEST(Boxes, ASliceOfATileIsACopy) {
  const TextRun run = run_on(R"(
    t = pl.load(x, [0, 0], [4, 64])
    box = t[1:3, 8:24]
    t[1, 8] = -5.0
    y = pl.store(box, [0, 0], y)
    col = t[0:4, 3:4]
    cols = pl.tile.create([4, 8], pl.FP32)
    row = t[2]
    y[2, 0:8] = y[0, 0:8]
    y = pl.store(row, [3, 0], y)
)");
  EXPECT_FALSE(run.finished());
  // A column of four FP32 is no aligned tile.
  EXPECT_NE(run.text().find("pto.alloc_tile requires the column"), std::string::npos) << run.text();

  const TextRun good = run_on(R"(
    t = pl.load(x, [0, 0], [4, 64])
    box = t[1:3, 8:24]
    t[1, 8] = -5.0
    y = pl.store(box, [0, 0], y)
    row = t[2]
    y = pl.store(row, [3, 0], y)
)");
  ASSERT_TRUE(good.finished()) << good.text();
  EXPECT_EQ(y(good, 0, 0), x(1, 8));
  EXPECT_EQ(y(good, 1, 15), x(2, 23));
  EXPECT_EQ(y(good, 0, 16), -1);
  EXPECT_EQ(y(good, 3, 63), x(2, 63));
}

TEST(Boxes, AColumnWhoseAxisIsDroppedLiesSideBySide) {
  TextOptions options;
  options.ranks = 1;
  const TextRun run = run_text(around(R"(
    t = pl.load(x, [0, 0], [16, 16])
    col = t[0:16, 3]
    t[8:16, 5] = t[0:8, 1]
    y[0, :] = pl.add(x[0, :], 0.0)
    y = pl.store(col, [1, 0], y)
    y = pl.store(t[8:16, :], [8, 0], y)
)",
                                      "16", "16"),
                               options);
  ASSERT_TRUE(run.finished()) << run.text();
  const auto& out = run.arrays.at("y");
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(out.at(16 + i), i * 16 + 3 + 1);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(out.at((8 + i) * 16 + 5), i * 16 + 1 + 1);
  EXPECT_EQ(out.at(8 * 16 + 4), 8 * 16 + 4 + 1);
}

TEST(Boxes, TheValidBoxOfATileIsCutWithIt) {
  const TextRun run = run_on(R"(
    t = pl.load(x, [0, 0], [4, 64], valid_shape=[2, 20])
    y = pl.store(t[1:3, 16:32], [0, 0], y)
)");
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(y(run, 0, 3), x(1, 19));
  EXPECT_EQ(y(run, 0, 4), -1);
  EXPECT_EQ(y(run, 1, 0), -1);
}

TEST(Boxes, AssembleWritesABox) {
  const TextRun run = run_on(R"(
    t = pl.load(x, [0, 0], [4, 64])
    u = pl.load(x, [2, 8], [2, 16])
    t = pl.assemble(t, u, [1, 24])
    t[0, 0:8] = u[1, 8:16]
    y = pl.store(t, [0, 0], y)
)");
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(y(run, 1, 23), x(1, 23));
  EXPECT_EQ(y(run, 1, 24), x(2, 8));
  EXPECT_EQ(y(run, 2, 39), x(3, 23));
  EXPECT_EQ(y(run, 2, 40), x(2, 40));
  EXPECT_EQ(y(run, 0, 0), x(3, 16));
  EXPECT_EQ(y(run, 0, 8), x(0, 8));
}

TEST(Boxes, ATileTakesAnotherShape) {
  const TextRun run = run_on(R"(
    t = pl.load(x, [0, 0], [4, 64])
    u = pl.tile.reshape(t, [2, 128])
    y = pl.store(u[1:2, 64:128], [0, 0], y)
    v = pl.reshape(x, [256])
    y = pl.store(pl.load(v, [100], [8]), [1, 0], y)
)");
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(y(run, 0, 0), 192);
  EXPECT_EQ(y(run, 0, 63), 255);
  EXPECT_EQ(y(run, 1, 7), 107);
}

TEST(Boxes, ClampLeavesOutWhatLiesBehindTheEnd) {
  const TextRun run = run_on(R"(
    for c in pl.range(0, 64, 24):
        t = pl.load(x, [2, c], [4, 24], clamp=True)
        y = pl.store(t, [2, c], y)
    u = pl.load(x, [r + 7, 0], [2, 64], clamp=True)
    y = pl.store(u, [0, 0], y)
)");
  ASSERT_TRUE(run.finished()) << run.text();
  for (int col = 0; col < kCols; ++col) {
    EXPECT_EQ(y(run, 0, col), -1);
    EXPECT_EQ(y(run, 2, col), x(2, col));
    EXPECT_EQ(y(run, 3, col), x(3, col));
  }
}

TEST(Boxes, WindowsAreSlicedOnBothSides) {
  for (const std::int64_t ranks : {1, 2, 3, 4, 5, 7, 8}) {
    // Row r % 4 of the right neighbour's window gets row 1 of x, its cell [r % 4] a credit.
    const TextRun run = run_on(R"(
    p = pld.nranks(pld.get_comm_ctx(win))
    right = (r + 1) % p
    left = (r + p - 1) % p
    pld.tensor.put(win[r % 4:r % 4 + 1, 16:48], right, x[1:2, 16:48])
    pld.system.notify(cell[r % 4], right, [0], 1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(cell[left % 4:left % 4 + 1, :], [0, 0], 1, cmp=pld.WaitCmp.Ge)
    y[0:1, 16:48] = win[left % 4:left % 4 + 1, 16:48]
    back = pld.tile.remote_load(win[r % 4], right, [32], [8])
    y = pl.store(back, [3, 0], y)
)",
                               ranks);
    ASSERT_TRUE(run.finished()) << run.text();
    for (int rank = 0; rank < ranks; ++rank) {
      const int left = static_cast<int>((rank + ranks - 1) % ranks);
      EXPECT_EQ(y(run, 0, 16, rank), x(1, 16, left)) << ranks;
      EXPECT_EQ(y(run, 0, 47, rank), x(1, 47, left)) << ranks;
      EXPECT_EQ(y(run, 0, 48, rank), -1);
      EXPECT_EQ(y(run, 3, 7, rank), x(1, 39, rank)) << ranks;
    }
  }
}

TEST(Boxes, ACollectiveTakesASlice) {
  for (const std::int64_t ranks : {1, 2, 3, 5, 8}) {
    const TextRun run = run_on(R"(
    win[1:2, :] = x[2:3, :]
    part = win[1:2, :]
    part = pld.tensor.broadcast(part, cell[0:4, :], root=0)
    y[3:4, :] = part
)",
                               ranks);
    if (ranks > 4) {
      EXPECT_FALSE(run.finished());  // four cells for more ranks
      continue;
    }
    ASSERT_TRUE(run.finished()) << run.text();
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(y(run, 3, 5, rank), x(2, 5, 0));
  }
}

TEST(Boxes, FaultsNameTheBox) {
  const TextRun slice = run_on("    t = pl.load(x[r + 4:r + 5, :], [0, 0], [1, 64])\n");
  EXPECT_NE(slice.text().find("slice takes"), std::string::npos) << slice.text();
  const TextRun tile = run_on(
      "    t = pl.load(x, [0, 0], [4, 64])\n    u = t[r + 3:r + 5, 0:8]\n"
      "    y = pl.store(u, [0, 0], y)\n");
  EXPECT_NE(tile.text().find("slice takes 3 to 5 of dimension 0, the tile has 4"),
            std::string::npos)
      << tile.text();
  const TextRun reshape = run_on("    v = pl.tensor.reshape(x[:, 0:32], [128])\n");
  EXPECT_NE(reshape.text().find("target shape reinterpret requires a packed source"),
            std::string::npos)
      << reshape.text();
  const TextRun narrowed = run_on(
      "    t = pl.load(x, [0, 0], [4, 64], valid_shape=[2, 20])\n"
      "    u = pl.tile.reshape(t, [2, 128])\n    y = pl.store(u[:, 0:64], [0, 0], y)\n");
  EXPECT_NE(narrowed.text().find("reshape of a tile whose valid box is 2 x 20 of 4 x 64"),
            std::string::npos)
      << narrowed.text();
  const TextRun array = run_on("    a = pl.array.create(4, pl.INT32)\n    a[r + 4] = 1\n");
  EXPECT_NE(array.text().find("write at index 4 of an array of 4 elements"), std::string::npos)
      << array.text();
}

TEST(Boxes, ArraysHoldScalars) {
  for (const std::int64_t ranks : {1, 2, 3, 4, 5, 7, 8}) {
    TextOptions options;
    options.ranks = ranks;
    const TextRun run = run_text(around(R"(
    fib = pl.array.create(20, pl.INT32)
    fib[1] = 1
    for i in pl.range(2, 20):
        fib[i] = fib[i - 1] + fib[i - 2]
    pl.write(y, [0, 0], fib[r + 10])
    kept = fib
    for i in pl.range(3):
        last = pl.array.create(2, pl.INDEX)
        pl.write(y, [0, 1], last[0])
        last[0] = i + 5
        if i == 1:
            kept = pl.array.create(20, pl.INT32)
            kept[7] = 70
    pl.write(y, [0, 2], last[0])
    pl.write(y, [0, 3], kept[7])
    pl.write(y, [0, 4], fib[7])
)",
                                        "1", "8", "INT32"),
                                 options);
    ASSERT_TRUE(run.finished()) << run.text();
    const std::vector<double> fib{0,  1,  1,   2,   3,   5,   8,   13,   21,   34,
                                  55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181};
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const auto& out = run.arrays.at("y");
      EXPECT_EQ(out.at(rank * 8), fib[static_cast<std::size_t>(rank + 10)]);
      EXPECT_EQ(out.at(rank * 8 + 1), 0);
      EXPECT_EQ(out.at(rank * 8 + 2), 7);
      EXPECT_EQ(out.at(rank * 8 + 3), 70);
      EXPECT_EQ(out.at(rank * 8 + 4), 13);
    }
  }
}

}  // namespace
}  // namespace a2a3::interp::box_test
