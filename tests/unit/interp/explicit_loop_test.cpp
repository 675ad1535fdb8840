// SPDX-License-Identifier: Apache-2.0
// The explicit form of loops and branches (init_values, pl.while_, pl.yield_), pl.pipeline, and the
// ways out of a loop: every kernel writes what it computed into row 0 of y, on each rank.
#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::explicit_loop_test {
namespace {

using Values = std::vector<std::int64_t>;

/// The first `count` elements of y on each of `ranks` ranks after a kernel with this body.
std::vector<Values> written(const std::string& body, std::int64_t ranks, std::int64_t count) {
  TextOptions options;
  options.ranks = ranks;
  const TextRun run = run_text(around(body, "1", "8", "INT32"), options);
  EXPECT_TRUE(run.finished()) << run.text();
  std::vector<Values> result;
  for (std::int64_t rank = 0; run.finished() && rank < ranks; ++rank) {
    Values& values = result.emplace_back();
    for (std::int64_t i = 0; i < count; ++i)
      values.push_back(static_cast<std::int64_t>(run.arrays.at("y").at(rank * 8 + i)));
  }
  return result;
}

Values on_one_rank(const std::string& body, std::int64_t count) {
  const auto all = written(body, 1, count);
  return all.empty() ? Values{} : all[0];
}

TEST(ExplicitLoop, YieldCarriesTheValueAndKeepsTheInitialName) {
  EXPECT_EQ(on_one_rank(R"(
    s0 = 100
    for i, (s,) in pl.range(1, 5, 1, init_values=(s0,)):
        t = s + i
        total = pl.yield_(t)
    pl.write(y, [0, 0], total)
    pl.write(y, [0, 1], s0)
)",
                        2),
            (Values{110, 100}));
}

TEST(ExplicitLoop, SeveralValuesAreYieldedAtOnce) {
  EXPECT_EQ(on_one_rank(R"(
    for i, (a, b) in pl.range(0, 10, 1, init_values=(0, 1)):
        u, v = pl.yield_(b, a + b)
    pl.write(y, [0, 0], u)
    pl.write(y, [0, 1], v)
)",
                        2),
            (Values{55, 89}));
}

TEST(ExplicitLoop, TheIndexBehindTheLastOneNeedNotFit) {
  EXPECT_EQ(on_one_rank(R"(
    up = 0
    for i in pl.range(1, 4, 9223372036854775807):
        up = up + 1
    for i in pl.range(9223372036854775806, 9223372036854775807, 5):
        up = up + 10
    for i in pl.range(-9223372036854775807, 9223372036854775807, 9223372036854775807):
        up = up + 100
    down = 0
    for i in pl.range(4, -9223372036854775807, -9223372036854775807):
        down = down + 1
    pl.write(y, [0, 0], up)
    pl.write(y, [0, 1], down)
)",
                        2),
            (Values{211, 2}));
}

TEST(ExplicitLoop, SwapsDoNotMixUp) {
  EXPECT_EQ(on_one_rank(R"(
    for i, (a, b) in pl.range(0, 3, 1, init_values=(1, 2)):
        a, b = pl.yield_(b, a)
    pl.write(y, [0, 0], a)
    pl.write(y, [0, 1], b)
)",
                        2),
            (Values{2, 1}));
}

TEST(ExplicitLoop, ALoopThatDoesNotRunYieldsTheInitialValues) {
  EXPECT_EQ(on_one_rank(R"(
    for i, (a,) in pl.range(3, 3, 1, init_values=(7,)):
        v = pl.yield_(a + 1)
    for (b,) in pl.while_(init_values=(8,)):
        pl.cond(b < 0)
        w = pl.yield_(b + 1)
    pl.write(y, [0, 0], v)
    pl.write(y, [0, 1], w)
)",
                        2),
            (Values{7, 8}));
}

TEST(ExplicitLoop, BothArmsOfABranchYield) {
  EXPECT_EQ(on_one_rank(R"(
    for i, (a,) in pl.range(0, 6, 1, init_values=(0,)):
        if i < 2:
            step, twice = pl.yield_(1, 2)
        elif i < 4:
            step, twice = pl.yield_(10, 20)
        else:
            step, twice = pl.yield_(100, 200)
        v = pl.yield_(a + step)
    pl.write(y, [0, 0], v)
    pl.write(y, [0, 1], twice)
)",
                        2),
            (Values{222, 200}));
}

TEST(ExplicitLoop, AnArmThatLeavesNeedsNoYield) {
  EXPECT_EQ(on_one_rank(R"(
    pl.write(y, [0, 1], 0)
    for i in pl.range(6):
        if i == 3:
            pl.write(y, [0, 1], 77)
            break
        else:
            v = pl.yield_(i * 2)
        pl.write(y, [0, 0], v)
)",
                        2),
            (Values{4, 77}));
}

