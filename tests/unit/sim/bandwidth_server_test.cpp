// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/bandwidth_server.hpp"

#include <gtest/gtest.h>

namespace a2a3::sim::bandwidth_server_test {
namespace {

constexpr double kBytePerPicosecond = 1e12;

TEST(BandwidthServer, ServesOneAfterTheOther) {
  BandwidthServer server;
  EXPECT_EQ(server.reserve(1000, 100, kBytePerPicosecond), 1100u);
  EXPECT_EQ(server.reserve(1099, 100, kBytePerPicosecond), 1200u);
  EXPECT_EQ(server.reserve(1200, 100, kBytePerPicosecond), 1300u);
  EXPECT_EQ(server.reserve(1301, 100, kBytePerPicosecond), 1401u);
  EXPECT_EQ(server.busy(), 400u);
}

TEST(BandwidthServer, RatesMayDiffer) {
  BandwidthServer server;
  EXPECT_EQ(server.reserve(0, 100, kBytePerPicosecond), 100u);
  EXPECT_EQ(server.reserve(0, 100, kBytePerPicosecond / 4), 500u);
}

}  // namespace
}  // namespace a2a3::sim::bandwidth_server_test
