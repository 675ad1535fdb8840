// SPDX-License-Identifier: Apache-2.0
#include "sim/network/link.hpp"

#include <gtest/gtest.h>

namespace a2a3::sim {
namespace {

constexpr LinkArbitration kArbitration{.packet_payload_bytes = 512, .quantum_bytes = 4096};
/// Ten quanta of 100 ps.
constexpr LinkMessage kBulk{.ready = 1000, .wire_time = 1000, .payload_bytes = 40960};

LinkMessage packet(Picoseconds ready, Picoseconds wire_time = 7, std::uint64_t payload_bytes = 4) {
  return {.ready = ready, .wire_time = wire_time, .payload_bytes = payload_bytes};
}
LinkMessage bulk(Picoseconds ready, Picoseconds wire_time) {
  return {.ready = ready, .wire_time = wire_time, .payload_bytes = 4096};
}

TEST(Link, SendsAtOnceWhenIdle) {
  for (const std::uint64_t bytes : {4, 512, 513, 40960}) {
    Link link(kArbitration);
    const LinkSlot slot = link.send(packet(1000, 500, bytes));
    EXPECT_EQ(slot.begin, 1000u);
    EXPECT_EQ(slot.leave, 1500u);
  }
}

TEST(Link, IsTakenUntilTheLastByteHasLeft) {
  constexpr Picoseconds kWire = 500;
  for (const std::uint64_t bytes : {4, 4096})
    for (const Picoseconds ready : {kWire - 1, kWire, kWire + 1}) {
      Link link(kArbitration);
      static_cast<void>(link.send(packet(0, kWire, bytes)));
      EXPECT_EQ(link.send(packet(ready, kWire, bytes)).begin, std::max(ready, kWire)) << ready;
    }
}

TEST(Link, WaitsForASlowerSource) {
  Link link(kArbitration);
  LinkMessage slow = bulk(0, 500);
  slow.source_end = 800;
  EXPECT_EQ(link.send(slow).leave, 800u);
  EXPECT_EQ(link.send(slow).begin, 800u);
}

TEST(Link, APacketGoesAfterTheCurrentQuantum) {
  for (const auto& [ready, begin] : {std::pair<Picoseconds, Picoseconds>{1000, 1100},
                                     {1001, 1100},
                                     {1099, 1100},
                                     {1100, 1100},
                                     {1101, 1200},
                                     {1999, 2000},
                                     {2000, 2000},
                                     {2001, 2001}}) {
    Link link(kArbitration);
    static_cast<void>(link.send(kBulk));
    EXPECT_EQ(link.send(packet(ready)).begin, begin) << ready;
  }
}

TEST(Link, AMessageOfOneQuantumIsNotCut) {
  Link link(kArbitration);
  static_cast<void>(link.send(bulk(0, 300)));
  EXPECT_EQ(link.send(packet(1)).begin, 300u);
}

TEST(Link, QuantaOfASlowSourceTakeAsLongAsItDoes) {
  Link link(kArbitration);
  LinkMessage slow = kBulk;
  slow.source_end = 3000;
  EXPECT_EQ(link.send(slow).leave, 3000u);
  EXPECT_EQ(link.send(packet(1001)).begin, 1200u);
}

TEST(Link, OnlyTheMessageThatHoldsTheLinkIsCut) {
  Link link(kArbitration);
  static_cast<void>(link.send(kBulk));
  LinkMessage second = kBulk;
  second.wire_time = 2000;
  EXPECT_EQ(link.send(second).begin, 2000u);
  EXPECT_EQ(link.send(packet(1950)).begin, 2000u);
  EXPECT_EQ(link.send(packet(2150)).begin, 2200u) << "quanta of the second";
}

TEST(Link, BulkMessagesThatLeftHoldItNoMore) {
  Link link(kArbitration);
  for (Picoseconds ready = 0; ready < 10'000; ready += 1000)
    static_cast<void>(link.send(bulk(ready, 900)));
  EXPECT_EQ(link.send(packet(9899)).begin, 9900u);
  EXPECT_EQ(link.send(packet(9950)).begin, 9950u);
}

TEST(Link, PacketsGoOneAfterTheOther) {
  Link link(kArbitration);
  static_cast<void>(link.send(kBulk));
  EXPECT_EQ(link.send(packet(1001, 7)).leave, 1107u);
  EXPECT_EQ(link.send(packet(1002, 7)).begin, 1107u);
}

TEST(Link, WhatPacketsTookDelaysTheNextBulkMessage) {
  Link link(kArbitration);
  static_cast<void>(link.send(kBulk));
  static_cast<void>(link.send(packet(1001, 7)));
  static_cast<void>(link.send(packet(1500, 5)));
  const LinkSlot next = link.send(kBulk);
  EXPECT_EQ(next.begin, 2000u + 7 + 5);
  EXPECT_EQ(link.statistics().busy, 1000u + 7 + 5 + 1000);
  EXPECT_EQ(next.leave - 1000, link.statistics().busy) << "never more than one byte at a time";
}

TEST(Link, CountsBothEnds) {
  Link link(kArbitration);
  static_cast<void>(link.send({.wire_time = 500, .payload_bytes = 64, .header_bytes = 38}));
  static_cast<void>(link.send({.wire_time = 100, .payload_bytes = 4, .header_bytes = 38}));
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
