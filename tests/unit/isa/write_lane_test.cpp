// SPDX-License-Identifier: Apache-2.0
#include "isa/write_lane.hpp"

#include <array>

#include <gtest/gtest.h>

namespace a2a3::isa::write_lane_test {
namespace {

constexpr std::array<std::byte, 4> kFour{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};

WriteLane lane_of_three() {
  WriteLane lane;
  lane.add({1, 0}, kFour, std::nullopt);
  lane.add({1, 8}, kFour, DType::int32);
  lane.add({1, 16}, kFour, std::nullopt);
  return lane;
}

TEST(WriteLane, GivesTheOldestFirstAsItWas) {
  WriteLane lane = lane_of_three();
  const WriteInFlight first = lane.take();
  EXPECT_EQ(first.address, (GlobalAddress{1, 0}));
  EXPECT_EQ(first.bytes, std::vector<std::byte>(kFour.begin(), kFour.end()));
  EXPECT_FALSE(first.added);
  EXPECT_EQ(lane.take().added, DType::int32);
  EXPECT_EQ(lane.take().address.offset_bytes, 16U);
  EXPECT_TRUE(lane.empty());
}

TEST(WriteLane, SaysHowManyLandBeforeBytesAreFree) {
  const WriteLane lane = lane_of_three();
  EXPECT_EQ(lane.behind({1, 0}, 4), 1U);
  EXPECT_EQ(lane.behind({1, 11}, 1), 2U);
  EXPECT_EQ(lane.behind({1, 12}, 4), 0U);  // between two
  EXPECT_EQ(lane.behind({1, 12}, 5), 3U);  // touches the last
  EXPECT_EQ(lane.behind({1, 20}, 100), 0U);
  EXPECT_EQ(lane.behind({1, 0}, 100), 3U);
}

}  // namespace
}  // namespace a2a3::isa::write_lane_test
