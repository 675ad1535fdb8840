// SPDX-License-Identifier: Apache-2.0
#include "isa/lazy_bytes.hpp"

#include <algorithm>
#include <deque>
#include <fstream>
#include <new>

#include <gtest/gtest.h>
#include <unistd.h>

namespace a2a3::isa::lazy_bytes_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// Physical memory of this process.
std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  statm >> pages >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// What the C library's allocator does not keep up: once it has got such a block back, it takes the
/// next ones from its heap and clears them.
TEST(LazyBytes, CostNothingUntouchedTheSecondTimeEither) {
  constexpr std::size_t kBlocks = 200;
  const std::uint64_t before = resident_bytes();
  for (int round = 0; round < 3; ++round) {
    std::deque<LazyBytes> blocks;
    for (std::size_t i = 0; i < kBlocks; ++i)
      blocks.emplace_back(kMiB);
    for (LazyBytes& block : blocks) {
      EXPECT_EQ(block.bytes()[kMiB / 2], std::byte{0});
      block.bytes()[kMiB / 2] = std::byte{1};
    }
    EXPECT_LT(resident_bytes(), before + kBlocks * kMiB / 10);
  }
}

TEST(LazyBytes, AreZero) {
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4097}, 9 * kMiB}) {
    const LazyBytes bytes(size);
    EXPECT_EQ(bytes.size(), size);
    EXPECT_EQ(bytes.bytes().size(), size);
    EXPECT_TRUE(std::ranges::all_of(bytes.bytes(), [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST(LazyBytes, ThatTheAddressSpaceDoesNotHoldAreAnError) {
  EXPECT_THROW(LazyBytes(std::uint64_t{1} << 60), std::bad_alloc);
}

}  // namespace
}  // namespace a2a3::isa::lazy_bytes_test
