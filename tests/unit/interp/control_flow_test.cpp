// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::control_flow_test {
namespace {

/// What a one-rank kernel body leaves in column 0 of the first rows of its INT32 output.
std::vector<int> outcome_of(const std::string& body, int rows, std::string* problem = nullptr) {
  TextOptions options;
  options.ranks = 1;
  options.input = [](const std::string&, std::int64_t) { return 0.0; };
  const TextRun run = run_text(around(body, "16", "64", "INT32"), options);
  if (problem != nullptr) *problem = run.text();
  EXPECT_TRUE(run.finished() || problem != nullptr) << run.text();
  std::vector<int> values;
  if (!run.finished()) return values;
  for (int i = 0; i < rows; ++i) {
    values.push_back(static_cast<int>(run.arrays.at("y").at(std::int64_t{i} * 64)));
  }
  return values;
}

TEST(ControlFlow, LoopsNestAndCount) {
  EXPECT_EQ(outcome_of(R"(
    n = 0
    for i in pl.range(4):
        for j in pl.range(i):
            n = n + 10 * i + j
        pl.write(y, [i, 0], n)
)",
                       4),
            (std::vector{0, 10, 51, 144}));
}

TEST(ControlFlow, RangesHaveStartAndStep) {
  EXPECT_EQ(outcome_of(R"(
    n = 0
    for i in pl.range(7, 1, -2):
        pl.write(y, [n, 0], i)
        n = n + 1
    for i in pl.range(2, 9, 3):
        pl.write(y, [n, 0], i)
        n = n + 1
    for i in pl.range(5, 5):
        pl.write(y, [n, 0], 99)
)",
                       7),
            (std::vector{7, 5, 3, 2, 5, 8, 0}));
}

TEST(ControlFlow, BoundsAreReadOnce) {
  EXPECT_EQ(outcome_of(R"(
    n = 3
    count = 0
    for i in pl.range(n):
        n = n + 5
        count = count + 1
    pl.write(y, [0, 0], count)
    pl.write(y, [1, 0], n)
)",
                       2),
            (std::vector{3, 18}));
}

TEST(ControlFlow, BreakAndContinueLeaveTheInnerLoop) {
  EXPECT_EQ(outcome_of(R"(
    n = 0
    for i in pl.range(3):
        for j in pl.range(10):
            if j == 2:
                continue
            if j == 5:
                break
            n = n + 1
        pl.write(y, [i, 0], n)
)",
                       3),
            (std::vector{4, 8, 12}));
}

TEST(ControlFlow, WhileTestsBeforeEveryRound) {
  EXPECT_EQ(outcome_of(R"(
    n = 100
    rounds = 0
    while n > 1:
        n = n // 3
        rounds = rounds + 1
        if rounds == 50:
            break
    pl.write(y, [0, 0], rounds)
    while n > 1:
        rounds = 0
    pl.write(y, [1, 0], n)
)",
                       2),
            (std::vector{4, 1}));
}

TEST(ControlFlow, ElifChainsTakeOneArm) {
  EXPECT_EQ(outcome_of(R"(
    for i in pl.range(5):
        v = 0
        if i < 1:
            v = 10
        elif i < 3:
            v = 20
        elif i == 4:
            v = 30
        else:
            v = 40
        pl.write(y, [i, 0], v)
)",
                       5),
            (std::vector{10, 20, 20, 40, 30}));
}

TEST(ControlFlow, ReturnEndsTheKernel) {
  EXPECT_EQ(outcome_of(R"(
    pl.write(y, [0, 0], 1)
    if r == 0:
        pl.write(y, [1, 0], 2)
        return
    pl.write(y, [2, 0], 3)
)",
                       3),
            (std::vector{1, 2, 0}));
}

TEST(ControlFlow, BothSidesOfAndAreEvaluated) {
  std::string problem;
  (void)outcome_of(R"(
    if r != 0 and 8 // r == 2:
        pl.write(y, [0, 0], 1)
)",
                   1, &problem);
  EXPECT_NE(problem.find("division by zero: 8 // 0"), std::string::npos) << problem;
}

TEST(ControlFlow, ScalarOperatorsFollowTheDevice) {
  EXPECT_EQ(outcome_of(R"(
    a = 7 + r
    b = 2 + r
    pl.write(y, [0, 0], (0 - a) // b)
    pl.write(y, [1, 0], (0 - a) % b)
    pl.write(y, [2, 0], pl.min(a, b))
    pl.write(y, [3, 0], pl.max(a, b))
    pl.write(y, [4, 0], a << b)
    pl.write(y, [5, 0], a >> 1)
    if not a < b and (a >= b or a == 0):
        pl.write(y, [6, 0], -a)
    pl.write(y, [7, 0], ~a)
)",
                       8),
            (std::vector{-3, -1, 2, 7, 28, 3, -7, -8}));
}

TEST(ControlFlow, Int32ScalarsWrapAround) {
  EXPECT_EQ(outcome_of(R"(
    big = pl.cast(r + 2147483647, pl.INT32)
    one = pl.cast(r + 1, pl.INT32)
    pl.write(y, [0, 0], big + one)
)",
                       1),
            (std::vector{-2147483647 - 1}));
}

TEST(ControlFlow, ReadSeesWhatWasWritten) {
  EXPECT_EQ(outcome_of(R"(
    pl.write(y, [0, 0], 5)
    v = pl.read(y, [0, 0])
    for i in pl.range(1, 4):
        v = v * 3
        pl.write(y, [i, 0], v)
    pl.write(cell, [2, 0], 77)
    pl.write(y, [4, 0], pl.read(cell, [2, 0]))
)",
                       5),
            (std::vector{5, 15, 45, 135, 77}));
}

}  // namespace
}  // namespace a2a3::interp::control_flow_test
