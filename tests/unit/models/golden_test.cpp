// SPDX-License-Identifier: Apache-2.0
#include "models/golden.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace a2a3::models {
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
  EXPECT_EQ(evaluate("whole(x)", {6}), three);
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
  EXPECT_EQ(error("sum(x, axis=0)").second, 8u);
  EXPECT_EQ(error("concat(x, axis=5)").first, "there is no axis 5 in [1, 2]");
  EXPECT_EQ(error("cast(x, FP13)"), Error("expected a dtype, for example FP16", 9));
  EXPECT_EQ(error("reshape(x, 3)").first, "cannot reshape [1, 2] to [3]");
  EXPECT_EQ(error("transpose(s)").first, "transpose takes two dimensions, got [2]");
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

TEST_F(GoldenTest, IntegersThatADoubleDoesNotHoldAreRefused) {
  const auto message = [&](const std::string& text, DType dtype) {
    ir::Diagnostics diagnostics;
    const auto golden = Golden::parse(text, "y", diagnostics);
    EXPECT_FALSE(golden->evaluate(scope_, dtype, {3, 1}, diagnostics)) << text;
    return ir::format(diagnostics);
  };
  EXPECT_EQ(evaluate("9007199254740991 - r", {1}, DType::int64)[1], 9007199254740990.0);
  EXPECT_EQ(evaluate("9007199254740992", {1}, DType::fp32)[0], 9007199254740992.0);
  for (const DType dtype : {DType::int64, DType::uint64, DType::int32}) {
    EXPECT_NE(
        message("9007199254740991 + r", dtype).find("element 0 of rank 1 is 9007199254740992"),
        std::string::npos);
    EXPECT_NE(message("-9007199254740992", dtype).find("element 0 of rank 0"), std::string::npos);
  }
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

TEST_F(GoldenTest, Limits) {
  EXPECT_NE(error("zeros(1000000000, 1000000000, 1000000000)").first.find("--max-golden-elements"),
            std::string::npos);
  EXPECT_NE(error("concat(x)", {1, 6}, {4}).first.find("--max-golden-elements"), std::string::npos);
}

}  // namespace
}  // namespace a2a3::models
