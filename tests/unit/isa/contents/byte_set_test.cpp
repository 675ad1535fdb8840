// SPDX-License-Identifier: Apache-2.0
#include "isa/contents/byte_set.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace a2a3::isa::byte_set_test {
namespace {

constexpr std::uint64_t kPage = 4096;

TEST(ByteSet, IsEmptyAtFirst) {
  const ByteSet bytes;
  EXPECT_EQ(bytes.find(false, 10, 20), 10U);
  EXPECT_EQ(bytes.find(true, 10, 20 * kPage), 20 * kPage);
  EXPECT_FALSE(bytes.contains(5, 6));
  EXPECT_TRUE(bytes.contains(5, 5)) << "none is asked for";
  EXPECT_EQ(bytes.size_bytes(), 0U);
}

TEST(ByteSet, IsAnArrayOfFlags) {
  constexpr std::uint64_t kSize = 3 * kPage + 100;
  std::mt19937 random(11);
  // Ends at the borders of words and pages more often than chance would have it.
  const auto place = [&] {
    const std::uint64_t unit = std::vector<std::uint64_t>{1, 64, kPage}[random() % 3];
    return random() % (kSize / unit + 1) * unit;
  };
  ByteSet bytes;
  std::vector<bool> flags(kSize, false);
  for (int i = 0; i < 2000; ++i) {
    const auto [begin, end] = std::minmax({place(), place()});
    const bool value = random() % 2 == 0;
    bytes.assign(begin, end, value);
    std::fill(flags.begin() + static_cast<std::ptrdiff_t>(begin),
              flags.begin() + static_cast<std::ptrdiff_t>(end), value);
    const auto [from, until] = std::minmax({place(), place()});
    for (const bool wanted : {false, true}) {
      const auto at = std::find(flags.begin() + static_cast<std::ptrdiff_t>(from),
                                flags.begin() + static_cast<std::ptrdiff_t>(until), wanted);
      ASSERT_EQ(bytes.find(wanted, from, until), static_cast<std::uint64_t>(at - flags.begin()));
    }
  }
}

TEST(ByteSet, KeepsBitsOfMixedPagesOnly) {
  ByteSet bytes;
  bytes.assign(0, 100 * kPage, true);
  const std::size_t whole = bytes.size_bytes();
  EXPECT_LE(whole, 100 * 16U);
  bytes.assign(kPage + 8, 2 * kPage - 8, false);
  EXPECT_EQ(bytes.size_bytes(), whole + kPage / 8);
  bytes.assign(kPage, 2 * kPage - 8, false);
  EXPECT_EQ(bytes.size_bytes(), whole + kPage / 8);
  bytes.assign(2 * kPage - 8, 2 * kPage, false);
  EXPECT_EQ(bytes.size_bytes(), whole) << "all bytes are out, one by one";
  for (std::uint64_t at = kPage; at < 2 * kPage; at += 8)
    bytes.assign(at, at + 8, true);
  EXPECT_EQ(bytes.size_bytes(), whole) << "all bytes are in again";
  EXPECT_TRUE(bytes.contains(0, 100 * kPage));
}

}  // namespace
}  // namespace a2a3::isa::byte_set_test
