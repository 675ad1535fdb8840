// SPDX-License-Identifier: Apache-2.0
// Messages over routes of several links, tiers of a switch, and machines to compute by hand.
#include "sim/network/fabric.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "models/load_machine.hpp"
#include "sim/kernel/systemc_context.hpp"
#include "sim/observers/traffic_ledger.hpp"
#include "sim/time.hpp"
#include "unit/sim/fixture.hpp"

namespace a2a3::sim::fabric_test {
namespace {

using namespace test;

models::MachineDescription shipped(const char* name) {
  return *models::load_machine(name, A2A3_SOURCE_DIR).machine;
}

models::MachineDescription ring(std::uint32_t devices) {
  models::MachineDescription machine = round_machine();
  machine.topology = models::Topology::ring;
  machine.devices = devices;
  return machine;
}

std::vector<std::uint32_t> numbers(std::uint32_t count) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < count; ++i)
    result.push_back(i);
  return result;
}

/// A fabric without devices, and messages on it.
class Network {
 public:
  explicit Network(const models::MachineDescription& machine, std::vector<std::uint32_t> positions)
      : fabric("fabric", machine, std::move(positions), probe_) {
    probe_.attach(recorder);
  }

  /// Sends messages that are all ready at 0 and follows them as cores do; returns their arrivals.
  std::vector<Picoseconds> arrivals(const std::vector<Message>& messages) {
    struct Pending {
      Picoseconds time;
      std::size_t message;
      std::uint32_t transit;
    };
    std::vector<Pending> pending;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const Transit transit = fabric.send(
          messages[i], {.device = messages[i].from, .core = static_cast<std::uint32_t>(i)});
      pending.push_back({transit.look, i, transit.id});
    }
    std::vector<Picoseconds> arrived(messages.size());
    while (!pending.empty()) {
      const auto next = std::ranges::min_element(pending, {}, &Pending::time);
      const Progress progress = fabric.follow(next->transit, next->time);
      next->time = progress.time;
      if (!progress.arrived) continue;
      arrived[next->message] = progress.time;
      pending.erase(next);
    }
    return arrived;
  }

 private:
  SystemcContext context_;
  SystemcContext::Entered entered_{context_};
  Probe probe_;

 public:
  Recorder recorder;
  Fabric fabric;
};

Message write(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  return {.kind = LinkTransfer::Kind::write, .from = from, .to = to, .payload_bytes = bytes};
}

constexpr Picoseconds kHop = 100 * kNs;
constexpr Picoseconds kWire = 819'200;  // 4 KiB at 5 GB/s

TEST(Fabric, ARouteAddsAHopPerLinkAndStreamsOnce) {
  for (std::uint32_t hops = 1; hops <= 4; ++hops) {
    Network network(ring(8), numbers(8));
    EXPECT_EQ(network.arrivals({write(0, hops, 4096)})[0], kWire + hops * kHop) << hops;
    EXPECT_EQ(network.recorder.links.size(), hops);
    EXPECT_EQ(network.fabric.latency(0, hops), hops * kHop);
  }
}

TEST(Fabric, AMessageIsNotThereBeforeItsTime) {
  Network network(ring(8), numbers(8));
  const Transit transit = network.fabric.send(write(0, 2, 4096), {});
  EXPECT_EQ(transit.look, kHop) << "its head is at the second link";
  const Progress at_second = network.fabric.follow(transit.id, kHop);
  EXPECT_FALSE(at_second.arrived);
  EXPECT_EQ(at_second.time, kWire + 2 * kHop);
  EXPECT_FALSE(network.fabric.follow(transit.id, kWire + 2 * kHop - 1).arrived);
  EXPECT_TRUE(network.fabric.follow(transit.id, kWire + 2 * kHop).arrived);
}

