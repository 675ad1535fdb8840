// SPDX-License-Identifier: Apache-2.0
#include "sim/network/link.hpp"

#include <gtest/gtest.h>

namespace a2a3::sim::link_test {
namespace {

constexpr LinkArbitration kArbitration{.packet_payload_bytes = 512, .quantum_bytes = 4096};
/// Ten quanta of 100 ps.
constexpr LinkMessage kBulk{.ready = 1000, .wire_time = 1000, .payload_bytes = 40960};

LinkMessage packet(Picoseconds ready, Picoseconds wire_time = 7, std::uint64_t payload_bytes = 4) {
  return {.ready = ready, .wire_time = wire_time, .payload_bytes = payload_bytes};
}
LinkMessage bulk(Picoseconds ready, Picoseconds wire_time, std::uint64_t quanta = 1,
                 std::uint64_t mover = 0) {
  static std::uint64_t other_mover = 1000;
  return {.ready = ready,
          .wire_time = wire_time,
          .payload_bytes = 4096 * quanta,
          .mover = mover == 0 ? ++other_mover : mover};
}

/// Sends a message and says when it is on the link if nothing else comes.
LinkSlot slot_of(Link& link, const LinkMessage& message) {
  const Link::Ticket ticket = link.send(message);
  return link.look(ticket, message.ready);
}

TEST(Link, SendsAtOnceWhenIdle) {
  for (const std::uint64_t bytes : {4, 512, 513, 40960}) {
    Link link(kArbitration);
    const LinkSlot slot = slot_of(link, packet(1000, 500, bytes));
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
      EXPECT_EQ(slot_of(link, packet(ready, kWire, bytes)).begin, std::max(ready, kWire)) << ready;
    }
}

TEST(Link, WaitsForASlowerSourceAndGivesItsGapsToOthers) {
  for (const std::uint64_t quanta : {0, 1, 4}) {
    Link link(kArbitration);
    LinkMessage slow = bulk(0, 500, quanta);
    slow.source_end = 800;
    EXPECT_EQ(slot_of(link, slow).leave, 800u);
    EXPECT_EQ(slot_of(link, bulk(0, 500)).begin, quanta == 4 ? 125u : 500u);
  }
}

TEST(Link, ManyMoversWithManyQuantaAreForeseenAtOnce) {
  constexpr std::uint64_t kMovers = 48;
  constexpr std::uint64_t kQuanta = 1'000'000;
  constexpr Picoseconds kQuantum = 100;
  Link link(kArbitration);
  std::vector<Link::Ticket> tickets;
  for (std::uint64_t mover = 0; mover < kMovers; ++mover)
    tickets.push_back(link.send(bulk(0, kQuanta * kQuantum, kQuanta)));
  const auto leave = [&](std::uint64_t mover) {
    return ((kQuanta - 1) * kMovers + mover + 1) * kQuantum;
  };
  for (const Picoseconds now : {Picoseconds{0}, Picoseconds{50}, kMovers * kQuantum * 777 + 4321,
                                leave(0), leave(17), leave(17) + 1, leave(47) + 1}) {
    for (std::uint64_t mover = 0; mover < kMovers; ++mover) {
      const LinkSlot slot = link.look(tickets[mover], now);
      EXPECT_EQ(slot.begin, mover * kQuantum) << now;
      EXPECT_EQ(slot.leave, leave(mover)) << now << ", " << mover;
    }
  }
}

TEST(Link, ANewcomerInTheMiddleOfARoundComesBehindAllOthers) {
  Link link(kArbitration);
  const Link::Ticket a = link.send(bulk(0, 300, 3));
  const Link::Ticket b = link.send(bulk(0, 300, 3));
  // a 0-100, b 100-200, then a again; c behind b: a b | a b c a b c c.
  const Link::Ticket c = link.send(bulk(250, 300, 3));
  EXPECT_EQ(link.look(a, 250).leave, 600u);
  EXPECT_EQ(link.look(b, 250).leave, 700u);
  EXPECT_EQ(link.look(c, 250).begin, 400u);
  EXPECT_EQ(link.look(c, 250).leave, 900u);
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
    EXPECT_EQ(slot_of(link, packet(ready)).begin, begin) << ready;
  }
}

TEST(Link, AMessageOfOneQuantumIsNotCut) {
  Link link(kArbitration);
  static_cast<void>(link.send(bulk(0, 300)));
  EXPECT_EQ(slot_of(link, packet(1)).begin, 300u);
}

TEST(Link, BulkMessagesThatLeftHoldItNoMore) {
  Link link(kArbitration);
  for (Picoseconds ready = 0; ready < 10'000; ready += 1000)
    static_cast<void>(link.send(bulk(ready, 900)));
  EXPECT_EQ(slot_of(link, packet(9899)).begin, 9900u);
  EXPECT_EQ(slot_of(link, packet(9950)).begin, 9950u);
}

TEST(Link, PacketsGoOneAfterTheOther) {
  Link link(kArbitration);
  static_cast<void>(link.send(kBulk));
  EXPECT_EQ(slot_of(link, packet(1001, 7)).leave, 1107u);
  EXPECT_EQ(slot_of(link, packet(1002, 7)).begin, 1107u);
}

TEST(Link, APacketDelaysTheMessageItCutsInto) {
  Link link(kArbitration);
  const Link::Ticket cut = link.send(kBulk);
  EXPECT_EQ(link.look(cut, 1000).leave, 2000u);
  static_cast<void>(link.send(packet(1001, 7)));
  EXPECT_EQ(link.look(cut, 1001).leave, 2007u);
  static_cast<void>(link.send(packet(1905, 5)));
  EXPECT_EQ(link.look(cut, 1905).leave, 2012u) << "at 2007 the last quantum but one is over";
  static_cast<void>(link.send(packet(1950, 5)));
  EXPECT_EQ(link.look(cut, 1950).leave, 2012u) << "too late to be served before the last quantum";
}

TEST(Link, BulkMessagesTakeTurnsAtTheQuantum) {
  // Two of four quanta of 100: a b a b a b a b. Alone each would take 400.
  Link link(kArbitration);
  const Link::Ticket a = link.send(bulk(0, 400, 4));
  const Link::Ticket b = link.send(bulk(0, 400, 4));
  EXPECT_EQ(link.look(a, 0).leave, 700u);
  EXPECT_EQ(link.look(b, 0).begin, 100u);
  EXPECT_EQ(link.look(b, 0).leave, 800u);
}

TEST(Link, ANewcomerDelaysWhatIsUnderWay) {
  // a has its third quantum when b comes: a a a b a b.
  Link link(kArbitration);
  const Link::Ticket a = link.send(bulk(0, 400, 4));
  EXPECT_EQ(link.look(a, 0).leave, 400u);
  const Link::Ticket b = link.send(bulk(201, 200, 2));
  EXPECT_EQ(link.look(b, 201).begin, 300u);
  EXPECT_EQ(link.look(a, 201).leave, 500u);
  EXPECT_EQ(link.look(a, 400).leave, 500u) << "not gone at the time that it was first given";
  EXPECT_EQ(link.look(b, 500).leave, 600u);
}

TEST(Link, ManyMessagesShareItEvenly) {
  // Seven messages of n quanta end within one round of each other, the last when all work is done.
  constexpr std::uint64_t kQuanta = 9;
  Link link(kArbitration);
  std::vector<Link::Ticket> tickets;
  for (int i = 0; i < 7; ++i)
    tickets.push_back(link.send(bulk(0, 100 * kQuanta, kQuanta)));
  for (std::size_t i = 0; i < tickets.size(); ++i)
    EXPECT_EQ(link.look(tickets[i], 0).leave, 7 * 100 * kQuanta - 100 * (6 - i));
}

TEST(Link, MessagesOfOneMoverStayInOrder) {
  // a1 a1 a1 a2, and with b: a1 b a1 b a1 a2.
  Link link(kArbitration);
  const Link::Ticket a1 = link.send(bulk(0, 300, 3, 7));
  const Link::Ticket a2 = link.send(bulk(0, 100, 1, 7));
  EXPECT_EQ(link.look(a1, 0).leave, 300u);
  EXPECT_EQ(link.look(a2, 0).begin, 300u);
  EXPECT_EQ(link.look(a2, 0).leave, 400u);
  const Link::Ticket b = link.send(bulk(50, 200, 2, 8));
  EXPECT_EQ(link.look(b, 50).leave, 400u);
  EXPECT_EQ(link.look(a1, 50).leave, 500u);
  EXPECT_EQ(link.look(a2, 50).leave, 600u);
}

TEST(Link, LooksDoNotChangeTimes) {
  const auto times = [](bool looked_at) {
    Link link(kArbitration);
    std::vector<Link::Ticket> tickets;
    for (Picoseconds ready = 0; ready < 5000; ready += 37) {
      tickets.push_back(link.send(bulk(ready, 100 + ready % 90, 1 + ready % 5)));
      if (looked_at)
        for (const Link::Ticket ticket : tickets)
          static_cast<void>(link.look(ticket, ready));
    }
    std::vector<Picoseconds> leave;
    for (const Link::Ticket ticket : tickets)
      leave.push_back(link.look(ticket, 1'000'000).leave);
    return leave;
  };
  EXPECT_EQ(times(true), times(false));
}

TEST(Link, NeverSendsMoreThanOneByteAtATime) {
  Link link(kArbitration);
  Link::Ticket last = 0;
  for (const std::uint64_t quanta : {3, 0, 5, 1, 0, 2})
    last = link.send(bulk(0, 70 * quanta + 3, quanta));
  Picoseconds end = 0;
  for (Link::Ticket ticket = 1; ticket <= last; ++ticket)
    end = std::max(end, link.look(ticket, 0).leave);
  EXPECT_EQ(end, link.statistics().busy);
}

TEST(Link, CountsBothEnds) {
  Link link(kArbitration);
  const Link::Ticket first = link.send({.wire_time = 500, .payload_bytes = 64, .header_bytes = 38});
  const Link::Ticket second =
      link.send({.wire_time = 100, .payload_bytes = 4096, .header_bytes = 38});
  EXPECT_EQ(link.look(first, 500).leave, 500u);
  link.receive(first);
  LinkStatistics expected{.payload_sent_bytes = 4160,
                          .payload_received_bytes = 64,
                          .header_bytes = 76,
                          .messages_sent = 2,
                          .messages_received = 1,
                          .busy = 600,
                          .peak_queue = 2};
  EXPECT_EQ(link.statistics(), expected);
  EXPECT_EQ(link.look(second, 600).leave, 600u);
  link.receive(second);
  expected.payload_received_bytes = 4160;
  expected.messages_received = 2;
  EXPECT_EQ(link.statistics(), expected);
}

}  // namespace
}  // namespace a2a3::sim::link_test
