// SPDX-License-Identifier: Apache-2.0
#include "ir/fold.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace a2a3::ir::fold_test {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

Constant integer(std::int64_t value) {
  return {value};
}

TEST(Fold, DivisionFloorsOrTruncates) {
  struct Row {
    std::int64_t a, b, floor_div, floor_mod, trunc_div, trunc_mod;
  };
  for (const Row& row :
       {Row{7, 2, 3, 1, 3, 1}, Row{-7, 2, -4, 1, -3, -1}, Row{7, -2, -4, -1, -3, 1},
        Row{-7, -2, 3, -1, 3, -1}, Row{-1, 4, -1, 3, 0, -1}, Row{6, 3, 2, 0, 2, 0}}) {
    EXPECT_EQ(divide(row.a, row.b, Division::floor), row.floor_div) << row.a << " // " << row.b;
    EXPECT_EQ(modulo(row.a, row.b, Division::floor), row.floor_mod) << row.a << " % " << row.b;
    EXPECT_EQ(divide(row.a, row.b, Division::truncate), row.trunc_div) << row.a << " // " << row.b;
    EXPECT_EQ(modulo(row.a, row.b, Division::truncate), row.trunc_mod) << row.a << " % " << row.b;
  }
}

TEST(Fold, WhatHasNoValueIsAProblemNotACrash) {
  EXPECT_EQ(divide(1, 0, Division::floor), std::nullopt);
  EXPECT_EQ(divide(kMin, -1, Division::floor), std::nullopt);
  EXPECT_EQ(modulo(kMin, -1, Division::truncate), 0);
  for (const BinaryOp op : {BinaryOp::div, BinaryOp::floordiv, BinaryOp::mod}) {
    EXPECT_EQ(fold(op, integer(1), integer(0), Division::floor).problem, "division by zero");
  }
  for (const auto& [op, a, b] : {std::tuple{BinaryOp::add, kMax, std::int64_t{1}},
                                 {BinaryOp::sub, kMin, std::int64_t{1}},
                                 {BinaryOp::mul, kMax, std::int64_t{2}},
                                 {BinaryOp::shift_left, std::int64_t{1}, std::int64_t{64}}}) {
    const Folded folded = fold(op, integer(a), integer(b), Division::floor);
    EXPECT_EQ(folded.problem, "the result does not fit in 64 bits");
    EXPECT_TRUE(folded.too_large) << "Python has a value";
  }
  EXPECT_FALSE(fold(BinaryOp::mod, integer(1), integer(0), Division::floor).too_large);
  EXPECT_EQ(fold(BinaryOp::shift_right, integer(1), integer(-1), Division::floor).problem,
            "negative shift count");
  EXPECT_EQ(fold(BinaryOp::shift_right, integer(-8), integer(100), Division::floor).value,
            integer(-1));
}

TEST(Fold, ComparesWhatPythonCompares) {
  const Constant sum{EnumMember{"ReduceOp", "Sum", 0}};
  const Constant max{EnumMember{"ReduceOp", "Max", 1}};
  EXPECT_EQ(fold(CompareOp::eq, sum, sum).value, Constant{true});
  EXPECT_EQ(fold(CompareOp::ne, sum, max).value, Constant{true});
  EXPECT_EQ(fold(CompareOp::lt, sum, max).value, std::nullopt);
  EXPECT_EQ(fold(CompareOp::lt, integer(1), Constant{1.5}).value, Constant{true});
  EXPECT_EQ(fold(CompareOp::eq, Constant{DynamicDim{0}}, integer(4)).value, std::nullopt);
}

}  // namespace
}  // namespace a2a3::ir::fold_test
