// SPDX-License-Identifier: Apache-2.0
#include "sim/network/link.hpp"

#include <gtest/gtest.h>

namespace a2a3::sim {
namespace {

TEST(Link, SendsAtOnceWhenIdle) {
  Link link;
  const LinkSlot slot = link.send(1000, 0, 500, 64, 38);
  EXPECT_EQ(slot.begin, 1000u);
  EXPECT_EQ(slot.leave, 1500u);
}

TEST(Link, IsTakenUntilTheLastByteHasLeft) {
  constexpr Picoseconds kWire = 500;
  for (const Picoseconds ready : {kWire - 1, kWire, kWire + 1}) {
    Link link;
    static_cast<void>(link.send(0, 0, kWire, 64, 38));
    EXPECT_EQ(link.send(ready, 0, kWire, 64, 38).begin, std::max(ready, kWire)) << ready;
  }
}

TEST(Link, WaitsForASlowerSource) {
  Link link;
  EXPECT_EQ(link.send(0, 800, 500, 64, 38).leave, 800u);
  EXPECT_EQ(link.send(0, 800, 500, 64, 38).begin, 800u);
}

TEST(Link, CountsBothEnds) {
  Link link;
  static_cast<void>(link.send(0, 0, 500, 64, 38));
  static_cast<void>(link.send(0, 0, 100, 4, 38));
  link.receive(64);
  EXPECT_EQ(link.statistics(), (LinkStatistics{.payload_sent_bytes = 68,
                                               .payload_received_bytes = 64,
                                               .header_bytes = 76,
                                               .messages_sent = 2,
                                               .messages_received = 1,
                                               .busy = 600}));
}

}  // namespace
}  // namespace a2a3::sim
