// SPDX-License-Identifier: Apache-2.0
#include "interp/tile_allocator.hpp"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace a2a3::interp::tile_allocator_test {
namespace {

TEST(TileAllocator, TakesTheLowestGapThatIsLargeEnough) {
  TileAllocator ub(1024);
  EXPECT_EQ(ub.allocate(100, 0), 0u);  // 128 with alignment
  EXPECT_EQ(ub.allocate(32, 0), 128u);
  EXPECT_EQ(ub.allocate(64, 0), 160u);
  ub.release(0);
  EXPECT_EQ(ub.allocate(160, 0), 224u);  // the gap of 128 is too small
  EXPECT_EQ(ub.allocate(128, 0), 0u);
}

TEST(TileAllocator, FillsTheBufferToTheLastByte) {
  TileAllocator ub(96);
  EXPECT_EQ(ub.allocate(64, 0), 0u);
  EXPECT_EQ(ub.allocate(33, 0), std::nullopt);
  EXPECT_EQ(ub.allocate(32, 0), 64u);
  EXPECT_EQ(ub.free_bytes(), 0u);
  EXPECT_EQ(ub.allocate(0, 0), std::nullopt);  // an empty tile takes one unit
  ub.release(0);
  EXPECT_EQ(ub.free_bytes(), 64u);
  EXPECT_EQ(ub.largest_gap_bytes(), 64u);
}

TEST(TileAllocator, RefusesWhatCanNeverFit) {
  TileAllocator ub(188416);
  EXPECT_EQ(ub.allocate(188417, 0), std::nullopt);
  EXPECT_EQ(ub.allocate(~std::uint64_t{0}, 0), std::nullopt);
  EXPECT_EQ(ub.allocate(188416, 0), 0u);
}

TEST(TileAllocator, FreesABlockWhenItsLastHolderLetsGo) {
  TileAllocator ub(64);
  const auto block = ub.allocate(64, 0);
  ASSERT_TRUE(block);
  EXPECT_TRUE(ub.has_one_holder(*block));
  ub.retain(*block);
  EXPECT_FALSE(ub.has_one_holder(*block));
  ub.release(*block);
  EXPECT_EQ(ub.allocate(32, 0), std::nullopt);
  ub.release(*block);
  EXPECT_EQ(ub.allocate(32, 0), 0u);
}

TEST(TileAllocator, NeverHandsOutBytesTwice) {
  std::mt19937 random(7);
  TileAllocator ub(8192);
  std::map<std::uint32_t, std::uint64_t> live;
  for (int step = 0; step < 20000; ++step) {
    if (live.empty() || random() % 2 == 0) {
      const std::uint64_t bytes = 1 + random() % 700;
      const auto offset = ub.allocate(bytes, 0);
      if (!offset) {
        EXPECT_LT(ub.largest_gap_bytes(), bytes);
        continue;
      }
      EXPECT_EQ(*offset % TileAllocator::kAlignBytes, 0u);
      EXPECT_LE(*offset + bytes, 8192u);
      for (const auto& [other, size] : live) {
        EXPECT_TRUE(*offset + bytes <= other || other + size <= *offset);
      }
      live[*offset] = bytes;
    } else {
      auto victim = live.begin();
      std::advance(victim, static_cast<long>(random() % live.size()));
      ub.release(victim->first);
      live.erase(victim);
    }
    EXPECT_EQ(ub.blocks().size(), live.size());
  }
}

}  // namespace
}  // namespace a2a3::interp::tile_allocator_test
