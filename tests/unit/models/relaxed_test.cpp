// SPDX-License-Identifier: Apache-2.0
#include "models/relaxed.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace a2a3::models::relaxed_test {
namespace {

RelaxedParameters relaxed(std::uint64_t seed) {
  return {MemoryOrder::relaxed, seed, 2e-6};
}

std::vector<std::uint64_t> delays(std::uint64_t seed, std::uint32_t from = 0,
                                  std::uint32_t to = 1) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t number = 0; number < 200; ++number)
    all.push_back(landing_delay(relaxed(seed), {from, 0, to, number}));
  return all;
}

TEST(Relaxed, DelaysLieBelowTheLongestOne) {
  std::set<std::uint64_t> different;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto drawn = delays(seed);
    EXPECT_LE(std::ranges::max(drawn), 2'000'000U);
    different.insert(drawn.begin(), drawn.end());
    EXPECT_LE(start_delay(relaxed(seed), 3), 2'000'000U);
  }
  EXPECT_GT(different.size(), 9000U);
}

TEST(Relaxed, AreAFunctionOfSeedAndMessage) {
  EXPECT_EQ(delays(7), delays(7));
  EXPECT_NE(delays(7), delays(8));
  EXPECT_NE(start_delay(relaxed(7), 1), start_delay(relaxed(7), 2));
  EXPECT_NE(start_delay(relaxed(7), 1), start_delay(relaxed(8), 1));
  EXPECT_NE(landing_delay(relaxed(7), {0, 0, 1, 5}), landing_delay(relaxed(7), {0, 1, 1, 5}));
}

TEST(Relaxed, EachPairOfDevicesHasALongestOneOfItsOwn) {
  std::set<std::uint64_t> longest;
  for (std::uint32_t to = 0; to < 10; ++to)
    longest.insert(std::ranges::max(delays(1, 0, to)) / 200'000);
  EXPECT_GE(longest.size(), 4U);  // spread over the range
}

TEST(Relaxed, WithoutADelayNothingIsLate) {
  const RelaxedParameters none{MemoryOrder::relaxed, 3, 0};
  EXPECT_EQ(landing_delay(none, {0, 0, 1, 5}), 0U);
  EXPECT_EQ(start_delay(none, 1), 0U);
}

}  // namespace
}  // namespace a2a3::models::relaxed_test
