// SPDX-License-Identifier: Apache-2.0
#include "ir/device_set.hpp"

#include <gtest/gtest.h>

namespace a2a3::ir::device_set_test {
namespace {

DeviceSet set_of(const std::vector<DeviceSet::Run>& runs) {
  DeviceSet set;
  for (const DeviceSet::Run& run : runs)
    set.add(run);
  return set;
}

TEST(DeviceSet, JoinsRunsThatTouchOrOverlap) {
  EXPECT_EQ(set_of({{0, 2}, {2, 4}}), set_of({{0, 4}}));
  EXPECT_EQ(set_of({{3, 5}, {0, 4}}), set_of({{0, 5}}));
  EXPECT_EQ(set_of({{0, 8}, {2, 3}}), set_of({{0, 8}}));
  EXPECT_EQ(set_of({{0, 1}, {2, 3}}).runs().size(), 2u);
}

TEST(DeviceSet, ARunUpToTheWorldSizeTakesInWhatBeginsBehindIt) {
  const DeviceSet all = set_of({{0, std::nullopt}});
  EXPECT_EQ(set_of({{3, 4}, {0, std::nullopt}, {7, 9}}), all);
  EXPECT_EQ(set_of({{0, 1}, {1, std::nullopt}}), all);
  EXPECT_NE(set_of({{0, 4}}), all);  // four devices, whatever the world size is
}

TEST(DeviceSet, EmptyRunsAddNothing) {
  EXPECT_TRUE(set_of({{2, 2}, {3, 1}}).empty());
  EXPECT_EQ(set_of({}).to_string(), "none");
}

TEST(DeviceSet, CountsItsDevices) {
  EXPECT_EQ(set_of({{1, 3}, {5, 6}}).count(), Dim(3));
  EXPECT_EQ(set_of({{0, std::nullopt}}).count(), Dim::world_size());
  EXPECT_EQ(set_of({{0, 1}, {3, std::nullopt}}).count(), Dim::world_size() - Dim(2));
}

TEST(DeviceSet, ReadsAsOptionsAreWritten) {
  EXPECT_EQ(set_of({{0, 4}, {6, 7}}).to_string(), "0-3, 6");
  EXPECT_EQ(set_of({{1, std::nullopt}}).to_string(), "1-");
}

}  // namespace
}  // namespace a2a3::ir::device_set_test
