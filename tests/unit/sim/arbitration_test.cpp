// SPDX-License-Identifier: Apache-2.0
// Whom a signal has to wait for: bulk messages on its link, other signals at its line.
#include <algorithm>

#include <gtest/gtest.h>

#include "unit/sim/fixture.hpp"

namespace a2a3::sim::arbitration_test {
namespace {

using namespace test;

/// When the signals to device 0 landed, in the order of landing.
std::vector<Picoseconds> landings(const Run& run) {
  std::vector<Picoseconds> times;
  for (const SignalLanded& signal : run.recorder.signals)
    if (signal.notify.cell.device == 0) times.push_back(signal.time);
  return times;
}

/// Devices 1 to 3 notify a cell each of device 0, all at once.
std::vector<Program> three_at_once(std::uint64_t apart_bytes, isa::NotifyOp op) {
  std::vector<Program> programs(4);
  for (std::uint32_t d = 1; d < programs.size(); ++d)
    programs[d] = {notify(0, 4096 + (d - 1) * apart_bytes, 1, op)};
  return programs;
}

TEST(Arbitration, SignalsAddedToOneLineFollowEachOther) {
  const auto run = run_programs(three_at_once(4, isa::NotifyOp::atomic_add));
  const std::vector<Picoseconds> times = landings(*run);
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[1], times[0] + 20 * kNs);
  EXPECT_EQ(times[2], times[0] + 40 * kNs);
  std::vector<Picoseconds> ends(run->report.core_end.begin() + 1, run->report.core_end.end());
  std::ranges::sort(ends);
  EXPECT_EQ(ends[2], ends[0] + 40 * kNs) << "a sender hears of it later";
  EXPECT_EQ(read_ints(*run->machine, 0, 4096, 3), (std::vector<std::int32_t>{1, 1, 1}));
}

TEST(Arbitration, TheDistanceIsTheMachines) {
  models::MachineDescription machine = round_machine();
  for (const double seconds : {0.0, 35e-9}) {
    machine.signal.atomic_serial_seconds = seconds;
    const auto times =
        landings(*run_programs(three_at_once(4, isa::NotifyOp::atomic_add), machine));
    ASSERT_EQ(times.size(), 3u);
    EXPECT_EQ(times[2] - times[0], seconds == 0 ? 0 : 70 * kNs);
  }
}

TEST(Arbitration, OtherLinesAndSetsDoNotWait) {
  for (const auto& [apart, op] : {std::pair{std::uint64_t{512}, isa::NotifyOp::atomic_add},
                                  std::pair{std::uint64_t{4}, isa::NotifyOp::set}}) {
    const auto times = landings(*run_programs(three_at_once(apart, op)));
    ASSERT_EQ(times.size(), 3u);
    EXPECT_EQ(times[2], times[0]) << apart;
  }
}

/// When the stores of devices 1 and 2 to device 0 are in memory, in the order of time.
std::vector<Picoseconds> landings_of_stores(bool add, std::uint64_t apart_bytes, int ints,
                                            double serial_seconds, bool by_put) {
  models::MachineDescription machine = round_machine();
  machine.signal.atomic_serial_seconds = serial_seconds;
  std::vector<Program> programs(3);
  for (std::uint32_t d = 1; d < programs.size(); ++d) {
    const std::uint64_t at = (1u << 18) + (d - 1) * apart_bytes;
    if (by_put) {
      programs[d].add(isa::TPut{.dst = box(0, at, 1, ints),
                                .src = box(d, 0, 1, ints),
                                .stage = tile(0, 1, ints),
                                .stage2 = {},
                                .atomic_add = add});
    } else {
      isa::TStore one = store(0, 0, at, ints);
      one.atomic_add = add;
      programs[d].add(one);
    }
  }
  const auto run = run_programs(programs, machine);
  std::vector<Picoseconds> times;
  for (const MemoryAccess& access : run->recorder.accesses)
    if (access.address.device == 0) times.push_back(access.time);
  std::ranges::sort(times);
  return times;
}

/// Not a picosecond before the distance, and at it: the second of two stores or puts that add.
TEST(Arbitration, StoresAddedToOneLineFollowEachOther) {
  for (const bool by_put : {false, true}) {
    for (const double seconds : {0.0, 20e-9, 35e-9}) {
      for (const int ints : {1, 16, 128}) {
        const auto times = landings_of_stores(true, 0, ints, seconds, by_put);
        ASSERT_EQ(times.size(), 2u);
        EXPECT_EQ(times[1] - times[0], static_cast<Picoseconds>(seconds * 1e12 + 0.5));
      }
    }
    const auto across = landings_of_stores(true, 256, 128, 20e-9, by_put);
    EXPECT_EQ(across[1] - across[0], 20 * kNs) << "one line of two in common";
    const auto apart = landings_of_stores(true, 512, 128, 20e-9, by_put);
    EXPECT_EQ(apart[1], apart[0]) << "another line";
    const auto plain = landings_of_stores(false, 0, 128, 20e-9, by_put);
    EXPECT_EQ(plain[1], plain[0]) << "stores that do not add";
  }
}

/// One core of device 1 stores `ints` to device 0; another one sends a signal in the midst of it.
/// Returns when it landed.
Picoseconds landing_beside_a_store(int ints, std::uint64_t quantum_bytes) {
  models::MachineDescription machine = round_machine();
  machine.link.quantum_bytes = quantum_bytes;
  Script bulk({store(0, 0, 0, ints)});
  Script signal({notify(0, 1 << 18)});
  Machine two(machine, {1u << 20, 1u << 20},
              {{.device = 1, .core = 0, .source = &bulk},
               {.device = 1, .core = 1, .source = &signal, .start = 800 * kNs}});
  Recorder recorder;
  two.attach(recorder);
  EXPECT_EQ(two.run().outcome, Outcome::finished);
  EXPECT_EQ(recorder.signals.size(), 1u);
  return recorder.signals.at(0).time;
}

TEST(Arbitration, ASignalPassesBetweenTheQuantaOfAStore) {
  constexpr Picoseconds kAsks = 800 * kNs + (4 + 80) * kNs;  // start, barrier, clean
  constexpr Picoseconds kAlone = kAsks + 800 + 100 * kNs;    // 4 bytes, hop
  EXPECT_EQ(landing_beside_a_store(0, 4096), kAlone);
  // The store's first byte enters the link at 150 ns; a quantum of 4 KiB takes 819.2 ns at 5 GB/s.
  constexpr Picoseconds kEndOfFirst = 150 * kNs + 819'200;
  EXPECT_EQ(landing_beside_a_store(32768, 4096), kEndOfFirst + 800 + 100 * kNs);
  EXPECT_EQ(landing_beside_a_store(32768, 8192), kEndOfFirst + 819'200 + 800 + 100 * kNs);
}

}  // namespace
}  // namespace a2a3::sim::arbitration_test
