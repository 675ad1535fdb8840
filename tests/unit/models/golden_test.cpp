// SPDX-License-Identifier: Apache-2.0
#include "models/golden.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace a2a3::models::golden_test {
namespace {

using isa::Array;
using isa::DType;

Array array(DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& values) {
  Array result(dtype, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i)
    result.set(static_cast<std::int64_t>(i), values[i]);
  return result;
}

std::vector<double> values(const Array& a) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < a.elements(); ++i)
    result.push_back(a.at(i));
  return result;
}

/// Three ranks: x[r] = [10r, 10r+1], m[r] is 3x2 with 100r + 10row + col, w[r] = r + 1, shared s.
class GoldenTest : public testing::Test {
 protected:
  GoldenTest() {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 2; ++c)
        x_.set(2 * r + c, 10 * r + c);
      for (int i = 0; i < 6; ++i)
        m_.set(6 * r + i, 100 * r + 10 * (i / 2) + i % 2);
      w_.set(r, r + 1);
    }
    scope_.ranks = 3;
    scope_.tensors = {{"x", &x_}, {"m", &m_}, {"w", &w_}, {"s", &s_}};
    scope_.settings = {{"SIZE", 2}, {"ROOT", 1}};
  }

  std::vector<double> evaluate(const std::string& text, std::vector<std::int64_t> slice,
                               DType dtype = DType::fp32) {
    slice.insert(slice.begin(), 3);
    ir::Diagnostics diagnostics;
    const auto golden = Golden::parse(text, "y", diagnostics);
    if (!golden) {
      ADD_FAILURE() << format(diagnostics);
      return {};
    }
    const auto result = golden->evaluate(scope_, dtype, slice, diagnostics);
    if (!result) {
      ADD_FAILURE() << text << "\n" << format(diagnostics);
      return {};
    }
    EXPECT_EQ(result->shape, slice);
    return values(*result);
  }

  /// One number per rank.
  std::vector<double> scalars(const std::string& text) { return evaluate(text, {1}); }

  /// The first error's message and column.
  std::pair<std::string, std::uint32_t> error(const std::string& text,
                                              std::vector<std::int64_t> slice = {1, 2},
                                              const GoldenLimits& limits = {}) {
    slice.insert(slice.begin(), 3);
    ir::Diagnostics diagnostics;
    const auto golden = Golden::parse(text, "y", diagnostics);
    if (golden) {
      EXPECT_FALSE(golden->evaluate(scope_, DType::fp32, slice, diagnostics, limits)) << text;
    }
    if (!diagnostics.has_errors()) {
      ADD_FAILURE() << text << ": no error";
      return {};
    }
    const ir::Diagnostic& first = diagnostics.all().front();
    return {first.message, first.location.column};
  }

  Array x_{DType::fp32, {3, 1, 2}};
  Array m_{DType::fp32, {3, 3, 2}};
  Array w_{DType::fp32, {3, 1}};
  Array s_ = array(DType::fp32, {2}, {5, 7});
  GoldenScope scope_;
};

using Values = std::vector<double>;

TEST_F(GoldenTest, SlicesOfRanks) {
  EXPECT_EQ(evaluate("x", {1, 2}), (Values{0, 1, 10, 11, 20, 21}));
  EXPECT_EQ(evaluate("x[r]", {1, 2}), (Values{0, 1, 10, 11, 20, 21}));
  EXPECT_EQ(evaluate("x[(r + 1) % P]", {1, 2}), (Values{10, 11, 20, 21, 0, 1}));
  EXPECT_EQ(evaluate("x[(r - 1) % P]", {1, 2}), (Values{20, 21, 0, 1, 10, 11}));
  EXPECT_EQ(evaluate("x[r - 1]", {1, 2}), (Values{20, 21, 0, 1, 10, 11}));
  EXPECT_EQ(evaluate("x[ROOT]", {1, 2}), (Values{10, 11, 10, 11, 10, 11}));
}

