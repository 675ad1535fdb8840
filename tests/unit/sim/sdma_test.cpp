// SPDX-License-Identifier: Apache-2.0
#include "sim/core/sdma.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "sim/observers/traffic_ledger.hpp"
#include "sim/time.hpp"
#include "unit/sim/fixture.hpp"

namespace a2a3::sim::sdma_test {
namespace {

using namespace test;

const models::MachineDescription kMachine = round_machine();
const Picoseconds kHop = to_picoseconds(kMachine.link.hop_seconds);
const Picoseconds kStartup = to_picoseconds(kMachine.sdma.startup_seconds);

Picoseconds streaming(double bytes) {
  return to_picoseconds(bytes / kMachine.sdma.stream_bytes_per_second);
}
Picoseconds wire(double bytes, double efficiency) {
  return to_picoseconds(bytes / (kMachine.link.bytes_per_second * efficiency));
}
isa::TGetAsync get(int count, std::uint32_t event = 0, std::uint64_t offset = 4096) {
  return {box(0, offset, 1, count), box(1, offset, 1, count), event};
}
isa::TPutAsync put(int count, std::uint32_t event = 0, std::uint64_t offset = 4096) {
  return {box(1, offset, 1, count), box(0, offset, 1, count), event};
}
std::vector<std::int32_t> numbers(std::size_t count) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(Sdma, AGetIsCompleteWhenItsLastBurstHasArrived) {
  for (const int ints : {1, 17, 256, 1000, 4097}) {
    const double bytes = 4.0 * ints;
    const double burst = static_cast<double>(kMachine.sdma.burst_bytes);
    const double last = bytes - burst * std::floor((bytes - 1) / burst);
    auto run = make_run({{get(ints), isa::TWaitEvent{0}}, {}});
    write_ints(*run->machine, 1, 4096, numbers(static_cast<std::size_t>(ints)));
    const RunReport report = run->machine->run();
    // The last burst leaves when it is there and the one before has left.
    const Picoseconds before =
        bytes > last ? streaming(bytes - last) + wire(burst, kMachine.link.dma_read_efficiency) : 0;
    const Picoseconds expected = kStartup + 2 * kHop + std::max(streaming(bytes), before) +
                                 wire(last, kMachine.link.dma_read_efficiency);
    EXPECT_NEAR(static_cast<double>(report.end), static_cast<double>(expected), 20) << ints;
    EXPECT_EQ(read_ints(*run->machine, 0, 4096, static_cast<std::size_t>(ints)),
              numbers(static_cast<std::size_t>(ints)));
  }
}

TEST(Sdma, APutLandsOneHopBeforeItIsComplete) {
  const auto run = run_programs({{put(256), isa::TWaitEvent{0}}, {}});
  const Picoseconds landing =
      kStartup + streaming(1024) + wire(1024, kMachine.link.dma_write_efficiency) + kHop;
  ASSERT_EQ(run->recorder.accesses.size(), 2u);
  EXPECT_EQ(run->recorder.accesses[1].time, landing);
  EXPECT_EQ(run->report.end, landing + kHop);
  ASSERT_EQ(run->recorder.links.size(), 1u);
  EXPECT_EQ(run->recorder.links[0].kind, LinkTransfer::Kind::write);
  EXPECT_EQ(run->recorder.links[0].payload_bytes, 1024u);
}

TEST(Sdma, MemoryChangesWhenTheLastBurstLands) {
  auto alone = make_run({{put(1000), isa::TWaitEvent{0}}, {}});
  static_cast<void>(alone->machine->run());
  const Picoseconds landing = alone->recorder.accesses.at(1).time;
  const Picoseconds startup = to_picoseconds(kMachine.core.load_startup_cycles * 1e-9);
  // The peer samples its first element one picosecond before and one after.
  for (const int late : {-1, 1}) {
    auto run = make_run({{put(1000), isa::TWaitEvent{0}}, {load(1, 4096, 0, 8), store(0, 1, 0, 8)}},
                        kMachine, {0, landing - startup + static_cast<Picoseconds>(late)});
    write_ints(*run->machine, 0, 4096, numbers(1000));
    static_cast<void>(run->machine->run());
    EXPECT_EQ(read_ints(*run->machine, 1, 0, 1)[0], late < 0 ? 0 : 1);
  }
}

TEST(Sdma, ALinkSlowerThanTheStreamHoldsItUp) {
  models::MachineDescription slow = kMachine;
  slow.link.bytes_per_second = 4e9;  // 1.6 GB/s for writes by DMA, the stream has 4
  const auto run = run_programs({{put(16384), isa::TWaitEvent{0}}, {}}, slow);
  const Picoseconds expected =
      kStartup + streaming(1024) + to_picoseconds(65536 / 1.6e9) + 2 * kHop;
  EXPECT_NEAR(static_cast<double>(run->report.end), static_cast<double>(expected), 100);
}

TEST(Sdma, ACopyWithinTheDeviceTouchesNoLink) {
  const isa::TPutAsync copy{box(0, 8192, 1, 512), box(0, 4096, 1, 512)};
  auto run = make_run({{copy, isa::TWaitEvent{0}}});
  write_ints(*run->machine, 0, 4096, numbers(512));
  EXPECT_EQ(run->machine->run().end, kStartup + streaming(2048));
  EXPECT_EQ(read_ints(*run->machine, 0, 8192, 512), numbers(512));
  EXPECT_TRUE(run->recorder.links.empty());
  ASSERT_EQ(run->recorder.locals.size(), 1u);
  EXPECT_EQ(run->recorder.locals[0].payload_bytes, 2048u);
}

TEST(Sdma, TheCoreGoesOnMeanwhile) {
  const auto run = run_programs({{get(1024), adds(0, 1, 64), isa::TWaitEvent{0}}, {}});
  EXPECT_EQ(run->recorder.of(Pipe::vector).at(0).begin, 0u);
}

TEST(Sdma, TheEngineWaitsForWhatTheCoreHasIssuedOnTheSameBytes) {
  const auto alone = run_programs({{put(64), isa::TWaitEvent{0}}, {}});
  const auto after = run_programs({{store(0, 0, 4096, 64), put(64), isa::TWaitEvent{0}}, {}});
  const Picoseconds stored = after->recorder.of(Pipe::mte3).at(0).end;
  EXPECT_EQ(after->report.end, alone->report.end + stored);
  const auto beside = run_programs({{store(0, 0, 65536, 64), put(64), isa::TWaitEvent{0}}, {}});
  EXPECT_EQ(beside->report.end, alone->report.end);
}

TEST(Sdma, AWaitIsForItsOwnEvent) {
  const auto small_end = run_programs({{get(8, 1), isa::TWaitEvent{1}}, {}})->report.end;
  const auto run =
      run_programs({{get(65536, 2, 65536), get(8, 1), isa::TWaitEvent{1}, load(0, 0, 0, 8)}, {}});
  const Picoseconds begin = run->recorder.of(Pipe::mte2).at(0).begin;
  EXPECT_GE(begin, small_end);
  EXPECT_LT(begin, small_end + 2 * wire(1024, kMachine.link.dma_read_efficiency));
  EXPECT_GT(run->report.end, begin + streaming(200000)) << "the program ends with its transfers";
}

TEST(Sdma, ARequestBetweenLandingAndAcknowledgementTakesNothingFromAWait) {
  const isa::GlobalAddress cell{0, 128};
  const auto alone = run_programs({{put(256), isa::TWaitEvent{0}}, {}});
  const Picoseconds complete = alone->report.end;
  const Picoseconds landing = complete - kHop;
  int between = 0;
  for (Picoseconds start = 0; start < complete; start += kHop / 10) {
    // The peer's signal says when the core asks for the second transfer.
    auto run = make_run(
        {{put(256), isa::TWait{cell, 1}, put(8, 1, 65536), isa::TWaitEvent{0}, load(0, 0, 0, 8)},
         {isa::TNotify{cell, 1}}},
        kMachine, {0, start});
    static_cast<void>(run->machine->run());
    ASSERT_EQ(run->recorder.waits.size(), 1u);
    const Picoseconds asked = run->recorder.waits[0].end;
    between += asked > landing && asked < complete ? 1 : 0;
    EXPECT_GE(run->recorder.of(Pipe::mte2).at(0).begin, complete) << asked;
  }
  EXPECT_GT(between, 0);
}

TEST(Sdma, AWaitForAnEventThatNothingHasEndsAtOnce) {
  EXPECT_EQ(run_programs({{isa::TWaitEvent{9}}})->report.end, 0u);
}

TEST(Sdma, StreamsShareTheLinkAndRequestsWaitForAStream) {
  const auto end = [](int requests) {
    Program program;
    for (int i = 0; i < requests; ++i)
      program.add(get(16384, 0, 65536u * static_cast<unsigned>(1 + i)));
    program.add(isa::TWaitEvent{0});
    return run_programs({program, {}})->report.end;
  };
  const auto one = static_cast<double>(end(1));
  ASSERT_EQ(kMachine.sdma.streams, 2u);
  EXPECT_NEAR(static_cast<double>(end(2)), one, 0.02 * one) << "8 of the link's 10 GB/s";
  EXPECT_NEAR(static_cast<double>(end(3)), 2 * one, 0.03 * one) << "the third waits for a stream";
}

TEST(Sdma, ATaskEndsWithItsTransfers) {
  const auto run = run_programs({{isa::TaskBegin{0}, get(1024), isa::TaskEnd{0}}, {}});
  const auto waited = run_programs({{get(1024), isa::TWaitEvent{0}}, {}});
  EXPECT_EQ(run->report.end, waited->report.end);
}

TEST(Sdma, TrafficCountsAsThatOfPutAndGet) {
  for (const isa::Operation& operation : {isa::Operation(get(1000)), isa::Operation(put(1000))}) {
    auto run = make_run({{operation}, {}});
    TrafficLedger ledger(2);
    run->machine->attach(ledger);
    static_cast<void>(run->machine->run());
    const bool pulled = std::holds_alternative<isa::TGetAsync>(operation);
    EXPECT_EQ(ledger.rank(pulled ? 0 : 1).payload_received_bytes, 4000u);
    EXPECT_EQ(ledger.rank(pulled ? 1 : 0).payload_sent_bytes, 4000u);
    for (const LinkReport& link : run->machine->links()) {
      EXPECT_EQ(link.payload_sent_bytes, link.payload_received_bytes);
      EXPECT_EQ(link.messages_sent, link.messages_received);
    }
  }
}

TEST(Sdma, AnAccessBeyondMemoryIsAnInternalFault) {
  auto run = make_run({{get(8, 0, 1u << 20)}, {}});
  EXPECT_THROW(static_cast<void>(run->machine->run()), std::out_of_range);
}

}  // namespace
}  // namespace a2a3::sim::sdma_test
