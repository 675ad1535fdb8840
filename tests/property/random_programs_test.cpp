// SPDX-License-Identifier: Apache-2.0
// A hundred random kernels of collectives in random order, over shared and separate signal windows,
// in loops and branches, against an interpreter over arrays. A failure prints the kernel file and
// the command that runs it alone.
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/printer.hpp"
#include "random/random_program.hpp"

namespace a2a3::collectives {
namespace {

constexpr int kPrograms = 100;

void expect_result(const Expected& expected, const ProgramRun& run) {
  for (const auto& [name, ranks] : expected) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      for (std::size_t i = 0; i < ranks[rank].size(); ++i) {
        if (std::isnan(ranks[rank][i])) continue;
        const auto at = static_cast<std::int64_t>(i);
        ASSERT_EQ(run.at(name, static_cast<std::int64_t>(rank), at), ranks[rank][i])
            << name << " of rank " << rank << " element " << i;
      }
    }
  }
}

class RandomPrograms : public testing::TestWithParam<int> {};

TEST_P(RandomPrograms, EqualTheirGoldens) {
  const RandomProgram program = random_program(static_cast<std::uint64_t>(GetParam()));
  const std::string file = text(program);
  SCOPED_TRACE(
      fmt::format("{}\n{} ranks; again: property_tests "
                  "--gtest_filter='*RandomPrograms.EqualTheirGoldens/{}'\n",
                  file, program.ranks, GetParam()));
  const Expected expected = interpret(program);
  const Input inputs = [&](const std::string& name, std::int64_t rank, std::int64_t i) {
    return input(program, name, rank, i);
  };

  const ProgramRun timed = run(file, program.ranks, inputs, Engine::timed);
  ASSERT_TRUE(timed.finished()) << timed.text();
  expect_result(expected, timed);

  for (std::uint64_t order = 0; order < 3; ++order) {
    const ProgramRun untimed = run(file, program.ranks, inputs, Engine::untimed, order);
    ASSERT_TRUE(untimed.finished()) << untimed.text();
    expect_result(expected, untimed);
  }

  const std::string lowered = ir::print(*timed.module);
  const ProgramRun again = run(lowered, program.ranks, inputs, Engine::timed);
  ASSERT_TRUE(again.finished()) << again.text() << lowered;
  expect_result(expected, again);
  EXPECT_EQ(again.result.end, timed.result.end);
  for (std::int64_t rank = 0; rank < program.ranks; ++rank)
    EXPECT_EQ(to_string(traffic(again, rank)), to_string(traffic(timed, rank)));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(0, kPrograms));

void collect(const std::vector<Statement>& statements, bool inside, std::set<Act>& all,
             std::set<Act>& nested) {
  for (const Statement& statement : statements) {
    all.insert(statement.act);
    if (inside) nested.insert(statement.act);
    collect(statement.body, true, all, nested);
    collect(statement.otherwise, true, all, nested);
  }
}

TEST(RandomProgramGenerator, AHundredHaveEveryCollectiveAtEveryDepthAndRankCount) {
  std::set<Act> all;
  std::set<Act> nested;
  std::set<std::int64_t> ranks;
  std::set<isa::DType> dtypes;
  std::set<std::pair<std::size_t, std::size_t>> signals;
  for (int seed = 0; seed < kPrograms; ++seed) {
    const RandomProgram program = random_program(static_cast<std::uint64_t>(seed));
    collect(program.statements, false, all, nested);
    ranks.insert(program.ranks);
    signals.emplace(program.mesh_signals, program.ring_signals);
    for (const DataWindow& window : program.windows)
      dtypes.insert(window.dtype);
  }
  EXPECT_EQ(all.size(), static_cast<std::size_t>(Act::branch) + 1);
  EXPECT_EQ(nested.size(), all.size());
  EXPECT_EQ(ranks.size(), 8);
  EXPECT_EQ(signals.size(), 6);
  EXPECT_EQ(dtypes.size(), 6);
}

TEST(RandomProgramGenerator, GivesTheSameProgramForTheSameSeed) {
  EXPECT_EQ(text(random_program(7)), text(random_program(7)));
  EXPECT_NE(text(random_program(7)), text(random_program(8)));
}

}  // namespace
}  // namespace a2a3::collectives