TEST_F(GoldenTest, SubscriptsInsideASlice) {
  EXPECT_EQ(evaluate("m[r][1]", {2}), (Values{10, 11, 110, 111, 210, 211}));
  EXPECT_EQ(evaluate("m[r, 1]", {2}), (Values{10, 11, 110, 111, 210, 211}));
  EXPECT_EQ(evaluate("m[r, 1, 0:1]", {1}), (Values{10, 110, 210}));
  EXPECT_EQ(evaluate("m[r][0:2, 1]", {2}), (Values{1, 11, 101, 111, 201, 211}));
  EXPECT_EQ(evaluate("m[0][1:]", {2, 2}), (Values{10, 11, 20, 21, 10, 11, 20, 21, 10, 11, 20, 21}));
  EXPECT_EQ(evaluate("m[0][-1]", {2}), (Values{20, 21, 20, 21, 20, 21}));
  EXPECT_EQ(scalars("m[2, r, 0]"), (Values{200, 210, 220}));
  EXPECT_EQ(evaluate("m[:, r]", {3, 2}), (Values{0, 1, 100, 101, 200, 201, 10, 11, 110, 111, 210,
                                                 211, 20, 21, 120, 121, 220, 221}));
}

TEST_F(GoldenTest, GathersInRankOrder) {
  const Values all = {0, 1, 10, 11, 20, 21};
  Values three = all;
  for (int i = 0; i < 2; ++i)
    three.insert(three.end(), all.begin(), all.end());
  EXPECT_EQ(evaluate("concat(x)", {1, 6}), three);
  EXPECT_EQ(evaluate("concat(x)", {6}), three);
  EXPECT_EQ(evaluate("stack(x)", {3, 2}), three);
  EXPECT_EQ(evaluate("concat(x, axis=0)", {3, 2}), three);
  EXPECT_EQ(evaluate("concat(x, 0)", {3, 2}), three);
  EXPECT_EQ(evaluate("whole(x)", {3, 2}), three);
  EXPECT_EQ(evaluate("reshape(whole(x), 6)", {6}), three);
  EXPECT_EQ(evaluate("concat(w[k])", {3}), (Values{1, 2, 3, 1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(evaluate("concat(x) * w[0]", {1, 6}), three);
}

TEST_F(GoldenTest, Reductions) {
  EXPECT_EQ(evaluate("sum(x)", {1, 2}), (Values{30, 33, 30, 33, 30, 33}));
  EXPECT_EQ(evaluate("max(x)", {1, 2}), (Values{20, 21, 20, 21, 20, 21}));
  EXPECT_EQ(evaluate("min(x)", {1, 2}), (Values{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(scalars("prod(w)"), (Values{6, 6, 6}));
  EXPECT_EQ(scalars("sum(k)"), (Values{3, 3, 3}));
  EXPECT_EQ(scalars("sum(w * w) / P"), (Values{14.0F / 3, 14.0F / 3, 14.0F / 3}));
  EXPECT_EQ(evaluate("x / sum(w)", {1, 2}, DType::int32), (Values{0, 0, 2, 2, 3, 4}));
}

TEST_F(GoldenTest, CollectivesOfTheLadder) {
  // reduce_scatter: rank r gets the sum over ranks of their row r.
  EXPECT_EQ(evaluate("sum(m[k][r])", {2}), (Values{300, 303, 330, 333, 360, 363}));
  EXPECT_EQ(evaluate("sum(m[k, r])", {2}), (Values{300, 303, 330, 333, 360, 363}));
  // all_to_all: row r of every rank, in rank order.
  EXPECT_EQ(evaluate("stack(m[k][r])", {3, 2}), (Values{0, 1, 100, 101, 200, 201, 10, 11, 110, 111,
                                                        210, 211, 20, 21, 120, 121, 220, 221}));
  // an exclusive scan
  EXPECT_EQ(scalars("sum(where(k < r, w, 0))"), (Values{0, 1, 3}));
}

TEST_F(GoldenTest, PythonArithmetic) {
  EXPECT_EQ(scalars("-7 // 2"), (Values{-4, -4, -4}));
  EXPECT_EQ(scalars("-7 % 3"), (Values{2, 2, 2}));
  EXPECT_EQ(scalars("7 % -3"), (Values{-2, -2, -2}));
  EXPECT_EQ(scalars("7 / 2"), (Values{3.5, 3.5, 3.5}));
  EXPECT_EQ(scalars("r * 2 + P - rank - nranks"), (Values{0, 1, 2}));
  EXPECT_EQ(scalars("(r > 0) + (r >= 2) + (r != 1)"), (Values{1, 1, 3}));
  EXPECT_EQ(scalars("r == 1 or r < 1"), (Values{1, 1, 0}));
  EXPECT_EQ(scalars("r == 1 and not r == 2"), (Values{0, 1, 0}));
}

TEST_F(GoldenTest, Functions) {
  EXPECT_EQ(scalars("where(r == ROOT, 5, -5)"), (Values{-5, 5, -5}));
  EXPECT_EQ(scalars("abs(r - 1)"), (Values{1, 0, 1}));
  EXPECT_EQ(scalars("max(r, 1)"), (Values{1, 1, 2}));
  EXPECT_EQ(scalars("min(r, 1, P)"), (Values{0, 1, 1}));
  for (const char* text : {"max(0/0.0, 1)", "max(1, 0/0.0)", "min(0/0.0, 1)", "min(1, 2, 0/0.0)",
                           "max(where(k == 1, 0/0.0, k))", "min(where(k == 0, 0/0.0, k))"}) {
    for (const double value : scalars(text))
      EXPECT_TRUE(std::isnan(value)) << text;
  }
  EXPECT_EQ(scalars("sqrt(w) * sqrt(w) > 0"), (Values{1, 1, 1}));
  EXPECT_EQ(scalars("log(exp(0))"), (Values{0, 0, 0}));
  EXPECT_EQ(scalars("cast(2049, FP16)"), (Values{2048, 2048, 2048}));
  EXPECT_EQ(scalars("cast(300, pl.INT8)"), (Values{44, 44, 44}));
  EXPECT_EQ(evaluate("arange(P) == r", {3}), (Values{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(evaluate("zeros(SIZE)", {2}), Values(6, 0));
  EXPECT_EQ(evaluate("full(r, 1, 2)", {1, 2}), (Values{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(evaluate("ones((1, 2)) + r", {1, 2}), (Values{1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(evaluate("transpose(m[0])[1]", {3}), (Values{1, 11, 21, 1, 11, 21, 1, 11, 21}));
  EXPECT_EQ(evaluate("reshape(m[0], 2, 3)[1]", {3}), (Values{11, 20, 21, 11, 20, 21, 11, 20, 21}));
  EXPECT_EQ(scalars("size(m) * 10 + size(m, 0) + size(whole(m), axis=-1)"), (Values{65, 65, 65}));
}

TEST_F(GoldenTest, MatrixProducts) {
  // m[r] @ transpose(m[r]): element (i, j) is m[r][i] . m[r][j].
  const Values product = evaluate("matmul(m, transpose(m))", {3, 3});
  for (std::int64_t r = 0; r < 3; ++r) {
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < 3; ++j) {
        double expected = 0;
        for (std::int64_t c = 0; c < 2; ++c)
          expected += m_.at(6 * r + 2 * i + c) * m_.at(6 * r + 2 * j + c);
        EXPECT_EQ(product[static_cast<std::size_t>(9 * r + 3 * i + j)], expected);
      }
    }
  }
  EXPECT_EQ(evaluate("matmul(x, zeros(2, 4))", {1, 4}), Values(12, 0));
  EXPECT_EQ(evaluate("matmul(zeros(2, 0), zeros(0, 2))", {2, 2}), Values(12, 0));
  // Split along the inner dimension over the ranks.
  EXPECT_EQ(evaluate("sum(matmul(reshape(x, 2, 1), x))", {2, 2}),
            (Values{500, 530, 530, 563, 500, 530, 530, 563, 500, 530, 530, 563}));
}

TEST_F(GoldenTest, ReductionsAlongAnAxis) {
  EXPECT_EQ(evaluate("reduce_sum(m[0], axis=1)", {3, 1}),
            (Values{1, 21, 41, 1, 21, 41, 1, 21, 41}));
  EXPECT_EQ(evaluate("reduce_sum(m[0], -1)", {3}), (Values{1, 21, 41, 1, 21, 41, 1, 21, 41}));
  EXPECT_EQ(evaluate("reduce_sum(m, 0)", {1, 2}), (Values{30, 33, 330, 333, 630, 633}));
  EXPECT_EQ(scalars("reduce_sum(m[0])"), Values(3, 63));
  EXPECT_EQ(evaluate("reduce_max(m, 0) - reduce_min(m, 0)", {1, 2}), Values(6, 20));
  EXPECT_EQ(scalars("reduce_max(whole(w)) * 10 + reduce_min(w)"), (Values{31, 32, 33}));
  // The axis stays, so that the result fits under what it was made of.
  EXPECT_EQ(evaluate("m[0] - reduce_max(m[0], 1)", {3, 2}),
            (Values{-1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0}));
  EXPECT_EQ(evaluate("reduce_sum(stack(m), 1)", {3, 1, 2})[2], 330);
  for (const char* text : {"reduce_max(join(0, 0/0.0, 2))", "reduce_min(join(0/0.0, 1))"}) {
    for (const double value : scalars(text))
      EXPECT_TRUE(std::isnan(value)) << text;
  }
}

TEST_F(GoldenTest, PiecesOfOneRankAreJoined) {
  EXPECT_EQ(evaluate("join(x, 2 * x)", {1, 4}),
            (Values{0, 1, 0, 2, 10, 11, 20, 22, 20, 21, 40, 42}));
  EXPECT_EQ(evaluate("join(x, m[0], axis=0)", {4, 2}).size(), 24u);
  EXPECT_EQ(evaluate("join(m[0][1:], x, axis=-2)", {3, 2}),
            (Values{10, 11, 20, 21, 0, 1, 10, 11, 20, 21, 10, 11, 10, 11, 20, 21, 20, 21}));
  EXPECT_EQ(evaluate("join(m[0], zeros(3, 1))", {3, 3})[3], 10);
  EXPECT_EQ(evaluate("join(r, P)", {2}), (Values{0, 3, 1, 3, 2, 3}));
  EXPECT_EQ(evaluate("join(x)", {1, 2}), (Values{0, 1, 10, 11, 20, 21}));
}

/// Values whose sums round differently in every order.
class ReplayTest : public GoldenTest {
 protected:
  static constexpr std::int64_t kElements = 5;

  static Array inputs(DType dtype) {
    Array result(dtype, {3, 1, kElements});
    for (std::int64_t i = 0; i < result.elements(); ++i)
      result.set(i, std::exp2(static_cast<double>(i * 7 % 12)) / 3);
    return result;
  }
  /// The sum of element i over the ranks in this order, each step rounded.
  static double added(const Array& x, std::int64_t i, const std::vector<std::int64_t>& ranks) {
    Array sum(x.dtype, {1});
    sum.set(0, x.at(ranks[0] * kElements + i));
    for (std::size_t k = 1; k < ranks.size(); ++k)
      sum.set(0, sum.at(0) + x.at(ranks[k] * kElements + i));
    return sum.at(0);
  }
  Values replayed(const std::string& text, const char* schedule, const Array& x,
                  ScheduleForm form = ScheduleForm::hand) {
    scope_.tensors = {{"x", &x}};
    scope_.order = reduction_order(schedule, form, x.dtype);
    return evaluate(text, {1, kElements}, x.dtype);
  }
};

TEST_F(ReplayTest, SumsInTheOrderOfTheSchedule) {
  using Order = std::vector<std::int64_t>;
  const std::vector<Order> own_first = {{0, 1, 2}, {1, 0, 2}, {2, 0, 1}};
  const std::vector<Order> ring = {{1, 2, 0}, {2, 0, 1}, {0, 1, 2}};
  // Five elements in three segments: 0 | 1 2 | 3 4.
  const std::vector<std::size_t> owner = {0, 1, 1, 2, 2};
  for (const DType dtype : {DType::fp32, DType::fp16, DType::bf16}) {
    const Array x = inputs(dtype);
    const Values mesh = replayed("sum(x)", "allreduce.mesh", x);
    const Values scatter = replayed("sum(x)", "reduce_scatter", x);
    const Values two_phase = replayed("sum(x)", "allreduce.two_phase", x);
    const Values round = replayed("sum(x)", "allreduce.ring", x);
    // Whole blocks of 16: the first rank's segment ends behind all five elements.
    const Values blocks = replayed("sum(x)", "allreduce.ring", x, ScheduleForm::in_core);
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::int64_t i = 0; i < kElements; ++i) {
        const std::size_t at = r * kElements + static_cast<std::size_t>(i);
        const std::size_t s = owner[static_cast<std::size_t>(i)];
        EXPECT_EQ(mesh[at], added(x, i, own_first[r]));
        EXPECT_EQ(scatter[at], mesh[at]);
        EXPECT_EQ(two_phase[at], added(x, i, own_first[s]));
        EXPECT_EQ(round[at], added(x, i, ring[s]));
        EXPECT_EQ(blocks[at], added(x, i, ring[dtype == DType::fp32 ? s : 0]));
      }
    }
    EXPECT_NE(mesh, round) << "the inputs must tell the orders apart";
    EXPECT_NE(mesh, two_phase);
  }
}

TEST_F(ReplayTest, OperandsAndResultsOfTheSumAreRounded) {
  const Array x = inputs(DType::fp16);
  Array thirds = x;
  for (std::int64_t i = 0; i < x.elements(); ++i)
    thirds.set(i, x.at(i) / 3);
  const Values sums = replayed("sum(x / 3)", "allreduce.ring", x);
  for (std::int64_t i = 0; i < kElements; ++i)
    EXPECT_EQ(sums[static_cast<std::size_t>(i)],
              replayed("sum(x)", "allreduce.ring", thirds)[static_cast<std::size_t>(i)]);
  // An allreduce of an allreduce: the inner sum is that of the rank the outer one is at.
  const Array y = inputs(DType::fp32);
  Array once = y;
  const Values inner = replayed("sum(x)", "allreduce.mesh", y);
  for (std::int64_t i = 0; i < y.elements(); ++i)
    once.set(i, inner[static_cast<std::size_t>(i)]);
  EXPECT_EQ(replayed("sum(sum(x))", "allreduce.mesh", y),
            replayed("sum(x)", "allreduce.mesh", once));
  // Products; and what has no order.
  const Values product = replayed("prod(x)", "allreduce.mesh", y);
  EXPECT_EQ(product[0], static_cast<float>(static_cast<float>(y.at(0) * y.at(5)) * y.at(10)));
  const Values largest = replayed("max(x)", "allreduce.mesh", y);
  scope_.order.reset();
  EXPECT_EQ(largest, evaluate("max(x)", {1, kElements}));
}

TEST_F(ReplayTest, IntegersAreAddedExactly) {
  Array big = array(DType::int32, {3, 1, kElements}, Values(15, 16777217));
  EXPECT_EQ(replayed("sum(x)", "allreduce.ring", big)[0], 3.0 * 16777217);
}

TEST_F(ReplayTest, WhatTheOrderDoesNotSpeakOfIsRefused) {
  const Array x = inputs(DType::fp32);
  const Array half = inputs(DType::fp16);
  scope_.tensors = {{"x", &x}, {"h", &half}};
  scope_.order = reduction_order("allreduce.ring", ScheduleForm::hand, DType::fp32);
  scope_.order->elements = kElements;
  EXPECT_EQ(error("sum(x[k, 0, 0:2])", {2}).first,
            "replay: allreduce.ring adds 5 elements of each rank, here are 2: in which order these "
            "are added is not known");
  EXPECT_EQ(error("1 + sum(h)", {1, kElements}),
            (std::pair<std::string, std::uint32_t>(
                "replay: h is FP16, but the output is FP32: cast says in which of them the kernel "
                "adds",
                9)));
  EXPECT_EQ(evaluate("sum(cast(h, FP32))", {1, kElements}).size(), 15u);
  scope_.order = reduction_order("allreduce.mesh", ScheduleForm::hand, DType::fp32);
  scope_.order->elements = 3;
  EXPECT_EQ(evaluate("sum(x[k, 0, 0:2])", {2}).size(), 6u) << "a part of the mesh is a mesh";
  EXPECT_NE(error("sum(x)", {1, kElements}).first.find("adds 3 elements"), std::string::npos);
}

TEST_F(GoldenTest, WhereSumsStand) {
  const auto column = [](const char* text) {
    ir::Diagnostics diagnostics;
    const auto found = Golden::parse(text, "y", diagnostics)->first_sum();
    return found ? found->column : 0;
  };
  EXPECT_EQ(column("x + sum(x)"), 5u);
  EXPECT_EQ(column("max(x) + prod(w)"), 10u);
  EXPECT_EQ(column("reduce_sum(x) + concat(x)"), 0u);
}

TEST_F(GoldenTest, SharedTensorsAreTakenWhole) {
  EXPECT_EQ(evaluate("x + s", {1, 2}), (Values{5, 8, 15, 18, 25, 28}));
  EXPECT_EQ(scalars("s[1]"), (Values{7, 7, 7}));
  EXPECT_EQ(evaluate("sum(x * s)", {1, 2}), (Values{150, 231, 150, 231, 150, 231}));
}

TEST_F(GoldenTest, ResultsFitTheOutput) {
  EXPECT_EQ(evaluate("r", {2, 2}), (Values{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(evaluate("x[0]", {2, 2}), (Values{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(evaluate("1 / 3", {1}), Values(3, static_cast<double>(1.0F / 3.0F)));
  EXPECT_EQ(evaluate("2.5 + r", {1}, DType::int32).size(), 3u);
}

TEST_F(GoldenTest, OutputWithoutRankDimensionIsOnePart) {
  ir::Diagnostics diagnostics;
  const auto golden = Golden::parse("s * 2 + r", "y", diagnostics);
  const auto result = golden->evaluate(scope_, DType::fp32, {2}, diagnostics);
  ASSERT_TRUE(result) << format(diagnostics);
  EXPECT_EQ(values(*result), (Values{10, 14}));
}

TEST_F(GoldenTest, OneRank) {
  scope_.ranks = 1;
  Array only = array(DType::int32, {1, 4}, {1, 2, 3, 4});
  scope_.tensors = {{"x", &only}};
  ir::Diagnostics diagnostics;
  for (const char* text : {"x", "sum(x)", "concat(x)", "x[(r + 1) % P]"}) {
    const auto result =
        Golden::parse(text, "y", diagnostics)->evaluate(scope_, DType::int32, {1, 4}, diagnostics);
    ASSERT_TRUE(result) << format(diagnostics);
    EXPECT_EQ(values(*result), (Values{1, 2, 3, 4})) << text;
  }
}

TEST_F(GoldenTest, ErrorsPointIntoTheExpression) {
  using Error = std::pair<std::string, std::uint32_t>;
  EXPECT_EQ(error("x + z"), Error("unknown name 'z'", 5));
  EXPECT_EQ(error("x + SISE").first, "unknown name 'SISE'; did you mean 'SIZE'?");
  EXPECT_EQ(error("concat2(x)").second, 1u);
  EXPECT_EQ(error("x[3]"), Error("index 3 is out of range: dimension 0 has 3", 3));
  EXPECT_EQ(error("m[0][0, 2]"), Error("index 2 is out of range: dimension 1 has 2", 9));
  EXPECT_EQ(error("m[0][0][0][0]").first, "1 subscripts for a scalar");
  EXPECT_EQ(error("x[0.5]"), Error("expected a whole number, got 0.5", 3));
  EXPECT_EQ(error("x[x]"), Error("expected a whole number, got [1, 2]", 3));
  EXPECT_EQ(error("m + concat(x)"), Error("shapes do not fit: [3, 2] and [1, 6]", 1));
  EXPECT_EQ(error("1 // (r - 1)").first, "division by zero");
  EXPECT_EQ(error("k + 1").first, "k has a value only inside an aggregate such as sum(...)");
  EXPECT_EQ(error("where(1, 2)").first, "where takes 3 arguments, got 2");
  EXPECT_EQ(error("sum(x, axis=0)"), Error("sum takes no keyword 'axis'", 8));
  EXPECT_EQ(error("concat(x, axis=5)").first, "there is no axis 5 in [1, 2]");
  EXPECT_EQ(error("cast(x, FP13)"), Error("expected a dtype, for example FP16", 9));
  EXPECT_EQ(error("reshape(x, 3)").first, "cannot reshape [1, 2] to [3]");
  EXPECT_EQ(error("transpose(s)").first, "transpose takes two dimensions, got [2]");
  EXPECT_EQ(error("matmul(x, m)").first, "matmul: [1, 2] has 2 columns, [3, 2] has 3 rows");
  EXPECT_EQ(error("matmul(m, s)"), Error("matmul takes two matrices, this is [2]", 11));
  EXPECT_EQ(error("join(x, m)"), Error("[3, 2] cannot be joined to [1, 2] along axis 1", 9));
  EXPECT_EQ(error("join(x, s, axis=0)").first, "[2] cannot be joined to [1, 2] along axis 0");
  EXPECT_EQ(error("join(x, axis=2)").first, "there is no axis 2 in [1, 2]");
  EXPECT_EQ(error("join()").first, "join takes at least 1 argument, got 0");
  EXPECT_EQ(error("reduce_sum(x, 2)").first, "there is no axis 2 in [1, 2]");
  EXPECT_EQ(error("reduce_sum(r, 0)").first, "there is no axis 0 in a scalar");
  EXPECT_EQ(error("reduce_max(zeros(2, 0), 1)").first,
            "reduce_max: there is no element along axis 1 of [2, 0]");
  EXPECT_EQ(error("reduce_sum(x, 1, axis=0)").first, "reduce_sum takes no keyword 'axis'");
  EXPECT_EQ(error("zeros(-1)").first, "-1 is no dimension");
  EXPECT_EQ(error("whole(r)").first, "expected the name of a host tensor");
  EXPECT_EQ(error("concat(x[0, 0, 0:k])").first, "rank 0 has [0], rank 1 has [1]");
  EXPECT_EQ(error("'text'").first, "text is no value here");
  EXPECT_EQ(error("pl.FP32").first, "a dotted name is no value here");
  EXPECT_EQ(error("~x").first, "~ is not part of the golden language");
  EXPECT_EQ(error("1 << 2").first, "<< and >> are not part of the golden language");
  EXPECT_EQ(error("concat(x)").first,
            "the golden is [1, 6] on rank 0, the output's part there [1, 2]");
  EXPECT_EQ(error("sum(sum(sum(x)))").first, "aggregates nest at most 2 deep");
}

TEST_F(GoldenTest, TextThatIsNoExpression) {
  for (const char* text :
       {"", "x +", "(x", "x = 1", "x y", "lambda: x", "x\ny", "[i for i in x]"}) {
    ir::Diagnostics diagnostics;
    EXPECT_FALSE(Golden::parse(text, "y", diagnostics)) << text;
    EXPECT_TRUE(diagnostics.has_errors()) << text;
  }
  ir::Diagnostics diagnostics;
  std::string sum = "1";
  for (int i = 0; i < 100'000; ++i)
    sum += "+1";
  EXPECT_FALSE(Golden::parse(sum, "y", diagnostics));
  EXPECT_FALSE(Golden::parse(std::string(4000, '('), "y", diagnostics));
}

TEST_F(GoldenTest, NestedAggregatesTakeTheSquareOfTheRanks) {
  scope_.ranks = 1024;
  scope_.tensors.clear();
  ir::Diagnostics diagnostics;
  const auto golden = Golden::parse("sum(sum(k) + r + k)", "y", diagnostics);
  const auto result = golden->evaluate(scope_, DType::fp32, {1}, diagnostics);  // of rank 0
  ASSERT_TRUE(result) << ir::format(diagnostics);
  EXPECT_EQ(result->at(0), 1023.0 * 1024 / 2 * 1025);
  const auto all = golden->evaluate(scope_, DType::fp32, {1024}, diagnostics);
  ASSERT_TRUE(all) << ir::format(diagnostics);
  EXPECT_EQ(all->at(3), static_cast<float>(1023.0 * 1024 / 2 * 1025 + 3 * 1024));
}

}  // namespace
}  // namespace a2a3::models::golden_test
