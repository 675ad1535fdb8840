// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sim/observers/core_times.hpp"
#include "sim/observers/signal_log.hpp"
#include "sim/observers/traffic_ledger.hpp"
#include "unit/sim/fixture.hpp"

namespace a2a3::sim::observers_test {
namespace {

using namespace test;

Traffic traffic_of(const std::vector<Program>& programs, std::uint32_t device) {
  auto run = make_run(programs);
  TrafficLedger ledger(static_cast<std::uint32_t>(programs.size()));
  run->machine->attach(ledger);
  EXPECT_EQ(run->machine->run().outcome, Outcome::finished);
  return ledger.rank(device);
}

isa::TLoad remote_load(std::uint32_t peer, int count) {
  isa::TLoad operation = load(peer, 0, 0, count);
  operation.peer_addressed = true;
  return operation;
}
isa::TStore remote_store(std::uint32_t peer, int count) {
  isa::TStore operation = store(0, peer, 0, count);
  operation.peer_addressed = true;
  return operation;
}

SignalLanded signal(std::uint32_t from, isa::SourceId source, isa::GlobalAddress cell) {
  SignalLanded event;
  event.origin = {.device = from, .task = 0, .source = source};
  event.notify = {cell, 1, isa::NotifyOp::atomic_add};
  event.value = 1;
  return event;
}

TEST(SignalLog, CountsTheOtherDevicesThatSignalledACell) {
  SignalLog log;
  const isa::GlobalAddress cell{1, 64};
  EXPECT_EQ(log.other_senders(cell), 0u);
  log.on_signal_landed(signal(1, 5, cell));
  EXPECT_EQ(log.other_senders(cell), 0u);
  for (const std::uint32_t from : {4u, 2u, 4u, 0u})
    log.on_signal_landed(signal(from, 5, cell));
  log.on_signal_landed(signal(2, 6, cell));
  EXPECT_EQ(log.other_senders(cell), 3u);
  EXPECT_EQ(log.other_senders({1, 68}), 0u);
}

TEST(TrafficLedger, APullIsReceivedByThePullerAndSentByThePeer) {
  const std::vector<Program> programs{{remote_load(1, 256)}, {}};
  EXPECT_EQ(traffic_of(programs, 0), (Traffic{.payload_received_bytes = 1024, .header_bytes = 32}));
  EXPECT_EQ(traffic_of(programs, 1),
            (Traffic{.payload_sent_bytes = 1024, .header_bytes = 2 * 38, .gm_read_bytes = 1024}));
}

TEST(TrafficLedger, APushIsSentByItsOwner) {
  const std::vector<Program> programs{{remote_store(1, 256)}, {}};
  EXPECT_EQ(traffic_of(programs, 0), (Traffic{.payload_sent_bytes = 1024, .header_bytes = 2 * 38}));
  EXPECT_EQ(traffic_of(programs, 1),
            (Traffic{.payload_received_bytes = 1024, .gm_written_bytes = 1024}));
}

TEST(TrafficLedger, TheLastPhaseHoldsAllThatFollows) {
  Program program;
  for (std::int32_t i = 1; i <= 300; ++i)
    program.add(notify(0, 0)).add(wait(0, 0, i));
  program.add(remote_store(1, 256));
  auto run = make_run({program, {}});
  TrafficLedger ledger(2);
  run->machine->attach(ledger);
  EXPECT_EQ(run->machine->run().outcome, Outcome::finished);
  ASSERT_EQ(ledger.phases(0).size(), kLastPhase + 1u);
  EXPECT_EQ(ledger.phases(0)[kLastPhase].payload_sent_bytes, 1024u);
  EXPECT_EQ(ledger.phases(0)[kLastPhase].clears, 300u - kLastPhase);
  EXPECT_EQ(ledger.rank(0).clears, 300u);
}

TEST(TrafficLedger, StridedTransfersCountTheirElementsOnly) {
  const isa::TStore strided{tile(0, 4, 8), box(1, 0, 4, 8, 100), false, true};
  EXPECT_EQ(traffic_of({{strided}, {}}, 1),
            (Traffic{.payload_received_bytes = 128, .gm_written_bytes = 128}));
}

TEST(TrafficLedger, TransfersToItselfAreLocalAndCountOnce) {
  EXPECT_EQ(traffic_of({{remote_load(0, 256)}}, 0).local_bytes, 1024u);
  EXPECT_EQ(traffic_of({{remote_store(0, 256)}}, 0).local_bytes, 1024u);
  const isa::TPut put{box(0, 4096, 4, 64), box(0, 0, 4, 64), tile(0, 1, 64), {}, false};
  const Traffic self_put = traffic_of({{put}}, 0);
  EXPECT_EQ(self_put,
            (Traffic{.local_bytes = 1024, .gm_read_bytes = 1024, .gm_written_bytes = 1024}));
  const isa::TGet get{box(0, 4096, 4, 64), box(0, 0, 4, 64), tile(0, 1, 64), {}};
  EXPECT_EQ(traffic_of({{get}}, 0), self_put);
  EXPECT_EQ(traffic_of({{load(0, 0, 0, 256), store(0, 0, 4096, 256)}}, 0).local_bytes, 0u);
}

TEST(TrafficLedger, PutAndGetMoveTheSameBytesInOppositeDirections) {
  const isa::TPut put{box(1, 4096, 4, 64), box(0, 0, 4, 64), tile(0, 1, 64), {}, false};
  const isa::TGet get{box(0, 4096, 4, 64), box(1, 0, 4, 64), tile(0, 1, 64), {}};
  EXPECT_EQ(traffic_of({{put}, {}}, 0).payload_sent_bytes, 1024u);
  EXPECT_EQ(traffic_of({{put}, {}}, 1).payload_received_bytes, 1024u);
  EXPECT_EQ(traffic_of({{get}, {}}, 1).payload_sent_bytes, 1024u);
  EXPECT_EQ(traffic_of({{get}, {}}, 0).payload_received_bytes, 1024u);
}

TEST(TrafficLedger, SignalsToPeersAndClearsOfOwnCells) {
  const std::vector<Program> programs{
      {notify(1, 0), notify(1, 4), notify(0, 0, 0, isa::NotifyOp::set)}, {wait(1, 0), wait(1, 4)}};
  EXPECT_EQ(traffic_of(programs, 0),
            (Traffic{.signals_sent = 2, .clears = 1, .header_bytes = 2 * 38}));
  EXPECT_EQ(traffic_of(programs, 1), (Traffic{.signals_received = 2}));
}

TEST(TrafficLedger, SplitsIntoThePhasesOfTheCoreThatMoves) {
  auto run = make_run({{remote_store(1, 8), notify(1, 0), wait(0, 0), remote_load(1, 16)},
                       {notify(0, 0), wait(1, 0)}});
  TrafficLedger ledger(2);
  run->machine->attach(ledger);
  static_cast<void>(run->machine->run());
  ASSERT_EQ(ledger.phases(0).size(), 2u);
  EXPECT_EQ(ledger.phases(0)[0].payload_sent_bytes, 32u);
  EXPECT_EQ(ledger.phases(0)[1].payload_received_bytes, 64u);
  EXPECT_EQ(ledger.phases(1).at(1).payload_sent_bytes, 64u);
  const auto links = ledger.links();
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(links[0], (LinkTraffic{.from = 0,
                                   .to = 1,
                                   .payload_bytes = 32,
                                   .header_bytes = 38 + 38 + 32,
                                   .messages = 3,
                                   .signals = 1}));
  EXPECT_EQ(links[1].payload_bytes, 64u);
}

TEST(CoreTimes, OverlappingOperationsCountOnce) {
  auto run = make_run({{load(0, 0, 0, 1024), load(0, 0, 8192, 1024), wait(0, 0, 0)}});
  CoreTimes times;
  run->machine->attach(times);
  const RunReport report = run->machine->run();
  ASSERT_EQ(times.cores().size(), 1u);
  const CoreTime core = times.cores()[0];
  const auto loads = run->recorder.of(Pipe::mte2);
  EXPECT_LT(loads[1].begin, loads[0].end);
  EXPECT_EQ(core.busy[static_cast<int>(Pipe::mte2)], loads[1].end - loads[0].begin);
  EXPECT_EQ(core.waiting, 250 * kNs) << "a poll and the acquire";
  EXPECT_EQ(core.end, report.end);
}

TEST(SignalLog, AggregatesByCellSenderAndLine) {
  Program sender;
  for (int i = 0; i < 3; ++i)
    sender.add(notify(1, 64, 2));
  for (isa::Instruction& instruction : sender.instructions)
    instruction.source = 17;
  sender.add(notify(1, 64, 9, isa::NotifyOp::set));
  auto run = make_run({sender, {}, {notify(1, 8)}});
  SignalLog log;
  run->machine->attach(log);
  static_cast<void>(run->machine->run());
  const auto credits = log.credits(1);
  ASSERT_EQ(credits.size(), 3u);
  EXPECT_EQ(credits[0].cell.offset_bytes, 8u);
  EXPECT_EQ(credits[0].from_device, 2u);
  const auto& add = credits[1].source == 17 ? credits[1] : credits[2];
  EXPECT_EQ(add.count, 3u);
  EXPECT_EQ(add.sum, 6);
  EXPECT_EQ(add.from_device, 0u);
  EXPECT_TRUE(log.credits(0).empty());
}

SignalLanded landed(std::uint32_t from, std::int32_t value, std::int32_t after,
                    isa::NotifyOp op = isa::NotifyOp::atomic_add) {
  return {.origin = {.device = from, .source = from + 10},
          .notify = {{0, 64}, value, op},
          .value = after};
}

TEST(SignalLog, ASetWipesOutOnlyWhatNoWaitHasAskedFor) {
  const isa::GlobalAddress cell{0, 64};
  SignalLog log;
  EXPECT_FALSE(log.was_asked_for(cell));
  log.on_signal_landed(landed(1, 1, 1));
  log.on_wait_ended({.origin = {}, .wait = {cell, 1}});
  log.on_signal_landed(landed(0, 0, 0, isa::NotifyOp::set));
  EXPECT_TRUE(log.was_asked_for(cell));
  EXPECT_FALSE(log.wiped_out(cell));
  log.on_signal_landed(landed(1, 1, 1));
  log.on_wait_ended({.origin = {}, .wait = {cell, 1}});
  log.on_signal_landed(landed(2, 3, 4));
  log.on_signal_landed(landed(0, 0, 0, isa::NotifyOp::set));
  const auto wiped = log.wiped_out(cell);
  ASSERT_TRUE(wiped);
  EXPECT_EQ(wiped->before, 4);
  EXPECT_EQ(wiped->added_by, 2u);
  EXPECT_EQ(wiped->added_source, 12u);
  EXPECT_EQ(wiped->set_by, 0u);
  EXPECT_TRUE(log.has_held(cell, 1));
  EXPECT_FALSE(log.has_held(cell, 2));
  EXPECT_FALSE(log.wiped_out({1, 64}));
}

TEST(SignalLog, TellsTheSumOfAddsAndTheLastValueThatWasSet) {
  const isa::GlobalAddress cell{0, 64};
  for (const isa::NotifyOp op : {isa::NotifyOp::set, isa::NotifyOp::atomic_add}) {
    SignalLog log;
    log.on_signal_landed(landed(1, 1, 1, op));
    log.on_signal_landed(landed(1, 2, op == isa::NotifyOp::set ? 2 : 3, op));
    const auto credits = log.credits_of(cell);
    ASSERT_EQ(credits.size(), 1u);
    EXPECT_EQ(credits[0].count, 2u);
    EXPECT_EQ(credits[0].sum, op == isa::NotifyOp::set ? 2 : 3);
  }
}

}  // namespace
}  // namespace a2a3::sim::observers_test
