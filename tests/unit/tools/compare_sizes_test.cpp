// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/compare_sizes.hpp"

#include <gtest/gtest.h>

#include "tools/sweep/shard.hpp"
#include "tools/sweep/sweep_progress.hpp"

namespace a2a3::tools::compare_sizes_test {
namespace {

TEST(CompareSizes, RangesDoubleAndListsAreSorted) {
  ir::Diagnostics none;
  EXPECT_EQ(parse_sizes("1KiB..8 KiB", none), (std::vector<std::uint64_t>{1024, 2048, 4096, 8192}));
  EXPECT_EQ(parse_sizes("3..20,1 MiB, 17,6", none),
            (std::vector<std::uint64_t>{3, 6, 12, 17, 1 << 20}));
  EXPECT_EQ(parse_rank_counts("8,2..4,3", 64, none), (std::vector<std::uint32_t>{2, 3, 4, 8}));
  EXPECT_FALSE(none.has_errors()) << format(none);
}

TEST(CompareSizes, WhatIsNoSizeIsAnError) {
  for (const char* text :
       {"", "0", "-1", "1KiB..", "8KiB..1KiB", "many", "1 us", "1,,2", "1e99 B"}) {
    ir::Diagnostics found;
    (void)parse_sizes(text, found);
    EXPECT_TRUE(found.has_errors()) << text;
  }
  for (const char* text : {"", "0", "2,x", "4..2", "65", "2..65", "-1"}) {
    ir::Diagnostics found;
    (void)parse_rank_counts(text, 64, found);
    EXPECT_TRUE(found.has_errors()) << text;
  }
}

TEST(CompareSizes, TextsAreShort) {
  EXPECT_EQ(size_text(1), "1 B");
  EXPECT_EQ(size_text(1000), "1000 B");
  EXPECT_EQ(size_text(4096), "4 KiB");
  EXPECT_EQ(size_text(217'088), "212 KiB");
  EXPECT_EQ(size_text(217'090), "212 KiB");
  EXPECT_EQ(size_text(4100), "4100 B");
  EXPECT_EQ(size_text(67'108'864), "64 MiB");
  EXPECT_EQ(size_text(12'345), "12.1 KiB");
  EXPECT_EQ(size_text((std::uint64_t{3} << 20) + 4096), "3076 KiB");
}

TEST(Shard, PartsAreDisjointAndWhole) {
  for (const std::uint32_t count : {1u, 2u, 3u, 7u}) {
    for (std::size_t point = 0; point < 20; ++point) {
      int owners = 0;
      for (std::uint32_t index = 1; index <= count; ++index)
        owners += Shard{index, count}.has(point) ? 1 : 0;
      EXPECT_EQ(owners, 1);
    }
  }
}

TEST(Shard, OtherTextsAreNone) {
  EXPECT_EQ(parse_shard("2/8")->index, 2u);
  EXPECT_EQ(parse_shard("8/8")->count, 8u);
  for (const char* text : {"", "1", "0/4", "5/4", "1/0", "a/b", "1/4x", "/4", "1/", "-1/4"})
    EXPECT_FALSE(parse_shard(text)) << text;
}

TEST(SweepProgress, TimeLeftFollowsTheWorkThatIsLeft) {
  EXPECT_EQ(progress_text(0, 8, 0, 0, 100, 0), "0 of 8 runs");
  EXPECT_EQ(progress_text(2, 8, 0, 25, 100, 10), "2 of 8 runs, 0:30 left");
  EXPECT_EQ(progress_text(2, 8, 1, 50, 100, 125), "2 of 8 runs, 1 failed, 2:05 left");
  EXPECT_EQ(progress_text(1, 8, 0, 1, 1001, 4), "1 of 8 runs, 1:06:40 left");
  EXPECT_EQ(progress_text(8, 8, 2, 100, 100, 9), "8 of 8 runs, 2 failed");
}

}  // namespace
}  // namespace a2a3::tools::compare_sizes_test
