// SPDX-License-Identifier: Apache-2.0
#include "models/golden_compare.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace a2a3::models::golden_compare_test {
namespace {

using isa::Array;
using isa::DType;

Array array(DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& values) {
  Array result(dtype, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i)
    result.set(static_cast<std::int64_t>(i), values[i]);
  return result;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const Comparison kExact;

Comparison tolerance(double rtol, double atol) {
  return {Comparison::Mode::tolerance, rtol, atol};
}

std::vector<SliceMismatch> compare(const std::vector<double>& got,
                                   const std::vector<double>& expected,
                                   const Comparison& comparison, DType dtype = DType::fp32) {
  const std::vector<std::int64_t> shape = {1, static_cast<std::int64_t>(got.size())};
  return compare_slices(array(dtype, shape, got), array(dtype, shape, expected), 1, comparison);
}

TEST(GoldenCompare, Exact) {
  EXPECT_TRUE(compare({1, 2, 3}, {1, 2, 3}, kExact).empty());
  EXPECT_TRUE(compare({kNan, kInf, -0.0}, {kNan, kInf, 0.0}, kExact).empty());
  EXPECT_EQ(compare({kNan}, {0}, kExact).size(), 1u);
  EXPECT_EQ(compare({0}, {kNan}, kExact).size(), 1u);
  EXPECT_EQ(compare({kInf}, {-kInf}, kExact).size(), 1u);
  const auto wrong = compare({1, 5, 3, 9}, {1, 2, 3, 4}, kExact);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].wrong, 2);
  EXPECT_EQ(wrong[0].elements, 4);
  EXPECT_EQ(wrong[0].first_index, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(wrong[0].got, 5);
  EXPECT_EQ(wrong[0].expected, 2);
}

TEST(GoldenCompare, LongIntegersBitByBit) {
  const Array got = array(DType::int64, {1, 1}, {0x1p53});
  Array next = got;
  next.bytes[0] = std::byte{1};
  EXPECT_EQ(got.at(0), next.at(0));  // as doubles they are the same
  EXPECT_EQ(compare_slices(got, next, 1, kExact).size(), 1u);
  EXPECT_EQ(compare_slices(got, next, 1, tolerance(1, 1)).size(), 1u);
}

TEST(GoldenCompare, Tolerance) {
  EXPECT_TRUE(compare({100.5}, {100}, tolerance(0.01, 0)).empty());
  EXPECT_EQ(compare({101.5}, {100}, tolerance(0.01, 0)).size(), 1u);
  EXPECT_TRUE(compare({0.25}, {0}, tolerance(0, 0.25)).empty());
  EXPECT_EQ(compare({0.5}, {0}, tolerance(1, 0.25)).size(), 1u);
  EXPECT_TRUE(compare({kInf, kNan}, {kInf, kNan}, tolerance(0.1, 0.1)).empty());
  EXPECT_EQ(compare({kInf}, {1e30}, tolerance(0.1, 0.1)).size(), 1u);
  EXPECT_EQ(compare({1}, {kInf}, tolerance(0.1, 0.1)).size(), 1u);
  EXPECT_EQ(compare({-kInf}, {kInf}, tolerance(0.1, 0.1)).size(), 1u);
  EXPECT_EQ(compare({7}, {8}, tolerance(1, 1), DType::int32).size(), 1u);
  EXPECT_EQ(compare({1}, {0}, tolerance(1, 1), DType::boolean).size(), 1u);
}

TEST(GoldenCompare, RanksAndIndices) {
  const Array expected = array(DType::int32, {2, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  Array got = expected;
  got.set(11, -1);
  const auto wrong = compare_slices(got, expected, 2, kExact);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].rank, 1u);
  EXPECT_EQ(wrong[0].first_index, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(format_mismatch("y", wrong[0]),
            "y: rank 1: 1 of 6 elements wrong; at [1, 2] got -1, expected 11");
  const auto whole = compare_slices(got, expected, 3, kExact);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0].first_index, (std::vector<std::int64_t>{1, 1, 2}));
}

TEST(GoldenCompare, HintsAnotherRanksSlice) {
  const auto wrong = compare_slices(array(DType::fp32, {2, 2}, {3, 4, 3, 4}),
                                    array(DType::fp32, {2, 2}, {1, 2, 3, 4}), 2, kExact);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].hint, "it holds what rank 1 must hold");
}

TEST(GoldenCompare, HintsBlocksInWrongOrder) {
  const auto wrong =
      compare_slices(array(DType::fp32, {2, 4}, {3, 4, 1, 2, 1, 2, 3, 4}),
                     array(DType::fp32, {2, 4}, {1, 2, 3, 4, 1, 2, 3, 4}), 2, kExact);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].hint,
            "elements 0 to 1 (block 0 of 2) hold what block 1 must hold: wrong order?");
}

TEST(GoldenCompare, HintsNeverWritten) {
  const auto wrong = compare_slices(array(DType::fp32, {2, 3}, {1, 0, 0, 4, 5, 6}),
                                    array(DType::fp32, {2, 3}, {1, 2, 3, 4, 5, 6}), 2, kExact);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].hint, "every wrong element is 0: never written?");
  const auto of_counts = compare_slices(array(DType::int32, {2, 2}, {0, 0, 1, 0}),
                                        array(DType::int32, {2, 2}, {0, 1, 1, 0}), 2, kExact);
  ASSERT_EQ(of_counts.size(), 1u);
  EXPECT_EQ(of_counts[0].hint, "every wrong element is 0: never written?")
      << "not block 0 in the place of block 1";
}

