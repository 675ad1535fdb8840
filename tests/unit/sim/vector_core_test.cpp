// SPDX-License-Identifier: Apache-2.0
// Times of single operations and of what depends on them, computed from the machine's parameters.
#include "sim/core/vector_core.hpp"

#include <gtest/gtest.h>

#include "sim/time.hpp"
#include "unit/sim/fixture.hpp"

namespace a2a3::sim::vector_core_test {
namespace {

using namespace test;

const models::MachineDescription kMachine = round_machine();
const Picoseconds kHop = to_picoseconds(kMachine.link.hop_seconds);
const Picoseconds kPoll = to_picoseconds(kMachine.signal.poll_seconds);
const Picoseconds kAcquire = to_picoseconds(kMachine.signal.acquire_seconds);

Picoseconds cycles(double count) {
  return to_picoseconds(count / kMachine.core.clock_hz);
}
Picoseconds load_startup() {
  return cycles(kMachine.core.load_startup_cycles);
}
Picoseconds store_startup() {
  return cycles(kMachine.core.store_startup_cycles);
}
Picoseconds flag() {
  return cycles(kMachine.core.flag_cycles);
}
Picoseconds barrier() {
  return cycles(kMachine.core.barrier_cycles);
}
/// From the begin of a notify to its message, and from its acknowledgement to the next instruction.
Picoseconds before_message() {
  return barrier() + to_picoseconds(kMachine.signal.clean_seconds);
}
Picoseconds after_message() {
  return to_picoseconds(kMachine.signal.clean_seconds + kMachine.signal.dsb_seconds) + barrier();
}
Picoseconds read_wire(double bytes) {
  return to_picoseconds(bytes / (kMachine.link.bytes_per_second * kMachine.link.read_efficiency));
}
Picoseconds write_wire(double bytes) {
  return to_picoseconds(bytes /
                        (kMachine.link.bytes_per_second * kMachine.link.aiv_write_efficiency));
}

TEST(VectorCoreTime, LocalLoad) {
  const auto run = run_programs({{load(0, 0, 0, 1024)}});
  const auto loads = run->recorder.of(Pipe::mte2);
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(loads[0].begin, 0u);
  EXPECT_EQ(loads[0].end, load_startup() + cycles(4096 / kMachine.core.load_bytes_per_cycle));
  EXPECT_EQ(run->report.end, loads[0].end);
}

TEST(VectorCoreTime, LocalStore) {
  const auto run = run_programs({{store(0, 0, 0, 1024)}});
  EXPECT_EQ(run->recorder.of(Pipe::mte3).at(0).end,
            store_startup() + cycles(4096 / kMachine.core.store_bytes_per_cycle));
}

TEST(VectorCoreTime, RemoteLoad) {
  const auto run = run_programs({{load(1, 0, 0, 1024)}, {}});
  EXPECT_EQ(run->recorder.of(Pipe::mte2).at(0).end, load_startup() + 2 * kHop + read_wire(4096));
}

TEST(VectorCoreTime, RemoteStoreLandsOneHopBeforeItIsComplete) {
  const auto run = run_programs({{store(0, 1, 0, 1024)}, {}});
  const Picoseconds landing = store_startup() + write_wire(4096) + kHop;
  EXPECT_EQ(run->recorder.accesses.at(0).time, landing);
  EXPECT_EQ(run->recorder.of(Pipe::mte3).at(0).end, landing + kHop);
}

/// The published figures of a2 (hardware.md, sections 1 and 3), in nanoseconds.
TEST(VectorCoreTime, FiguresOfA2) {
  models::MachineDescription a2 = round_machine();
  a2.core.clock_hz = 1.85e9;
  a2.core.load_startup_cycles = 264;
  a2.core.load_bytes_per_cycle = 128;
  a2.core.store_startup_cycles = 153;
  a2.core.store_bytes_per_cycle = 64;
  a2.link.bytes_per_second = 28e9;
  a2.link.hop_seconds = 160e-9;
  a2.link.read_efficiency = 0.93;
  a2.link.aiv_write_efficiency = 0.5;
  a2.memory.read_bytes_per_second = 1.49e12;
  a2.memory.write_bytes_per_second = 1.49e12;
  const auto end = [&](const isa::Operation& operation) {
    const auto run = run_programs({{operation}, {}}, a2);
    return static_cast<double>(run->report.end) / 1000;
  };
  EXPECT_NEAR(end(load(0, 0, 0, 4064)), 392 / 1.85, 1.0);
  EXPECT_NEAR(end(load(0, 0, 0, 2048)), 180.5, 7.0);
  EXPECT_NEAR(end(store(0, 0, 0, 2048)), 151.7, 1.0);
  EXPECT_NEAR(end(load(1, 0, 0, 4096)), 143 + 2 * 160 + 16384 / 26.2, 4.0);
  EXPECT_NEAR(end(store(0, 1, 0, 4096)), 83 + 2 * 160 + 16384 / 14.0, 1.0);
}

TEST(VectorCoreTime, DependentOperationsStartWhenTheirOperandIsReady) {
  const auto run =
      run_programs({{load(0, 0, 0, 64), adds(0, 5, 64), adds(512, 5, 64), store(0, 0, 4096, 64)}});
  const auto load_end = run->recorder.of(Pipe::mte2).at(0).end;
  const auto vectors = run->recorder.of(Pipe::vector);
  const Picoseconds vector_time = cycles(2 * 1 + 30);
  EXPECT_EQ(vectors.at(0).begin, load_end + flag());
  EXPECT_EQ(vectors.at(0).end, vectors.at(0).begin + vector_time);
  EXPECT_EQ(vectors.at(1).begin, vectors.at(0).end) << "in order, though it was ready before";
  EXPECT_EQ(run->recorder.of(Pipe::mte3).at(0).begin, vectors.at(0).end + flag());
}

TEST(VectorCoreTime, LoadsArePipelinedAtTheIssueInterval) {
  const auto run = run_programs({{load(0, 0, 0, 16), load(0, 0, 64, 16), load(0, 0, 128, 4096)}});
  const auto loads = run->recorder.of(Pipe::mte2);
  EXPECT_EQ(loads.at(1).begin, cycles(kMachine.core.load_issue_cycles));
  EXPECT_EQ(loads.at(2).begin, cycles(2 * kMachine.core.load_issue_cycles));
}

TEST(VectorCoreTime, ScalarOperationsDelayTheirInstruction) {
  Program program;
  program.add(load(0, 0, 0, 8), 37);
  const auto run = run_programs({program});
  EXPECT_EQ(run->recorder.of(Pipe::mte2).at(0).begin, cycles(37));
  EXPECT_EQ(run->recorder.of(Pipe::scalar).at(0).end, cycles(37));
}

TEST(VectorCoreTime, BarrierWaitsForEveryPipeAndItsOwnTime) {
  const auto run = run_programs(
      {{load(0, 0, 0, 1024), store(8192, 1, 0, 1024), isa::PipeBarrier{}, load(0, 0, 4096, 8)},
       {}});
  const auto store_end = run->recorder.of(Pipe::mte3).at(0).end;
  EXPECT_EQ(run->recorder.of(Pipe::mte2).at(1).begin, store_end + barrier());
}

TEST(VectorCoreTime, ABarrierBehindAFlagCostsBoth) {
  const auto run = run_programs(
      {{load(0, 0, 0, 1024), isa::PipeBarrier{.after_flag = true}, load(0, 0, 4096, 8)}});
  const auto loads = run->recorder.of(Pipe::mte2);
  EXPECT_EQ(loads.at(1).begin, loads.at(0).end + flag() + barrier());
}

TEST(VectorCoreTime, AFlagIsWaitedForAcrossABarrierThatIsShorter) {
  const auto run =
      run_programs({{load(0, 0, 0, 1024), isa::PipeBarrier{}, store(0, 0, 8192, 1024)}});
  ASSERT_LT(barrier(), flag());
  EXPECT_EQ(run->recorder.of(Pipe::mte3).at(0).begin,
            run->recorder.of(Pipe::mte2).at(0).end + flag());
}

TEST(VectorCoreTime, UnalignedGlobalMemoryIsSlower) {
  models::MachineDescription machine = kMachine;
  machine.core.unaligned_rate = 0.5;
  const auto end = [&](std::uint64_t offset, std::int64_t row_stride) {
    const isa::TLoad two_rows{box(0, offset, 2, 1024, row_stride), tile(0, 2, 1024)};
    return run_programs({{two_rows}}, machine)->report.end;
  };
  const Picoseconds aligned = load_startup() + cycles(8192 / kMachine.core.load_bytes_per_cycle);
  const Picoseconds slow = load_startup() + cycles(8192 / kMachine.core.load_bytes_per_cycle / 0.5);
  EXPECT_EQ(end(512, 1024), aligned);
  EXPECT_EQ(end(512, 1024 + 128), aligned) << "rows 4608 bytes apart";
  EXPECT_EQ(end(512, 1024 + 8), slow) << "the second row is not aligned";
  EXPECT_EQ(end(32, 1024), slow);
}

TEST(VectorCoreTime, NotifyLeavesAfterEverythingBeforeAndLandsOneHopLater) {
  const auto run = run_programs({{store(0, 1, 4096, 1024), notify(1, 0)}, {}});
  const Picoseconds store_end = run->recorder.of(Pipe::mte3).at(0).end;
  const Picoseconds leaves = store_end + before_message();
  ASSERT_EQ(run->recorder.signals.size(), 1u);
  EXPECT_EQ(run->recorder.signals[0].time, leaves + write_wire(4) + kHop);
  EXPECT_EQ(run->recorder.signals[0].value, 1);
}

TEST(VectorCoreTime, TheCoreWaitsForTheAcknowledgementOfANotify) {
  const auto run = run_programs({{notify(1, 0), notify(1, 4), load(0, 0, 0, 8)}, {}});
  const Picoseconds one = before_message() + write_wire(4) + 2 * kHop + after_message();
  EXPECT_EQ(run->recorder.signals.at(1).time, one + before_message() + write_wire(4) + kHop);
  EXPECT_EQ(run->recorder.of(Pipe::mte2).at(0).begin, 2 * one);
  const auto scalar = run->recorder.of(Pipe::scalar);
  EXPECT_EQ(scalar.at(0).begin, 0u);
  EXPECT_EQ(scalar.at(0).end, one);
}

TEST(VectorCoreTime, SelfNotifyUsesNoLink) {
  const auto run = run_programs({{notify(0, 0, 7, isa::NotifyOp::set)}});
  EXPECT_TRUE(run->recorder.links.empty());
  EXPECT_EQ(run->recorder.signals.at(0).time, before_message());
  EXPECT_NEAR(static_cast<double>(run->report.end),
              static_cast<double>(before_message() + after_message()), 10)
      << "four bytes of memory bandwidth come on top";
  EXPECT_EQ(run->recorder.signals.at(0).value, 7);
}

TEST(VectorCoreTime, ASatisfiedWaitCostsOnePoll) {
  auto run = make_run({{wait(0, 64, 3)}});
  write_ints(*run->machine, 0, 64, {3});
  EXPECT_EQ(run->machine->run().end, kPoll + kAcquire);
}

TEST(VectorCoreTime, AWaitEndsAtTheFirstPollAtOrAfterTheLanding) {
  const Picoseconds landing = before_message() + write_wire(4) + kHop;
  const Picoseconds start = 1000 * kNs;
  // The wait begins so that its third poll is just before, at, or just after the landing.
  for (const int late : {-1, 0, 1}) {
    const Picoseconds begin = start + landing - 3 * kPoll + static_cast<Picoseconds>(late);
    const auto run = run_programs({{notify(1, 0)}, {wait(1, 0)}}, kMachine, {start, begin});
    ASSERT_EQ(run->recorder.waits.size(), 1u);
    const Picoseconds third = begin + 3 * kPoll;
    EXPECT_EQ(run->recorder.waits[0].begin, begin);
    const Picoseconds end = run->recorder.waits[0].end - kAcquire;
    EXPECT_EQ(end, late < 0 ? third + kPoll : third) << late;
  }
}

TEST(VectorCoreTime, ScalarReadTakesItsTimeAndWaitsForItsOperand) {
  isa::Scalar value;
  const isa::ScalarRead read{.gm = isa::GlobalAddress{0, 4096},
                             .tile = std::nullopt,
                             .dtype = isa::DType::int32,
                             .result = &value};
  const auto run = run_programs({{fill(0, 42, 8), store(0, 0, 4096, 8), read}});
  const Picoseconds store_end = run->recorder.of(Pipe::mte3).at(0).end;
  EXPECT_EQ(run->report.end, store_end + to_picoseconds(kMachine.core.scalar_access_seconds +
                                                        4 / kMachine.memory.read_bytes_per_second));
  EXPECT_EQ(value.i, 42);
}

TEST(VectorCoreTime, TwoLoadsShareALink) {
  const auto run = run_programs({{load(1, 0, 0, 1024), load(1, 0, 4096, 1024)}, {}});
  const auto loads = run->recorder.of(Pipe::mte2);
  EXPECT_EQ(loads.at(1).end, load_startup() + 2 * kHop + 2 * read_wire(4096));
}

TEST(VectorCoreTime, MemoryBandwidthIsShared) {
  models::MachineDescription slow = kMachine;
  slow.memory.read_bytes_per_second = 8e9;  // a byte in 125 ps, eight times slower than the core
  const auto run = run_programs({{load(0, 0, 0, 1024), load(0, 0, 4096, 1024)}}, slow);
  const auto loads = run->recorder.of(Pipe::mte2);
  EXPECT_EQ(loads.at(0).end, load_startup() + 4096u * 125);
  EXPECT_EQ(loads.at(1).end, load_startup() + 2u * 4096 * 125);
}

TEST(VectorCoreTime, EmptyTransfersTouchNothing) {
  const auto run = run_programs({{isa::TLoad{box(1, 0, 0, 8), tile(0, 1, 8)}}, {}});
  EXPECT_TRUE(run->recorder.links.empty());
  EXPECT_TRUE(run->recorder.accesses.empty());
}

TEST(VectorCore, PhasesBeginAfterAGroupOfWaits) {
  auto run = make_run({{load(0, 0, 0, 8), wait(0, 64, 0), wait(0, 128, 0), load(0, 0, 0, 8),
                        wait(0, 64, 0), load(0, 0, 0, 8)}});
  static_cast<void>(run->machine->run());
  const auto loads = run->recorder.of(Pipe::mte2);
  ASSERT_EQ(loads.size(), 3u);
  EXPECT_EQ(loads[0].origin.phase, 0u);
  EXPECT_EQ(loads[1].origin.phase, 1u);
  EXPECT_EQ(loads[2].origin.phase, 2u);
  EXPECT_EQ(run->recorder.waits.at(1).origin.phase, 0u);
}

}  // namespace
}  // namespace a2a3::sim::vector_core_test
