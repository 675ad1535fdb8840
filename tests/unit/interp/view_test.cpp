// SPDX-License-Identifier: Apache-2.0
// The operations that lowered programs use to see the same data in another shape.
#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::view_test {
namespace {

TextRun run_one(const std::string& body) {
  TextOptions options;
  options.ranks = 1;
  options.input = [](const std::string& name, std::int64_t i) {
    return name == "x" ? static_cast<double>(i) : -1.0;
  };
  return run_text(around(body), options);
}

double y(const TextRun& run, int row, int col) {
  return run.arrays.at("y").at(row * 64 + col);
}

TEST(Views, SetValidshapeNarrowsAndWidens) {
  const TextRun run = run_one(
      "    t = pl.load(x, [0, 0], [4, 64])\n"
      "    u = pl.tile.set_validshape(t, 2, 3)\n"
      "    pl.store(u, [0, 0], y)\n"
      "    v = pl.tile.set_validshape(u, 3, 2)\n"
      "    pl.store(v, [1, 0], y)\n");
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(y(run, 0, 2), 2);
  EXPECT_EQ(y(run, 0, 3), -1);
  EXPECT_EQ(y(run, 1, 1), 1);
  EXPECT_EQ(y(run, 1, 2), 66);  // from the first store
  EXPECT_EQ(y(run, 3, 1), 129);
}

TEST(Views, ANarrowedTileKeepsItsBlockAliveAndUnchanged) {
  const TextRun run = run_one(
      "    t = pl.load(x, [0, 0], [4, 64])\n"
      "    u = pl.tile.set_validshape(t, 1, 64)\n"
      "    w = pl.add(u, u)\n"  // must not take the place of t
      "    pl.store(t, [0, 0], y)\n"
      "    pl.store(w, [3, 0], y)\n");
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(y(run, 0, 5), 5);
  EXPECT_EQ(y(run, 3, 5), 10);
}

TEST(Views, FillpadFillsWhatIsNotValid) {
  const TextRun run = run_one(
      "    t = pl.load(x, [0, 0], [4, 64], valid_shape=[2, 10])\n"
      "    pl.store(pl.tile.fillpad(t, 7), [0, 0], y)\n");
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(y(run, 1, 9), 73);
  EXPECT_EQ(y(run, 1, 10), 7);
  EXPECT_EQ(y(run, 2, 0), 7);
  EXPECT_EQ(y(run, 3, 63), 7);
}

TEST(Views, FillpadLeavesATileThatIsStillUsed) {
  const TextRun run = run_one(
      "    t = pl.load(x, [0, 0], [4, 64])\n"
      "    u = pl.tile.set_validshape(t, 2, 8)\n"
      "    w = pl.tile.fillpad(u, 7)\n"
      "    pl.store(t, [0, 0], y)\n"
      "    pl.store(pl.tile.set_validshape(w, 3, 64), [0, 0], y)\n"
      "    pl.store(pl.tile.set_validshape(u, 1, 8), [3, 0], y)\n");
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(y(run, 1, 7), 71);
  EXPECT_EQ(y(run, 1, 8), 7);
  EXPECT_EQ(y(run, 2, 0), 7);
  EXPECT_EQ(y(run, 3, 7), 7);    // u
  EXPECT_EQ(y(run, 3, 8), 200);  // t
}

TEST(Views, ReshapeAndDimSeeTheSameBytes) {
  const TextRun run = run_one(
      "    flat = pl.tensor.reshape(x, [1, 256])\n"
      "    n = pl.tensor.dim(flat, 1)\n"
      "    for i in pl.range(0, n, 64):\n"
      "        back = pl.tensor.reshape(y, [n])\n"
      "        t = pl.load(flat, [0, n - 64 - i], [1, 64])\n"
      "        pl.store(t, [i // 64, 0], y)\n"
      "        pl.write(back, [i], pl.read(flat, [0, i]))\n");
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(y(run, 0, 0), 0);
  EXPECT_EQ(y(run, 0, 1), 193);
  EXPECT_EQ(y(run, 3, 0), 192);
  EXPECT_EQ(y(run, 3, 63), 63);
}

TEST(Views, AValidBoxOutsideOfTheTileIsAFault) {
  const std::string body =
      "    t = pl.load(x, [0, 0], [4, 64])\n    u = pl.tile.set_validshape(t, r + 5, 64)\n"
      "    pl.store(u, [0, 0], y)\n";
  const TextRun run = run_one(body);
  EXPECT_EQ(run.result.outcome, UntimedResult::Outcome::fault);
  EXPECT_NE(run.text().find("set_validshape to 5 x 64: the tile has 4 rows and 64 columns"),
            std::string::npos)
      << run.text();
}

TEST(Views, AReshapeToAnotherSizeIsAFault) {
  const TextRun run =
      run_one("    v = pl.tensor.reshape(x, [r + 2, 64])\n    pl.read(v, [0, 0])\n");
  EXPECT_EQ(run.result.outcome, UntimedResult::Outcome::fault);
  EXPECT_NE(run.text().find("from 256 elements to 128"), std::string::npos) << run.text();
}

}  // namespace
}  // namespace a2a3::interp::view_test