TEST(GoldenCompare, HintsRoundingOfFloats) {
  const auto hint = [](double got, double expected, DType dtype, const Comparison& comparison) {
    const auto wrong = compare({1000, got}, {1000, expected}, comparison, dtype);
    return wrong.empty() ? std::string("right") : wrong[0].hint;
  };
  const std::string fp32 =
      "all differences are as small as rounding: --compare 'tolerance(rtol=1e-05, atol=1e-06)' "
      "allows them";
  EXPECT_EQ(hint(1.000001, 1, DType::fp32, kExact), fp32);
  EXPECT_EQ(hint(1.001, 1, DType::fp32, kExact), "");
  EXPECT_EQ(hint(1.000001, 1, DType::fp32, tolerance(1e-9, 0)), fp32);
  EXPECT_NE(hint(1.001, 1, DType::fp16, kExact), "");
  EXPECT_EQ(hint(1.01, 1, DType::fp16, kExact), "");
  EXPECT_NE(hint(1.01, 1, DType::bf16, kExact), "");
  EXPECT_EQ(hint(1000000, 999999, DType::int32, kExact), "") << "integers do not round";
}

TEST(GoldenCompare, WhatItAdvisesIsEnough) {
  for (const DType dtype : {DType::fp32, DType::fp16, DType::bf16}) {
    const double step = dtype == DType::fp32 ? 1e-6 : dtype == DType::fp16 ? 1e-3 : 8e-3;
    const auto wrong = compare({1 + step, 0.5}, {1, 0.5}, kExact, dtype);
    ASSERT_EQ(wrong.size(), 1u);
    const std::size_t begin = wrong[0].hint.find('\'') + 1;
    ir::Diagnostics diagnostics;
    const auto advised = parse_comparison(
        wrong[0].hint.substr(begin, wrong[0].hint.rfind('\'') - begin), "hint", diagnostics);
    ASSERT_TRUE(advised) << wrong[0].hint;
    EXPECT_TRUE(compare({1 + step, 0.5}, {1, 0.5}, *advised, dtype).empty());
  }
}

TEST(GoldenCompare, NothingIsCloseToInfinity) {
  EXPECT_EQ(compare({5}, {kInf}, tolerance(1e-3, 1)).size(), 1u);
  EXPECT_EQ(compare({kInf}, {5}, tolerance(1e-3, 1)).size(), 1u);
  EXPECT_EQ(compare({-kInf}, {kInf}, tolerance(1e-3, 1)).size(), 1u);
}

TEST(GoldenCompare, Empty) {
  EXPECT_TRUE(
      compare_slices(Array(DType::fp32, {2, 0}), Array(DType::fp32, {2, 0}), 2, kExact).empty());
}

TEST(Comparison, Parse) {
  ir::Diagnostics diagnostics;
  EXPECT_EQ(parse_comparison("exact", "compare", diagnostics)->mode, Comparison::Mode::exact);
  const auto loose = parse_comparison("tolerance(rtol=1e-3, atol=0.5)", "compare", diagnostics);
  ASSERT_TRUE(loose) << format(diagnostics);
  EXPECT_EQ(loose->rtol, 1e-3);
  EXPECT_EQ(loose->atol, 0.5);
  EXPECT_EQ(loose->text(), "tolerance(rtol=0.001, atol=0.5)");
  EXPECT_EQ(parse_comparison("tolerance", "compare", diagnostics)->rtol, 1e-5);
  const auto replay = parse_comparison("replay", "compare", diagnostics);
  EXPECT_EQ(replay->mode, Comparison::Mode::replay);
  EXPECT_EQ(replay->text(), "replay");
  for (const char* name :
       {"allreduce.mesh", "allreduce.two_phase", "allreduce.ring", "reduce_scatter"}) {
    const std::string text = "replay(" + std::string(name) + ")";
    EXPECT_EQ(parse_comparison(text, "compare", diagnostics)->text(), text);
  }
  EXPECT_FALSE(diagnostics.has_errors());
  for (const char* text : {"close", "replay(allgather)", "replay(3)",
                           "replay(order=reduce_scatter)", "replay(reduce_scatter, reduce_scatter)",
                           "replay('')", "exact(1)", "tolerance(rtol=-1)", "tolerance(1, 2, 3)",
                           "tolerance(rtol='x')", "tolerance(rtol=1, rtol=2)", "1", "x[0]", ""}) {
    ir::Diagnostics found;
    EXPECT_FALSE(parse_comparison(text, "compare", found)) << text;
    EXPECT_TRUE(found.has_errors()) << text;
  }
}

TEST(Comparison, UnknownOrdersAreListed) {
  ir::Diagnostics diagnostics;
  EXPECT_FALSE(parse_comparison("replay(allreduce.rong)", "--compare", diagnostics));
  const std::string text = format(diagnostics);
  EXPECT_NE(text.find("--compare:1:8: error: replay: no schedule that adds is called "
                      "'allreduce.rong'; did you mean 'allreduce.ring'?"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("schedules that add: allreduce.mesh, allreduce.two_phase, allreduce.ring, "
                      "reduce_scatter"),
            std::string::npos);
}

TEST(GoldenCompare, ReplayIsExact) {
  const Comparison replay{Comparison::Mode::replay};
  EXPECT_TRUE(compare({1, kNan}, {1, kNan}, replay).empty());
  EXPECT_EQ(compare({1.0000001}, {1}, replay).size(), 1u);
}

}  // namespace
}  // namespace a2a3::models::golden_compare_test