TEST(Fabric, AnyLinkOfARouteMayBeShared) {
  // 0 -> 2 and 1 -> 2 meet on the link from 1 to 2, which the second has from the start: with one
  // quantum each the first waits for the end of it.
  Network network(ring(8), numbers(8));
  const auto arrived = network.arrivals({write(0, 2, 4096), write(1, 2, 4096)});
  EXPECT_EQ(arrived[1], kWire + kHop);
  EXPECT_EQ(arrived[0], 2 * kWire + kHop);
  for (const Fabric::UsedLink& link : network.fabric.used_links()) {
    EXPECT_EQ(link.statistics.payload_sent_bytes, link.from == 0 ? 4096u : 8192u);
    EXPECT_EQ(link.statistics.payload_received_bytes, link.statistics.payload_sent_bytes);
  }
}

TEST(Fabric, ASlowLinkOnTheWaySlowsTheMessage) {
  models::MachineDescription machine = ring(8);
  machine.slow_links = {{1, 2, 5e9, 500e-9}};
  Network network(machine, numbers(8));
  EXPECT_EQ(network.arrivals({write(0, 2, 4096)})[0], 2 * kWire + kHop + 500 * kNs);
  EXPECT_EQ(network.fabric.latency(2, 0), 2 * kHop) << "the way back is as ever";
}

TEST(Fabric, PositionsDecideTheRoute) {
  // Ranks at positions 0 and 2 of the ring are two hops apart; 1 has no rank.
  Network network(ring(8), {0, 2});
  EXPECT_EQ(network.arrivals({write(0, 1, 4096)})[0], kWire + 2 * kHop);
  ASSERT_EQ(network.recorder.links.size(), 2u);
  EXPECT_EQ(network.recorder.links[0].from, 0u);
  EXPECT_EQ(network.recorder.links[0].to, 2u + 1u) << "two ranks, then position 1";
  EXPECT_EQ(network.recorder.links[1].to, 1u);
}

TEST(Fabric, TrafficIsCountedAtTheEndsOfARoute) {
  TrafficLedger ledger(8);
  Network network(ring(8), numbers(8));
  static_cast<void>(network.arrivals({write(0, 3, 4096)}));
  for (const LinkTransfer& event : network.recorder.links)
    ledger.on_link_transfer(event);
  EXPECT_EQ(ledger.rank(0).payload_sent_bytes, 4096u);
  EXPECT_EQ(ledger.rank(1).payload_sent_bytes, 0u) << "passed, not sent";
  EXPECT_EQ(ledger.links().size(), 3u);
  for (const LinkTraffic& link : ledger.links())
    EXPECT_EQ(link.payload_bytes, 4096u);
}

