// SPDX-License-Identifier: Apache-2.0
#include "ir/dim.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace a2a3::ir::dim_test {
namespace {

const Dim kP = Dim::symbol(0);
const Dim kN = Dim::symbol(1);

std::string text(const Dim& dim) {
  return dim.to_string([](Dim::Symbol symbol) { return symbol == 0 ? "P" : "N"; });
}

TEST(Dim, ProductsAndSumsAreCanonical) {
  EXPECT_EQ(kP * kN, kN * kP);
  EXPECT_EQ((kP + 1) * (kP - 1), kP * kP - 1);
  EXPECT_EQ(kP * 0, Dim(0));
  EXPECT_EQ(kP + kN - kP, kN);
  EXPECT_NE(kP, kN);
  EXPECT_EQ(Dim(6) * Dim(7), Dim(42));
}

TEST(Dim, ConstantOnlyWithoutSymbols) {
  EXPECT_EQ(Dim().constant(), 0);
  EXPECT_EQ(Dim(-3).constant(), -3);
  EXPECT_EQ(kP.constant(), std::nullopt);
  EXPECT_EQ((kP - kP + 5).constant(), 5);
}

TEST(Dim, EvaluatesWithEverySymbolKnown) {
  const auto value_of = [](Dim::Symbol symbol) -> std::optional<std::int64_t> {
    if (symbol == 0) return 4;
    return std::nullopt;
  };
  EXPECT_EQ((kP * kP * 3 - kP + 2).evaluate(value_of), 46);
  EXPECT_EQ((kP * kN).evaluate(value_of), std::nullopt);
}

TEST(Dim, PrintsLikeThePeopleWriteIt) {
  EXPECT_EQ(text(Dim(0)), "0");
  EXPECT_EQ(text(kP), "P");
  EXPECT_EQ(text(kP * 64), "64 * P");
  EXPECT_EQ(text(kP * kN * 2 - kP + 1), "-P + 2 * P * N + 1");
  EXPECT_EQ(text(Dim(0) - kP - 1), "-P - 1");
}

TEST(Dim, OrderHoldsForAllDimensionsOrIsNotProven) {
  EXPECT_TRUE((kP * 4).provably_at_least(kP));
  EXPECT_TRUE((kP * 4).provably_greater(kP)) << "a dimension is at least 1";
  EXPECT_TRUE(kP.provably_greater(Dim(0)));
  EXPECT_FALSE(kP.provably_greater(Dim(1)));
  EXPECT_TRUE((kP * kN).provably_at_least(kP + kN - 1));
  EXPECT_TRUE((kP + 1).provably_greater(kP));
  EXPECT_FALSE(kP.provably_greater(kN));
  EXPECT_TRUE(Dim(2).provably_greater(Dim(1)));
  const Dim scalar = Dim::symbol(Dim::kFirstOpaque + 1);
  EXPECT_FALSE((scalar + 1).provably_at_least(Dim(1))) << "a run-time scalar may be negative";
  EXPECT_TRUE((scalar + 1).provably_greater(scalar));
  EXPECT_TRUE((Dim::world_size() + 1).provably_greater(Dim(0)));
}

TEST(Dim, BeyondItsBoundsNothingIsKnown) {
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ((Dim(max) + Dim(1)).constant(), std::nullopt);
  EXPECT_EQ((kP * max * 2).constant(), std::nullopt);
  EXPECT_FALSE(Dim::unknown() == Dim::unknown());
  EXPECT_FALSE(Dim::unknown().provably_at_least(Dim::unknown()));
  EXPECT_FALSE((Dim::unknown() * 0 + 1).is_known());
  EXPECT_EQ(Dim::unknown().evaluate([](Dim::Symbol) { return 1; }), std::nullopt);
  EXPECT_EQ((kP * max).evaluate([](Dim::Symbol) { return 2; }), std::nullopt);
}

TEST(Dim, PowersAndProductsOfSumsEndSoon) {
  Dim power = kP + kN + 1;
  for (int i = 0; i < 40; ++i)
    power = power * power;
  EXPECT_FALSE(power.is_known());
  Dim product(1);
  Dim sum(0);
  for (Dim::Symbol symbol = 0; symbol < 40; ++symbol) {
    product = product * Dim::symbol(symbol);
    sum = sum + Dim::symbol(symbol);
    EXPECT_EQ(product.is_known(), symbol < Dim::kHighestDegree);
    EXPECT_TRUE(sum.is_known());
  }
  EXPECT_FALSE((sum * sum).is_known());
  EXPECT_FALSE(product.provably_at_least(Dim(1)));
}

}  // namespace
}  // namespace a2a3::ir::dim_test
