// SPDX-License-Identifier: Apache-2.0
#include "sim/observers/source_traffic.hpp"

#include <gtest/gtest.h>

namespace a2a3::sim::source_traffic_test {
namespace {

Origin origin(std::uint32_t device, isa::SourceId source) {
  return {.device = device, .source = source};
}

TEST(SourceTraffic, CountsByTheLineThatCausedIt) {
  SourceTraffic traffic(2);
  // Line 3 of device 0 pulls 64 bytes from device 1 and 16 from itself.
  traffic.on_link_transfer({.origin = origin(0, 3),
                            .from = 0,
                            .to = 1,
                            .source = 0,
                            .destination = 1,
                            .kind = LinkTransfer::Kind::read_request,
                            .header_bytes = 16});
  traffic.on_link_transfer({.origin = origin(0, 3),
                            .from = 1,
                            .to = 0,
                            .source = 1,
                            .destination = 0,
                            .kind = LinkTransfer::Kind::read_reply,
                            .payload_bytes = 64,
                            .header_bytes = 8});
  traffic.on_local_transfer({.origin = origin(0, 3), .payload_bytes = 16});
  EXPECT_EQ(traffic.sources(0).at(3).traffic.payload_received_bytes, 64u);
  EXPECT_EQ(traffic.sources(0).at(3).traffic.local_bytes, 16u);
  EXPECT_EQ(traffic.sources(0).at(3).traffic.header_bytes, 16u);
  EXPECT_EQ(traffic.sources(1).at(3).traffic.payload_sent_bytes, 64u);
  EXPECT_EQ(traffic.sources(0).at(2).traffic, Traffic{});
}

TEST(SourceTraffic, SumsWhatSetSignalsCarry) {
  SourceTraffic traffic(2);
  const auto signal = [&](std::uint32_t from, std::uint32_t to, isa::NotifyOp op,
                          std::int32_t value) {
    traffic.on_signal_landed(
        {.origin = origin(from, 1), .notify = {.cell = {to, 0}, .value = value, .op = op}});
  };
  signal(0, 1, isa::NotifyOp::set, 5);
  signal(1, 1, isa::NotifyOp::set, 7);
  signal(0, 1, isa::NotifyOp::atomic_add, 1);
  const SourceTraffic::Entry& entry = traffic.sources(1).at(1);
  EXPECT_EQ(entry.set_values_received, 5);
  EXPECT_EQ(entry.traffic.signals_received, 2u);
  EXPECT_EQ(entry.traffic.clears, 1u);
}

TEST(SourceTraffic, KnowsWhenALineWasAtWork) {
  SourceTraffic traffic(1);
  traffic.on_pipe_activity({.origin = origin(0, 2), .begin = 30, .end = 40});
  traffic.on_wait_ended({.origin = origin(0, 2), .wait = {}, .begin = 20, .end = 25});
  EXPECT_EQ(traffic.sources(0).at(2).begin, 20u);
  EXPECT_EQ(traffic.sources(0).at(2).end, 40u);
  EXPECT_GT(traffic.sources(0).at(1).begin, traffic.sources(0).at(1).end) << "did nothing";
}

TEST(Traffic, PartsAddUpAndAreTakenOut) {
  Traffic whole{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Traffic part{1, 1, 1, 1, 1, 1, 1, 1, 1};
  Traffic sum = whole;
  sum += part;
  sum -= part;
  EXPECT_EQ(sum, whole);
}

}  // namespace
}  // namespace a2a3::sim::source_traffic_test
