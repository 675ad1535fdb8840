// SPDX-License-Identifier: Apache-2.0
// A relaxed machine: when stores and signals take effect, with fences and without, and its hazards.
#include <algorithm>

#include <gtest/gtest.h>

#include "unit/sim/fixture.hpp"

namespace a2a3::sim::relaxed_test {
namespace {

using namespace test;

constexpr std::uint64_t kData = 4096;
constexpr std::uint64_t kCell = 512;
constexpr std::uint64_t kResult = 8192;
constexpr int kCount = 64;

models::MachineDescription relaxed_machine(std::uint64_t seed, models::Fences fences,
                                           double delay_seconds = 20e-6) {
  models::MachineDescription machine = round_machine();
  machine.relaxed = {models::MemoryOrder::relaxed, seed, delay_seconds};
  machine.hazards.fences = fences;
  return machine;
}

/// Device 0 stores 7s to device 1, then signals it.
Program producer() {
  return {fill(0, 7, kCount), store(0, 1, kData, kCount), notify(1, kCell)};
}
/// Device 1 waits for the signal and copies what it finds.
Program consumer() {
  return {wait(1, kCell), load(1, kData, 0, kCount), store(0, 1, kResult, kCount)};
}

Picoseconds landing_time(const Run& run) {
  const auto landed = std::ranges::find_if(run.recorder.accesses, [](const MemoryAccess& one) {
    return one.kind == MemoryAccess::Kind::write && one.address == isa::GlobalAddress{1, kData};
  });
  EXPECT_NE(landed, run.recorder.accesses.end());
  return landed == run.recorder.accesses.end() ? 0 : landed->time;
}

TEST(RelaxedMachine, WithFencesTheSignalComesBehindTheStore) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto run =
        run_programs({producer(), consumer()}, relaxed_machine(seed, models::Fences::automatic));
    ASSERT_EQ(run->report.outcome, Outcome::finished);
    ASSERT_EQ(run->recorder.signals.size(), 1U);
    EXPECT_LT(landing_time(*run), run->recorder.signals.front().time);
    EXPECT_EQ(read_ints(*run->machine, 1, kResult, kCount), std::vector<std::int32_t>(kCount, 7));
  }
}

TEST(RelaxedMachine, WithoutFencesTheSignalMayOvertakeTheStore) {
  int overtaken = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto run =
        run_programs({producer(), consumer()}, relaxed_machine(seed, models::Fences::none));
    ASSERT_EQ(run->report.outcome, Outcome::finished);
    const bool late = landing_time(*run) > run->recorder.waits.front().end;
    const auto seen = read_ints(*run->machine, 1, kResult, kCount);
    if (landing_time(*run) > run->recorder.waits.front().end + 300 * kNs) {
      EXPECT_EQ(seen, std::vector<std::int32_t>(kCount, 0)) << seed;
    }
    overtaken += late ? 1 : 0;
    // All the same it is there in the end.
    EXPECT_EQ(read_ints(*run->machine, 1, kData, kCount), std::vector<std::int32_t>(kCount, 7));
    EXPECT_GE(run->report.end, landing_time(*run));
  }
  EXPECT_GT(overtaken, 3);
  EXPECT_LT(overtaken, 20);
}

TEST(RelaxedMachine, AStoreInFlightIsThereAtItsTimeAndNotBefore) {
  constexpr std::uint64_t kSeed = 3;
  const auto machine = relaxed_machine(kSeed, models::Fences::none);
  const Picoseconds landed = landing_time(*run_programs({producer(), {}}, machine));
  // A load samples its memory when its startup is over.
  const auto startup = static_cast<Picoseconds>(machine.core.load_startup_cycles) * kNs;
  for (const Picoseconds sampled : {landed - 1, landed + 1}) {
    const auto run =
        run_programs({producer(), {load(1, kData, 0, kCount), store(0, 1, kResult, kCount)}},
                     machine, {0, sampled - startup});
    EXPECT_EQ(landing_time(*run), landed);
    EXPECT_EQ(read_ints(*run->machine, 1, kResult, 1)[0], sampled < landed ? 0 : 7);
  }
}

