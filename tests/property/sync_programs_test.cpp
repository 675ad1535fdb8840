// SPDX-License-Identifier: Apache-2.0
// Five hundred random kernels with synchronisation written by hand: a run finds nothing wrong with
// them, and the small ones give the same in all interleavings.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "collectives/program.hpp"
#include "shards.hpp"
#include "sync/explorer.hpp"
#include "sync/sync_program.hpp"

namespace a2a3::sync::sync_programs_test {
namespace {

constexpr int kPrograms = 500;

collectives::Input inputs_for(const SyncProgram& program) {
  return [&program](const std::string&, std::int64_t rank, std::int64_t i) {
    return program.x(rank, i / program.cols, i % program.cols);
  };
}

void expect_golden(const SyncProgram& program, const collectives::ProgramRun& run) {
  for (std::int64_t rank = 0; rank < program.ranks; ++rank) {
    const auto& rows = program.expected[static_cast<std::size_t>(rank)];
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::int64_t col = 0; col < program.cols; ++col) {
        double sum = 0;
        for (const SyncProgram::Part& part : rows[row])
          sum += program.x(part.rank, part.row, col);
        ASSERT_EQ(run.at("y", rank, static_cast<std::int64_t>(row) * program.cols + col), sum)
            << "rank " << rank << " row " << row << " column " << col;
      }
    }
  }
}

/// What is left in the cells by which slots come free has no further use.
bool is_spare_slot(const Finding& finding) {
  return finding.kind == "excess credit" &&
         (finding.place.starts_with("free") || finding.place.starts_with("hfree"));
}

void expect_clean(const collectives::ProgramRun& run) {
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(ir::format(run.result.diagnostics), "");
  EXPECT_EQ(run.result.race_check.state, RaceCheck::State::complete);
  for (const Race& race : run.result.race_check.races) {
    ADD_FAILURE() << "race at line " << race.later.location.line << " with line "
                  << race.earlier.location.line << ": " << race.range << " of rank " << race.owner;
  }
  for (const Finding& finding : run.result.findings) {
    if (!is_spare_slot(finding)) ADD_FAILURE() << finding.diagnostic.message;
  }
}

class SyncPrograms : public testing::TestWithParam<int> {};

TEST_P(SyncPrograms, AreFoundNothingWrongWith) {
  for (const int seed : seeds_of_shard(GetParam(), kPrograms)) {
    const SyncProgram program = sync_program(static_cast<std::uint64_t>(seed), 5);
    SCOPED_TRACE(fmt::format("seed {}, {} ranks\n{}", seed, program.ranks, program.text));
    collectives::ProgramRun run = collectives::lower(program.text, program.ranks);
    ASSERT_FALSE(run.diagnostics.has_errors()) << run.text();
    const Inputs inputs = collectives::inputs_of(*run.module, program.ranks, inputs_for(program));
    execute(run, program.ranks, inputs, Engine::untimed);
    expect_clean(run);
    expect_golden(program, run);
    if (testing::Test::HasFailure()) return;
    if (program.ranks > 3) continue;
    const Exploration all = explore(*run.module, program.ranks, inputs, run.result.outputs);
    EXPECT_EQ(all.verdict, Exploration::Verdict::same) << all.difference;
    if (testing::Test::HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, SyncPrograms, testing::Range(0, kShards));

TEST(SyncProgramGenerator, FiveHundredHaveEveryPatternAndEveryBarrier) {
  std::set<Pattern> patterns;
  std::set<Barrier> barriers;
  std::set<std::int64_t> ranks;
  std::set<bool> loops;
  for (int seed = 0; seed < kPrograms; ++seed) {
    const SyncProgram program = sync_program(static_cast<std::uint64_t>(seed), 5);
    patterns.insert(program.patterns.begin(), program.patterns.end());
    barriers.insert(program.barriers.begin(), program.barriers.end());
    ranks.insert(program.ranks);
    loops.insert(program.has_loop);
  }
  EXPECT_EQ(patterns.size(), kPatterns);
  EXPECT_EQ(barriers.size(), kBarriers);
  EXPECT_EQ(ranks.size(), 4);
  EXPECT_EQ(loops.size(), 2);
}

}  // namespace
}  // namespace a2a3::sync::sync_programs_test
