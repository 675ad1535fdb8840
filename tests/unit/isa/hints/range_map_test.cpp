// SPDX-License-Identifier: Apache-2.0
#include "isa/hints/range_map.hpp"

#include <array>
#include <random>

#include <gtest/gtest.h>

namespace a2a3::isa::range_map_test {
namespace {

/// Against a value for each byte.
TEST(RangeMap, AgreesWithAnArray) {
  constexpr std::uint64_t kBytes = 64;
  std::mt19937 random(7);
  RangeMap<int> map;
  std::array<int, kBytes> bytes{};
  for (int step = 0; step < 2000; ++step) {
    const std::uint64_t begin = random() % kBytes;
    const std::uint64_t end = begin + random() % (kBytes - begin + 1);
    const int value = static_cast<int>(random() % 3);
    std::uint64_t at = begin;
    map.change(begin, end, [&](std::uint64_t from, std::uint64_t until, int& here) {
      EXPECT_EQ(from, at);
      for (; at < until; ++at) {
        EXPECT_EQ(here, bytes[at]);
        bytes[at] = value;
      }
      here = value;
    });
    EXPECT_EQ(at, end);
    map.visit(begin, end, [&](std::uint64_t from, std::uint64_t until, int here) {
      for (std::uint64_t i = from; i < until; ++i)
        EXPECT_EQ(here, bytes[i]);
    });
  }
}

TEST(RangeMap, EqualNeighboursAreOne) {
  RangeMap<int> map;
  const auto set = [&](std::uint64_t begin, std::uint64_t end, int value) {
    map.change(begin, end, [&](std::uint64_t, std::uint64_t, int& here) { here = value; });
  };
  set(0, 4, 1);
  set(8, 12, 1);
  EXPECT_EQ(map.stretches(), 2U);
  set(4, 8, 1);
  EXPECT_EQ(map.stretches(), 1U);
  set(5, 6, 2);
  EXPECT_EQ(map.stretches(), 3U);
  set(3, 3, 9);
  EXPECT_EQ(map.stretches(), 3U);
}

}  // namespace
}  // namespace a2a3::isa::range_map_test