TEST(RelaxedMachine, StoresToOneDeviceLandInTheirOrder) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Program program{fill(0, 7, kCount)};
    for (std::uint64_t i = 0; i < 8; ++i)
      program.add(store(0, 1, kData + i * 256, kCount));
    const auto run = run_programs({program, {}}, relaxed_machine(seed, models::Fences::none));
    std::vector<std::uint64_t> landed;
    for (const MemoryAccess& one : run->recorder.accesses) {
      if (one.kind == MemoryAccess::Kind::write && one.address.device == 1)
        landed.push_back(one.address.offset_bytes);
    }
    EXPECT_EQ(landed.size(), 8U);
    EXPECT_TRUE(std::ranges::is_sorted(landed));
  }
}

TEST(RelaxedMachine, ACoreSeesItsOwnStores) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto run = run_programs({{fill(0, 7, kCount), store(0, 1, kData, kCount),
                                    load(1, kData, 1024, kCount), store(1024, 0, kResult, kCount)},
                                   {}},
                                  relaxed_machine(seed, models::Fences::none, 1e-3));
    EXPECT_EQ(read_ints(*run->machine, 0, kResult, kCount), std::vector<std::int32_t>(kCount, 7));
  }
}

TEST(RelaxedMachine, IsAFunctionOfItsSeed) {
  for (const models::Fences fences : {models::Fences::automatic, models::Fences::none}) {
    const auto end = [&](std::uint64_t seed) {
      return run_programs({producer(), consumer()}, relaxed_machine(seed, fences))->report.end;
    };
    EXPECT_EQ(end(4), end(4));
    EXPECT_NE(end(4), end(5));
  }
}

TEST(RelaxedMachine, WithoutDelaysTakesTheTimesOfAnOrderedOne) {
  const auto ordered = run_programs({producer(), consumer()});
  const auto relaxed =
      run_programs({producer(), consumer()}, relaxed_machine(1, models::Fences::automatic, 0));
  EXPECT_EQ(relaxed->report.core_end, ordered->report.core_end);
  EXPECT_EQ(landing_time(*relaxed), landing_time(*ordered));
}

/// Device 0 sets cell 0 of a line on device 1, which adds to cell 1 while the Set is under way.
std::vector<std::int32_t> cells_after_set(std::uint64_t line_bytes, isa::NotifyOp op) {
  models::MachineDescription machine = relaxed_machine(0, models::Fences::automatic, 0);
  machine.hazards.set_line_bytes = line_bytes;
  const auto run =
      run_programs({{notify(1, kCell, 5, op)}, {notify(1, kCell + 4, 1)}}, machine, {0, 50 * kNs});
  const auto landed = [&](std::uint32_t device) {
    return std::ranges::find(run->recorder.signals, device,
                             [](const SignalLanded& one) { return one.origin.device; })
        ->time;
  };
  EXPECT_LT(landed(1), landed(0));
  return read_ints(*run->machine, 1, kCell, 2);
}

TEST(RelaxedMachine, ASetThatWritesItsLineTakesAwayTheNeighboursCredit) {
  EXPECT_EQ(cells_after_set(0, isa::NotifyOp::set), (std::vector<std::int32_t>{5, 1}));
  EXPECT_EQ(cells_after_set(64, isa::NotifyOp::set), (std::vector<std::int32_t>{5, 0}));
  EXPECT_EQ(cells_after_set(64, isa::NotifyOp::atomic_add), (std::vector<std::int32_t>{5, 1}));
}

TEST(RelaxedMachine, MemoryZeroedAtTheStartLosesWhatCameBefore) {
  for (const Picoseconds start : {Picoseconds{0}, 10'000 * kNs}) {
    const auto run = make_run({producer(), {fill(0, 1, 8)}},
                              relaxed_machine(0, models::Fences::automatic, 0), {0, start});
    run->machine->zero_at_start({1, 0}, 6000);
    write_ints(*run->machine, 1, 6000, {9});
    run->report = run->machine->run();
    EXPECT_EQ(read_ints(*run->machine, 1, kData, 1)[0], start == 0 ? 7 : 0);
    EXPECT_EQ(read_ints(*run->machine, 1, kCell, 1)[0], start == 0 ? 1 : 0);
    EXPECT_EQ(read_ints(*run->machine, 1, 6000, 1)[0], 9);  // beside it
  }
}

}  // namespace
}  // namespace a2a3::sim::relaxed_test