TEST(Fabric, TiersOfA3) {
  const models::MachineDescription a3 = shipped("a3");
  const auto load_of = [&](std::uint32_t peer, int bytes) {
    std::vector<Program> programs(33);
    programs[0] = {load(peer, 0, 0, bytes / 4)};
    return run_programs(programs, a3)->recorder.of(Pipe::mte2).at(0).end;
  };
  // hardware.md, section 3: what a small access costs in total.
  EXPECT_NEAR(static_cast<double>(load_of(1, 32)), 200'000, 1000);
  EXPECT_NEAR(static_cast<double>(load_of(2, 32)), 700'000, 1000);
  EXPECT_NEAR(static_cast<double>(load_of(15, 32)), 700'000, 1000);
  EXPECT_NEAR(static_cast<double>(load_of(16, 32)), 2'100'000, 1000);
  const auto rate = [&](std::uint32_t peer) {
    return (131072.0 - 65536) / static_cast<double>(load_of(peer, 131072) - load_of(peer, 65536));
  };
  EXPECT_NEAR(rate(1), 0.210, 0.001) << "bytes per picosecond";
  EXPECT_NEAR(rate(2), 0.170, 0.001);
  EXPECT_NEAR(rate(32), 0.150, 0.001);
}

TEST(Fabric, ABlockOfTheDmaHasItsOverhead) {
  // hardware.md, section 4: blocks of 1 and 8 MiB, read 124.1 and 148.1, write 106.3 and 123.5
  // GB/s.
  const models::MachineDescription a3 = shipped("a3");
  const auto rate = [&](LinkTransfer::Kind kind, std::uint64_t bytes) {
    Network network(a3, numbers(4));
    Message message = write(0, 2, bytes);
    message.kind = kind;
    message.mover = models::Mover::dma;
    const auto hop = to_picoseconds(a3.switched.node.hop_seconds);
    return static_cast<double>(bytes) /
           static_cast<double>(network.arrivals({message})[0] + hop +
                               network.fabric.dma_overhead(0, 2)) *
           1000;
  };
  EXPECT_NEAR(rate(LinkTransfer::Kind::read_reply, 1u << 20), 124.1, 124.1 * 0.01);
  EXPECT_NEAR(rate(LinkTransfer::Kind::read_reply, 8u << 20), 148.1, 148.1 * 0.01);
  EXPECT_NEAR(rate(LinkTransfer::Kind::write, 1u << 20), 106.3, 106.3 * 0.01);
  EXPECT_NEAR(rate(LinkTransfer::Kind::write, 8u << 20), 123.5, 123.5 * 0.01);
}

TEST(Fabric, AllThatADieSendsToOtherPackagesSharesItsUplink) {
  const models::MachineDescription a3 = shipped("a3");
  constexpr std::uint64_t kBytes = 1u << 20;
  const auto reply = [](std::uint32_t from, std::uint32_t to) {
    Message message = write(from, to, kBytes);
    message.kind = LinkTransfer::Kind::read_reply;
    return message;
  };
  const auto last = [&](const std::vector<Message>& messages) {
    Network network(a3, numbers(8));
    const auto arrived = network.arrivals(messages);
    return *std::ranges::max_element(arrived);
  };
  const Picoseconds hop = to_picoseconds(a3.switched.node.hop_seconds);
  const auto wire = [](double bytes, double rate) { return to_picoseconds(bytes / rate); };
  EXPECT_EQ(last({reply(0, 2)}), wire(kBytes, 170e9) + hop);
  EXPECT_NEAR(static_cast<double>(last({reply(0, 2), reply(0, 4), reply(0, 6)})),
              static_cast<double>(wire(3 * kBytes, 196e9) + hop), 10);
  EXPECT_NEAR(static_cast<double>(last({reply(2, 0), reply(4, 0), reply(6, 0)})),
              static_cast<double>(wire(3 * kBytes, 196e9) + hop), 10)
      << "what it receives, too";
  EXPECT_EQ(last({reply(0, 2), reply(4, 0)}), wire(kBytes, 170e9) + hop) << "full duplex";
  EXPECT_EQ(last({reply(0, 2), reply(0, 1)}), wire(kBytes, 170e9) + hop) << "SIO is apart";
}

TEST(Fabric, TheTeachingMachineByHand) {
  // A rank of the teaching machine pulls 64 KiB from its neighbour and stores them to its own
  // memory. Cycles are nanoseconds.
  //   load: startup 200; request 100; the reply's 65536 bytes at 16 GB/s * 0.5 = 8 bytes a
  //         nanosecond take 8192; 100 back:                                     8592
  //   store, a flag of 10 behind the load: startup 100, 65536 / 64 = 1024:      1134
  const auto run =
      run_programs({{load(1, 0, 0, 16384), store(0, 0, 0, 16384)}, {}}, shipped("teaching"));
  EXPECT_EQ(run->recorder.of(Pipe::mte2).at(0).end, 8592 * kNs);
  EXPECT_EQ(run->recorder.of(Pipe::mte3).at(0).end, (8592 + 1134) * kNs);
  // A remote store: startup 100, 4096 / 8 = 512, there 100, acknowledged 100.
  const auto far = run_programs({{store(0, 1, 0, 1024)}, {}}, shipped("teaching"));
  EXPECT_EQ(far->recorder.of(Pipe::mte3).at(0).end, 812 * kNs);
}

}  // namespace
}  // namespace a2a3::sim::fabric_test
