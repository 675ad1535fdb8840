// SPDX-License-Identifier: Apache-2.0
#include "sim/machine.hpp"

#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "sim/observers/core_times.hpp"
#include "sim/observers/traffic_ledger.hpp"
#include "sim/time.hpp"
#include "unit/sim/fixture.hpp"

namespace a2a3::sim::machine_test {
namespace {

using namespace test;

/// Every rank adds 100 to what its left neighbour sends it, twice, with a barrier between.
std::vector<Program> ring(std::uint32_t devices) {
  std::vector<Program> programs(devices);
  for (std::uint32_t r = 0; r < devices; ++r) {
    const std::uint32_t right = (r + 1) % devices;
    programs[r] = {
        isa::TaskBegin{0},
        load(r, 4096, 0, 64),
        isa::TStore{tile(0, 1, 64), box(right, 8192, 1, 64), false, true},
        notify(right, 0),
        wait(r, 0),
        load(r, 8192, 1024, 64),
        adds(1024, 100, 64),
        store(1024, r, 4096, 64),
        isa::TPut{box(right, 16384, 1, 64), box(r, 4096, 1, 64), tile(2048, 1, 16), {}, false},
        notify(right, 4),
        wait(r, 4),
        isa::TaskEnd{0}};
  }
  return programs;
}

TEST(Machine, DataGoesAroundARing) {
  constexpr std::uint32_t kDevices = 5;
  auto run = make_run(ring(kDevices));
  for (std::uint32_t r = 0; r < kDevices; ++r)
    write_ints(*run->machine, r, 4096, std::vector<std::int32_t>(64, static_cast<int>(r)));
  run->report = run->machine->run();
  EXPECT_EQ(run->report.outcome, Outcome::finished);
  for (std::uint32_t r = 0; r < kDevices; ++r) {
    const auto left = static_cast<int>((r + kDevices - 1) % kDevices);
    const auto left_of_left = static_cast<int>((r + kDevices - 2) % kDevices);
    EXPECT_EQ(read_ints(*run->machine, r, 4096, 64), std::vector<int>(64, left + 100));
    EXPECT_EQ(read_ints(*run->machine, r, 16384, 64), std::vector<int>(64, left_of_left + 100));
    EXPECT_EQ(run->report.core_end[r], run->report.end) << "all ranks do the same";
  }
}

TEST(Machine, DeadlockNamesEveryBlockedCore) {
  const Picoseconds skew = 5 * kNs;
  const auto run =
      run_programs({{notify(1, 64, 3), wait(0, 128, 2)}, {wait(1, 64, 4, isa::WaitCmp::eq)}, {}},
                   round_machine(), {0, skew, 0});
  EXPECT_EQ(run->report.outcome, Outcome::deadlock);
  ASSERT_EQ(run->report.blocked.size(), 2u);
  const BlockedCore& first = run->report.blocked[0];
  EXPECT_EQ(first.device, 0u);
  EXPECT_EQ(first.source, 1u);
  EXPECT_EQ(first.value, 0);
  EXPECT_EQ(first.wait.cell.offset_bytes, 128u);
  const BlockedCore& second = run->report.blocked[1];
  EXPECT_EQ(second.device, 1u);
  EXPECT_EQ(second.value, 3);
  EXPECT_EQ(second.wait.expected, 4);
  EXPECT_EQ(second.since, skew);
}

TEST(Machine, AnOvershotEqualityIsADeadlock) {
  const auto run = run_programs({{notify(1, 0, 2)}, {wait(1, 0, 1, isa::WaitCmp::eq)}});
  EXPECT_EQ(run->report.outcome, Outcome::deadlock);
}

TEST(Machine, AValueThatPassesBetweenTwoPollsIsNotSeen) {
  // Both signals land between the polls at 100 and 1100 ns: the cell is 1 only in between.
  models::MachineDescription machine = round_machine();
  machine.signal.clean_seconds = 0;
  machine.signal.poll_seconds = 1e-6;
  const auto run =
      run_programs({{notify(1, 0, 1), notify(1, 0, 1)}, {wait(1, 0, 1, isa::WaitCmp::eq)}}, machine,
                   {0, 100 * kNs});
  ASSERT_EQ(run->recorder.signals.size(), 2u);
  EXPECT_GT(run->recorder.signals[0].time, 100 * kNs);
  EXPECT_LT(run->recorder.signals[1].time, 1100 * kNs);
  EXPECT_EQ(run->report.outcome, Outcome::deadlock);
}

TEST(Machine, AFaultStopsTheRunWhereItHappens) {
  Program faulty{load(0, 0, 0, 8)};
  faulty.end = isa::FetchStatus::fault;
  const auto run = run_programs({faulty, {wait(1, 0)}});
  EXPECT_EQ(run->report.outcome, Outcome::fault);
  EXPECT_TRUE(run->report.blocked.empty());
}

TEST(Machine, TheInstructionLimitEndsARun) {
  const Program three{adds(0, 1, 8), adds(0, 1, 8), adds(0, 1, 8)};
  for (const std::uint64_t limit : {2u, 3u}) {
    auto run = make_run({three});
    const RunReport report = run->machine->run({.max_instructions = limit});
    EXPECT_EQ(report.outcome, limit < 3 ? Outcome::event_limit : Outcome::finished) << limit;
    EXPECT_EQ(report.instructions, limit);
  }
}

TEST(Machine, AnAccessBeyondMemoryIsAnInternalFault) {
  auto run = make_run({{load(0, 1u << 20, 0, 8)}});
  EXPECT_THROW(static_cast<void>(run->machine->run()), std::out_of_range);
  EXPECT_THROW(run->machine->write_gm({0, 1u << 20}, std::vector<std::byte>(1)), std::out_of_range);
}

TEST(Machine, SkewDelaysAWholeCore) {
  const Picoseconds skew = 12'345;
  const auto plain = run_programs({{load(0, 0, 0, 8)}});
  const auto late = run_programs({{load(0, 0, 0, 8)}}, round_machine(), {skew});
  EXPECT_EQ(late->report.end, plain->report.end + skew);
}

TEST(Machine, ALoadSeesAStoreThatHasLandedBefore) {
  // Rank 1 samples its own memory one picosecond before and one after rank 0's store lands.
  const auto probe = run_programs({{fill(0, 7, 8), store(0, 1, 0, 8)}, {}});
  const Picoseconds landing = probe->recorder.accesses.at(0).time;
  const Picoseconds startup = to_picoseconds(round_machine().core.load_startup_cycles * 1e-9);
  for (const int late : {-1, 1}) {
    const Picoseconds start = landing - startup + static_cast<Picoseconds>(late);
    const auto run =
        run_programs({{fill(0, 7, 8), store(0, 1, 0, 8)}, {load(1, 0, 0, 8), store(0, 1, 512, 8)}},
                     round_machine(), {0, start});
    EXPECT_EQ(read_ints(*run->machine, 1, 512, 1)[0], late < 0 ? 0 : 7);
  }
}

TEST(Machine, SeveralCoresShareADevice) {
  Script first({fill(0, 1, 8), store(0, 0, 0, 8), notify(0, 64)});
  Script second({wait(0, 64), load(0, 0, 0, 8), adds(0, 1, 8), store(0, 0, 512, 8)});
  Machine machine(round_machine(), {4096}, {{0, 0, &first, 0}, {0, 3, &second, 0}});
  EXPECT_EQ(machine.run().outcome, Outcome::finished);
  EXPECT_EQ(read_ints(machine, 0, 512, 8), std::vector<std::int32_t>(8, 2));
}

TEST(Machine, DevicesWithoutACoreServeTheOthers) {
  for (std::uint32_t worker = 0; worker < 3; ++worker) {
    Script only({load(0, 0, 0, 8), store(0, 2, 512, 8), notify(1, 64), notify(worker, 128),
                 wait(worker, 128)});
    Machine machine(round_machine(), {4096, 4096, 4096}, {{worker, 0, &only, 0}});
    write_ints(machine, 0, 0, std::vector<std::int32_t>(8, 7));
    EXPECT_EQ(machine.run().outcome, Outcome::finished) << "on device " << worker;
    EXPECT_EQ(read_ints(machine, 2, 512, 8), std::vector<std::int32_t>(8, 7));
    EXPECT_EQ(read_ints(machine, 1, 64, 1), std::vector<std::int32_t>{1});
  }
}

TEST(Machine, WithoutProgramsNothingHappens) {
  Machine machine(round_machine(), {4096, 0}, {});
  const RunReport report = machine.run();
  EXPECT_EQ(report.outcome, Outcome::finished);
  EXPECT_EQ(report.end, 0u);
}

TEST(Machine, ManyInOneProcessAndSeveralAtOnce) {
  const auto outer = make_run(ring(3));
  const Picoseconds end = run_programs(ring(3))->report.end;
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(run_programs(ring(3))->report.end, end);
  EXPECT_EQ(outer->machine->run().end, end);
}

TEST(Machine, ObserversDoNotChangeTime) {
  const auto seen = run_programs(ring(4));
  std::vector<CoreProgram> programs;
  std::vector<std::unique_ptr<Script>> scripts;
  for (std::uint32_t r = 0; r < 4; ++r) {
    scripts.push_back(std::make_unique<Script>(ring(4)[r]));
    programs.push_back({r, 0, scripts.back().get(), 0});
  }
  Machine unseen(round_machine(), std::vector<std::uint64_t>(4, 1u << 20), programs);
  const RunReport report = unseen.run();
  EXPECT_EQ(report.core_end, seen->report.core_end);
  EXPECT_EQ(report.instructions, seen->report.instructions);
}

TEST(Machine, ObserversSeeTimesInOrderPerCoreAndPipe) {
  const auto run = run_programs(ring(4));
  for (std::uint32_t r = 0; r < 4; ++r)
    for (const Pipe pipe : {Pipe::scalar, Pipe::mte2, Pipe::mte3, Pipe::vector}) {
      const auto events = run->recorder.of(pipe, r);
      EXPECT_FALSE(events.empty());
      for (std::size_t i = 1; i < events.size(); ++i) {
        EXPECT_LE(events[i - 1].begin, events[i].begin);
        EXPECT_LE(events[i - 1].end, events[i].end);
      }
    }
}

TEST(Machine, EveryMessageSentIsReceived) {
  const auto run = run_programs(ring(4));
  std::uint64_t sent = 0;
  for (const LinkTransfer& link : run->recorder.links)
    sent += link.payload_bytes;
  EXPECT_EQ(sent, 4u * (256 + 256 + 2 * 4));
  for (const LinkReport& link : run->machine->links()) {
    EXPECT_EQ(link.payload_sent_bytes, link.payload_received_bytes);
    EXPECT_EQ(link.messages_sent, link.messages_received);
    EXPECT_EQ(link.to, (link.from + 1) % 4) << "only the links in use exist";
  }
}

TEST(Machine, NeverPrints) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  static_cast<void>(run_programs(ring(2)));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace a2a3::sim::machine_test
