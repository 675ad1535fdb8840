// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/unknown_bytes.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace a2a3::sim::unknown_bytes_test {
namespace {

TEST(UnknownBytes, KnowsEverythingAtFirst) {
  EXPECT_FALSE(UnknownBytes{}.touches(0, 1000));
}

TEST(UnknownBytes, TouchesOnlyWhatOverlaps) {
  UnknownBytes bytes;
  bytes.add(10, 20);
  EXPECT_FALSE(bytes.touches(6, 10));
  EXPECT_TRUE(bytes.touches(6, 11));
  EXPECT_TRUE(bytes.touches(19, 23));
  EXPECT_FALSE(bytes.touches(20, 24));
}

TEST(UnknownBytes, AKnownValueCutsAHole) {
  UnknownBytes bytes;
  bytes.add(0, 100);
  bytes.remove(40, 44);
  EXPECT_FALSE(bytes.touches(40, 44));
  EXPECT_TRUE(bytes.touches(36, 41));
  EXPECT_TRUE(bytes.touches(44, 48));
}

/// Against one flag per byte.
TEST(UnknownBytes, AgreesWithOneFlagPerByte) {
  constexpr std::uint64_t kBytes = 64;
  std::mt19937 random(7);
  std::uniform_int_distribution<std::uint64_t> place(0, kBytes);
  for (int round = 0; round < 200; ++round) {
    UnknownBytes bytes;
    std::vector<bool> flags(kBytes, false);
    for (int step = 0; step < 30; ++step) {
      const auto [begin, end] = std::minmax({place(random), place(random)});
      const bool add = random() % 2 == 0;
      add ? bytes.add(begin, end) : bytes.remove(begin, end);
      for (std::uint64_t i = begin; i < end; ++i)
        flags[i] = add;
      for (std::uint64_t i = 0; i < kBytes; ++i)
        ASSERT_EQ(bytes.touches(i, i + 1), flags[i]) << "byte " << i << " after step " << step;
    }
  }
}

}  // namespace
}  // namespace a2a3::sim::unknown_bytes_test
