// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/crossover.hpp"

#include <functional>

#include <gtest/gtest.h>

namespace a2a3::tools::crossover_test {
namespace {

using Time = std::function<sim::Picoseconds(std::uint64_t)>;

std::vector<TimedPair> timed(const std::vector<std::uint64_t>& sizes, const Time& first,
                             const Time& second) {
  std::vector<TimedPair> times;
  for (const std::uint64_t size : sizes)
    times.push_back({size, first(size), second(size)});
  return times;
}

std::vector<std::uint64_t> powers(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = first; size <= last; size *= 2)
    sizes.push_back(size);
  return sizes;
}

/// Bisects to the end, and counts the steps.
int bisect(Bracket& bracket, std::uint64_t grain, const Time& first, const Time& second) {
  int steps = 0;
  while (!bracket.is_narrow(grain)) {
    const std::uint64_t middle = bracket.middle(grain);
    EXPECT_GT(middle, bracket.low);
    EXPECT_LT(middle, bracket.high);
    EXPECT_EQ(middle % grain, 0u);
    bracket.narrow({middle, first(middle), second(middle)});
    ++steps;
  }
  return steps;
}

TEST(Crossover, IsFoundWhereTwoLinesMeet) {
  // They meet at (1'000'000 - 100'000) / (7 - 1) = 150'000 bytes.
  const Time mesh = [](std::uint64_t bytes) { return 100'000 + 7 * bytes; };
  const Time ring = [](std::uint64_t bytes) { return 1'000'000 + bytes; };
  const std::vector<TimedPair> times = timed(powers(1024, 1 << 20), mesh, ring);
  for (const std::uint64_t grain : {4u, 32u, 96u, 16384u}) {
    std::vector<Bracket> changes = brackets(times);
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_TRUE(changes[0].first_below);
    EXPECT_LE(bisect(changes[0], grain, mesh, ring), 8);
    EXPECT_LE(changes[0].low, 150'000u);
    EXPECT_GE(changes[0].high, 150'000u);
    EXPECT_LE(changes[0].high - changes[0].low, std::max<std::uint64_t>(grain, 1500));
  }
}

TEST(Crossover, EveryChangeIsOne) {
  const Time flat = [](std::uint64_t) { return 100; };
  const Time hill = [](std::uint64_t bytes) { return bytes >= 8 && bytes < 64 ? 150 : 50; };
  const std::vector<Bracket> changes = brackets(timed(powers(1, 256), flat, hill));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].low, 4u);
  EXPECT_EQ(changes[0].high, 8u);
  EXPECT_FALSE(changes[0].first_below);
  EXPECT_EQ(changes[1].low, 32u);
  EXPECT_TRUE(changes[1].first_below);
  EXPECT_EQ(crossover_words("flat", "hill", timed(powers(1, 256), flat, hill), changes),
            "hill is faster up to 8 B, flat up to 64 B, hill from there on");
}

TEST(Crossover, EqualTimesAndFailuresArePassedOver) {
  const std::vector<TimedPair> times{{1, 5, 9}, {2, 7, 7}, {4, {}, 3}, {8, 9, 5}};
  const std::vector<Bracket> changes = brackets(times);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].low, 1u);
  EXPECT_EQ(changes[0].high, 8u);
}

TEST(Crossover, EqualTimesInTheMiddleAreTheUpperEnd) {
  Bracket bracket{1024, 4096, true};
  bracket.narrow({2048, 7, 7});
  EXPECT_EQ(bracket.low, 1024u);
  EXPECT_EQ(bracket.high, 2048u);
  EXPECT_FALSE(bracket.is_final(4));
}

TEST(Crossover, AFailedRunInTheMiddleEndsTheSearch) {
  for (const TimedPair& middle :
       {TimedPair{2048, {}, 7}, TimedPair{2048, 7, {}}, TimedPair{2048, {}, {}}}) {
    Bracket bracket{1024, 4096, true};
    bracket.narrow(middle);
    EXPECT_EQ(bracket.low, 1024u);
    EXPECT_EQ(bracket.high, 4096u);
    EXPECT_TRUE(bracket.unresolved);
    EXPECT_TRUE(bracket.is_final(4));
    EXPECT_FALSE(bracket.is_narrow(4));
    EXPECT_EQ(crossover_words("a", "b", {{1024, 1, 2}, {4096, 2, 1}}, {bracket}),
              "a is faster up to some size from 1 KiB to 4 KiB (a run between failed), b from "
              "there on");
  }
}

TEST(Crossover, WordsForNoChange) {
  const auto words = [](const std::vector<TimedPair>& times) {
    return crossover_words("a", "b", times, brackets(times));
  };
  EXPECT_EQ(words({{1024, 1, 2}, {2048, 2, 3}}),
            "a is faster than b at all sizes from 1 KiB to 2 KiB");
  EXPECT_EQ(words({{1024, 2, 2}, {2048, 2, 1}}),
            "b is faster than a at all sizes from 1 KiB to 2 KiB");
  EXPECT_EQ(words({{1024, 2, 2}}), "a and b take the same time at 1 KiB");
  EXPECT_EQ(words({{1024, 2, {}}}), "a and b: no size at which both ran");
}

}  // namespace
}  // namespace a2a3::tools::crossover_test