TEST(ExplicitLoop, WhileTestsItsConditionBeforeEachIteration) {
  EXPECT_EQ(on_one_rank(R"(
    for (v,) in pl.while_(init_values=(1,)):
        pl.cond(v < 100)
        z = v * 3
        v = pl.yield_(z)
    pl.write(y, [0, 0], v)
    for (a, b) in pl.while_(init_values=(0, 1)):
        pl.cond(b < 50 and a >= 0)
        c, d = pl.yield_(b, a + b)
    pl.write(y, [0, 1], c)
    pl.write(y, [0, 2], d)
)",
                        3),
            (Values{243, 34, 55}));
}

TEST(ExplicitLoop, WhileCanBeLeftAndContinued) {
  EXPECT_EQ(on_one_rank(R"(
    odd = 0
    i = 0
    while i < 100:
        i = i + 1
        if i % 2 == 0:
            continue
        if i > 9:
            break
        odd = odd + i
    pl.write(y, [0, 0], odd)
    pl.write(y, [0, 1], i)
    for (n,) in pl.while_(init_values=(0,)):
        pl.cond(n < 100)
        if n == 5:
            break
        n = pl.yield_(n + 1)
    pl.write(y, [0, 2], n)
)",
                        3),
            (Values{25, 11, 5}));
}

TEST(ExplicitLoop, LoopsNestWithTheirOwnBreaks) {
  EXPECT_EQ(on_one_rank(R"(
    count = 0
    for i in pl.range(4):
        for j in pl.range(10):
            if j > i:
                break
            if j == 1:
                continue
            count = count + 1
        if i == 2:
            break
    pl.write(y, [0, 0], count)
)",
                        1),
            (Values{1 + 1 + 2}));
}

TEST(ExplicitLoop, PipelineRunsItsIterationsInOrder) {
  EXPECT_EQ(on_one_rank(R"(
    v = 0
    for i in pl.pipeline(1, 8, 2, stage=2):
        v = v * 10 + i
    pl.write(y, [0, 0], v)
    for i, (a,) in pl.pipeline(4, stage=3, init_values=(5,)):
        w = pl.yield_(a + i)
    pl.write(y, [0, 1], w)
)",
                        2),
            (Values{1357, 11}));
}

TEST(ExplicitLoop, AReturnInABranchEndsTheKernel) {
  EXPECT_EQ(on_one_rank(R"(
    for i in pl.range(8):
        pl.write(y, [0, i], 100 + i)
        if i == 2:
            return
    pl.write(y, [0, 0], 0)
)",
                        4),
            (Values{100, 101, 102, 4}));
}

TEST(ExplicitLoop, EachRankTakesItsOwnWay) {
  for (const std::int64_t ranks : {1, 2, 3, 4, 5, 7, 8}) {
    const auto all = written(R"(
    p = pld.nranks(pld.get_comm_ctx(win))
    for (n, steps) in pl.while_(init_values=(r * 3 + 1, 0)):
        pl.cond(n != 1)
        if n % 2 == 0:
            m = pl.yield_(n // 2)
        else:
            m = pl.yield_(3 * n + 1)
        n, steps = pl.yield_(m, steps + 1)
    pl.write(y, [0, 0], steps)
    pl.write(y, [0, 1], p)
    if r == p - 1:
        return
    pl.write(y, [0, 1], -1)
    pld.system.notify(cell, peer=r, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
)",
                             ranks, 2);
    ASSERT_EQ(static_cast<std::int64_t>(all.size()), ranks);
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      std::int64_t steps = 0;
      for (std::int64_t n = rank * 3 + 1; n != 1; ++steps)
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
      const std::int64_t last = rank == ranks - 1 ? ranks : -1;
      EXPECT_EQ(all[static_cast<std::size_t>(rank)], (Values{steps, last})) << rank << "/" << ranks;
    }
  }
}

TEST(ExplicitLoop, TilesAreCarried) {
  const auto all = written(R"(
    t = pl.load(x, [0, 0], [1, 8])
    for i, (acc, other) in pl.range(3, init_values=(t, t)):
        if i == 1:
            next = pl.yield_(pl.add(acc, other))
        else:
            next = pl.yield_(pl.mul(acc, 2))
        acc, other = pl.yield_(next, acc)
    y = pl.store(acc, [0, 0], y)
)",
                           1, 2);
  // x = 1, 2: doubled 2, 4; plus the former 3, 6; doubled 6, 12.
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0], (Values{6, 12}));
}

}  // namespace
}  // namespace a2a3::interp::explicit_loop_test
