// SPDX-License-Identifier: Apache-2.0
// A thousand random kernels with one edge of their synchronisation taken out: the checks of one run
// report each, or all of its interleavings still give the right result.
#include "sync/edge_removal.hpp"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "collectives/program.hpp"
#include "random/random_program.hpp"
#include "shards.hpp"
#include "sync/judge.hpp"
#include "sync/sync_program.hpp"

namespace a2a3::sync::edge_removal_test {
namespace {

constexpr int kPrograms = 500;  ///< of each of two kinds

class EdgeRemoval : public testing::TestWithParam<int> {
 protected:
  void TearDown() override {
    RecordProperty("reported", counts_.reported);
    RecordProperty("still_right", counts_.still_right);
    EXPECT_GT(counts_.reported, counts_.still_right);
    EXPECT_GT(counts_.still_right, 0);
  }
  Counts counts_;
};

TEST_P(EdgeRemoval, OfHandWrittenSynchronisationIsReportedOrHarmless) {
  for (const int seed : seeds_of_shard(GetParam(), kPrograms)) {
    const SyncProgram program = sync_program(static_cast<std::uint64_t>(seed), 3);
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::string removed;
    collectives::Edits edits;
    edits.checked = [&](ir::Module& module) { removed = remove_edge(module, random); };
    auto original = collectives::lower(program.text, program.ranks);
    auto mutant = collectives::lower(program.text, program.ranks, edits);
    SCOPED_TRACE(fmt::format("seed {}, {} ranks, without the {}\n{}", seed, program.ranks, removed,
                             program.text));
    ASSERT_NE(removed, "");
    judge(
        original, mutant, program.ranks,
        [&](const std::string&, std::int64_t rank, std::int64_t i) {
          return program.x(rank, i / program.cols, i % program.cols);
        },
        counts_);
  }
}

/// Takes one of the barriers out that are not all of a loop or branch; false when there are fewer.
bool remove_barrier(std::vector<collectives::Statement>& statements, std::size_t& which) {
  for (auto statement = statements.begin(); statement != statements.end(); ++statement) {
    if (statement->act == collectives::Act::barrier && statements.size() > 1 && which-- == 0) {
      statements.erase(statement);
      return true;
    }
    if (remove_barrier(statement->body, which) || remove_barrier(statement->otherwise, which))
      return true;
  }
  return false;
}

std::size_t barriers_in(const std::vector<collectives::Statement>& statements) {
  std::size_t count = 0;
  for (const auto& statement : statements) {
    count += statement.act == collectives::Act::barrier && statements.size() > 1 ? 1 : 0;
    count += barriers_in(statement.body) + barriers_in(statement.otherwise);
  }
  return count;
}

TEST_P(EdgeRemoval, OfCollectivesAndBarriersIsReportedOrHarmless) {
  for (const int seed : seeds_of_shard(GetParam(), kPrograms)) {
    const auto program = collectives::small_random_program(static_cast<std::uint64_t>(seed));
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    auto without = program;
    const std::size_t barriers = barriers_in(program.statements);
    std::string removed;
    collectives::Edits edits;
    if (barriers > 0 && random() % 2 == 0) {
      std::size_t which = random() % barriers;
      removed = fmt::format("barrier {} of {}", which, barriers);
      ASSERT_TRUE(remove_barrier(without.statements, which));
    } else {
      edits.lowered = [&](ir::Module& module) { removed = remove_edge(module, random); };
    }
    auto original = collectives::lower(text(program), program.ranks);
    auto mutant = collectives::lower(text(without), program.ranks, edits);
    SCOPED_TRACE(fmt::format("seed {}, {} ranks, without the {}\n{}", seed, program.ranks, removed,
                             text(program)));
    ASSERT_NE(removed, "");
    judge(
        original, mutant, program.ranks,
        [&](const std::string& name, std::int64_t rank, std::int64_t i) {
          return collectives::input(program, name, rank, i);
        },
        counts_);
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, EdgeRemoval, testing::Range(0, kShards));

}  // namespace
}  // namespace a2a3::sync::edge_removal_test
