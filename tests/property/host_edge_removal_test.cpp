// SPDX-License-Identifier: Apache-2.0
// Random host programs of several tasks on each device with one edge of their synchronisation taken
// out: the checks of one run report each, or all of its interleavings still give the right result.
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "collectives/program.hpp"
#include "shards.hpp"
#include "sync/explorer.hpp"
#include "sync/host_sync_program.hpp"
#include "sync/judge.hpp"

namespace a2a3::sync::host_edge_removal_test {
namespace {

constexpr int kPrograms = 300;
constexpr int kEdges = 3;  ///< that are taken out of each, one at a time

double element(const std::string& /*name*/, std::int64_t rank, std::int64_t i) {
  return static_cast<double>(rank * 100 + i + 1);
}

class HostEdgeRemoval : public testing::TestWithParam<int> {};

TEST_P(HostEdgeRemoval, IsReportedOrHarmless) {
  Counts counts;
  for (const int seed : seeds_of_shard(GetParam(), kPrograms)) {
    const HostSyncProgram program = host_sync_program(static_cast<std::uint64_t>(seed));
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    auto original = collectives::lower(program.text(), program.ranks);
    for (int i = 0; i < kEdges; ++i) {
      const std::size_t edge = random() % program.edges();
      auto mutant = collectives::lower(program.text(edge), program.ranks);
      SCOPED_TRACE(fmt::format("seed {}, {} ranks, without the {}\n{}", seed, program.ranks,
                               program.name_of(edge), program.text(edge)));
      judge(original, mutant, program.ranks, element, counts);
    }
  }
  RecordProperty("reported", counts.reported);
  RecordProperty("still_right", counts.still_right);
  EXPECT_GT(counts.reported, counts.still_right);
  EXPECT_GT(counts.still_right, 0);
}

INSTANTIATE_TEST_SUITE_P(Shards, HostEdgeRemoval, testing::Range(0, kShards));

/// Each kind of edge matters somewhere, and the explorer knows it without the checks.
TEST(HostSyncProgram, WithAllEdgesIsRightInEveryOrderAndWithoutSomeWrong) {
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const HostSyncProgram program = host_sync_program(seed);
    auto original = collectives::lower(program.text(), program.ranks);
    ASSERT_FALSE(original.diagnostics.has_errors()) << original.text() << program.text();
    const Inputs inputs = collectives::inputs_of(*original.module, program.ranks, element);
    execute(original, program.ranks, inputs, Engine::untimed);
    ASSERT_TRUE(original.finished()) << original.text();
    EXPECT_EQ(explore(*original.module, program.ranks, inputs, original.result.outputs).verdict,
              Exploration::Verdict::same)
        << program.text();
    const auto mutant = collectives::lower(program.text(seed % program.edges()), program.ranks);
    ASSERT_FALSE(mutant.diagnostics.has_errors()) << mutant.text();
    const auto verdict =
        explore(*mutant.module, program.ranks, inputs, original.result.outputs, 2000).verdict;
    if (verdict == Exploration::Verdict::differs || verdict == Exploration::Verdict::deadlock)
      ++wrong;
  }
  EXPECT_GT(wrong, 5);
}

}  // namespace
}  // namespace a2a3::sync::host_edge_removal_test
