// SPDX-License-Identifier: Apache-2.0
// What a put or get takes, term by term, on a2 as its file describes it.
#include <algorithm>

#include <gtest/gtest.h>

#include "models/load_machine.hpp"
#include "sim/time.hpp"
#include "unit/sim/fixture.hpp"

namespace a2a3::sim::transfer_time_test {
namespace {

using namespace test;

const models::MachineDescription& a2() {
  static const models::LoadedMachine loaded = models::load_machine("a2", A2A3_SOURCE_DIR);
  EXPECT_TRUE(loaded.machine) << loaded.errors;
  return *loaded.machine;
}

/// The terms, in picoseconds.
struct Terms {
  const models::MachineDescription& machine = a2();

  [[nodiscard]] double cycles(double count) const { return count / machine.core.clock_hz * 1e12; }
  [[nodiscard]] double flag() const { return cycles(machine.core.flag_cycles); }
  [[nodiscard]] double barrier() const { return cycles(machine.core.barrier_cycles); }
  [[nodiscard]] double remote_load(double bytes) const {
    const models::LinkParameters& link = machine.link;
    return cycles(machine.core.load_startup_cycles) + 2e12 * link.hop_seconds +
           bytes / (link.bytes_per_second * link.read_efficiency) * 1e12;
  }
  [[nodiscard]] double local_store(double bytes) const {
    return cycles(machine.core.store_startup_cycles + bytes / machine.core.store_bytes_per_cycle);
  }
  /// Load, flag and barrier, store, flag: nothing overlaps.
  [[nodiscard]] double chunk(double bytes) const {
    return remote_load(bytes) + flag() + barrier() + local_store(bytes) + flag();
  }
};

constexpr std::int64_t kBytes = 64 << 10;

/// A get of kBytes through one or two stages of `stage_bytes`, in one row.
double get_time(std::int64_t stage_bytes, bool two_tiles) {
  const auto columns = static_cast<std::int32_t>(stage_bytes / 4);
  isa::TGet get{box(0, 0, 1, kBytes / 4), box(1, 0, 1, kBytes / 4), tile(0, 1, columns), {}};
  if (two_tiles) get.stage2 = tile(static_cast<std::uint32_t>(stage_bytes), 1, columns);
  return static_cast<double>(run_programs({{get}, {}}, a2())->report.end);
}

constexpr double kRounding = 200;  // picoseconds, a few for each operation

TEST(TransferTime, PlainChunksFollowEachOther) {
  const Terms terms;
  for (const std::int64_t stage : {4 << 10, 16 << 10}) {
    const auto chunks = static_cast<double>(kBytes / stage);
    const double expected = chunks * terms.chunk(static_cast<double>(stage)) + 2 * terms.barrier();
    EXPECT_NEAR(get_time(stage, false), expected, kRounding) << stage;
  }
}

TEST(TransferTime, ALargerStageSavesTheLatencyOfItsChunks) {
  const Terms terms;
  // Twelve chunks of the sixteen less, the bytes the same.
  const double saved = get_time(4 << 10, false) - get_time(16 << 10, false);
  EXPECT_NEAR(saved, 12 * terms.chunk(0), kRounding);
  EXPECT_GT(get_time(4 << 10, false), 2.0 * get_time(16 << 10, false));
}

TEST(TransferTime, WithTwoTilesAStoreHidesBehindTheNextLoad) {
  const Terms terms;
  constexpr double kStage = 4 << 10;
  constexpr double kChunks = kBytes / kStage;
  const double load = terms.remote_load(kStage);
  const double store = terms.local_store(kStage);
  const double between = terms.flag() + terms.barrier();
  const double expected = terms.barrier() + load +
                          (kChunks - 1) * (between + std::max(load, store)) + between + store +
                          between;
  EXPECT_NEAR(get_time(4 << 10, true), expected, kRounding);
  const double saved = get_time(4 << 10, false) - get_time(4 << 10, true);
  EXPECT_NEAR(saved, (kChunks - 1) * (store + terms.flag()), kRounding);
}

TEST(TransferTime, HalvesOfAStageOverlapWithinAChunk) {
  // Eight chunks of two rows of 2 KiB: each is two loads and two stores, the first of which hides
  // behind the second load.
  const Terms terms;
  const isa::TGet get{box(0, 0, 16, 512), box(1, 0, 16, 512), tile(0, 2, 512), {}};
  const double load = terms.remote_load(2048);
  const double store = terms.local_store(2048);
  const double between = terms.flag() + terms.barrier();
  const double chunk = load + between + std::max(load, store) + between + store + terms.flag();
  EXPECT_NEAR(static_cast<double>(run_programs({{get}, {}}, a2())->report.end),
              8 * chunk + 2 * terms.barrier(), kRounding);
}

TEST(TransferTime, APutInOneShotHasNoBarrierInside) {
  const Terms terms;
  const isa::TPut put{box(0, 65536, 1, 1024), box(0, 0, 1, 1024), tile(0, 1, 1024), {}, false};
  const double load = terms.cycles(terms.machine.core.load_startup_cycles +
                                   4096 / terms.machine.core.load_bytes_per_cycle);
  const double expected =
      2 * terms.barrier() + load + terms.flag() + terms.local_store(4096) + terms.flag();
  EXPECT_NEAR(static_cast<double>(run_programs({{put}}, a2())->report.end), expected, kRounding);
}

}  // namespace
}  // namespace a2a3::sim::transfer_time_test
