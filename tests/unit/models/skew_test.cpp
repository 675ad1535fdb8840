// SPDX-License-Identifier: Apache-2.0
#include "models/skew.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace a2a3::models::skew_test {
namespace {

constexpr SkewDistribution kUniform{.kind = SkewKind::uniform, .seed = 1, .max_seconds = 10e-6};
constexpr SkewDistribution kNormal{
    .kind = SkewKind::normal, .seed = 1, .mean_seconds = 20e-6, .deviation_seconds = 2e-6};

double mean(const std::vector<std::uint64_t>& values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), std::uint64_t{0})) /
         static_cast<double>(values.size());
}

TEST(Skew, IsAFunctionOfSeedAndRank) {
  for (const SkewDistribution& distribution : {kUniform, kNormal}) {
    const auto eight = draw_skew(distribution, 8);
    EXPECT_EQ(eight, draw_skew(distribution, 8));
    auto five = draw_skew(distribution, 5);
    EXPECT_TRUE(std::equal(five.begin(), five.end(), eight.begin()));
    SkewDistribution other = distribution;
    other.seed = 2;
    EXPECT_NE(eight, draw_skew(other, 8));
  }
  EXPECT_TRUE(draw_skew(kUniform, 0).empty());
}

TEST(Skew, UniformFillsItsRange) {
  const auto skew = draw_skew(kUniform, 4097);
  EXPECT_NEAR(mean(skew), 5e6, 0.1e6);
  EXPECT_LT(*std::ranges::min_element(skew), 0.1e6);
  EXPECT_GT(*std::ranges::max_element(skew), 9.9e6);
  EXPECT_LE(*std::ranges::max_element(skew), 10e6);
}

TEST(Skew, NormalHasItsMeanAndDeviationAndIsNeverNegative) {
  const auto skew = draw_skew(kNormal, 4097);
  EXPECT_NEAR(mean(skew), 20e6, 0.1e6);
  double squares = 0;
  for (const std::uint64_t value : skew)
    squares += std::pow(static_cast<double>(value) - 20e6, 2);
  EXPECT_NEAR(std::sqrt(squares / 4097), 2e6, 0.1e6);
  SkewDistribution wide = kNormal;
  wide.mean_seconds = 0;
  const auto clipped = draw_skew(wide, 1000);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(clipped, 0u)), 500, 60);
}

TEST(Skew, OfALaunchAddsUp) {
  LaunchParameters launch;
  launch.skew_seconds = 3e-9;
  EXPECT_EQ(launch_skew(launch, 3), (std::vector<std::uint64_t>{0, 3000, 6000}));
  launch.random_skew = kUniform;
  const auto drawn = draw_skew(kUniform, 3);
  EXPECT_EQ(launch_skew(launch, 3)[2], 6000 + drawn[2]);
}

}  // namespace
}  // namespace a2a3::models::skew_test
