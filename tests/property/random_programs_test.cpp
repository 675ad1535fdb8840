// SPDX-License-Identifier: Apache-2.0
// A hundred random kernels of collectives in random order, over shared and separate signal windows,
// in loops and branches, and a hundred random host functions with HOST collectives between such
// kernels, against an interpreter over arrays; and four hundred more that a run must find nothing
// wrong with. A failure prints the kernel file and the command that runs it alone.
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/printer.hpp"
#include "random/random_program.hpp"
#include "shards.hpp"

namespace a2a3::collectives::random_programs_test {
namespace {

constexpr int kPrograms = 100;
constexpr int kMore = 200;  ///< of each, for the checks alone

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

std::string described(const RandomProgram& program) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format("{}\n{} ranks; again: property_tests --gtest_filter='{}.{}'\n", text(program),
                     program.ranks, test->test_suite_name(), test->name());
}

/// The checks of a run found nothing, not even a warning.
void expect_nothing_found(const Result& result) {
  EXPECT_EQ(result.race_check.state, RaceCheck::State::complete);
  for (const Finding& finding : result.findings) {
    // Not every program writes all of its outputs; its golden has zeros there, and where it shows
    // that a collective has left no credit.
    if (finding.kind != "unwritten output" && finding.kind != kClearedRead)
      ADD_FAILURE() << finding.diagnostic.message;
  }
  for (const Race& race : result.race_check.races) {
    ADD_FAILURE() << "race at line " << race.later.location.line << " with line "
                  << race.earlier.location.line << ": " << race.range << " of rank " << race.owner;
  }
}

void expect_golden(const RandomProgram& program) {
  const std::string file = text(program);
  SCOPED_TRACE(described(program));
  const Expected expected = interpret(program);
  const Input inputs = [&](const std::string& name, std::int64_t rank, std::int64_t i) {
    return input(program, name, rank, i);
  };
  const auto run = [&](const std::string& kernels, Engine engine,
                       std::optional<std::uint64_t> order = {}) {
    return collectives::run(kernels, program.ranks, inputs, engine, order, {},
                            program.self_clearing);
  };

  const ProgramRun timed = run(file, Engine::timed);
  ASSERT_TRUE(timed.finished()) << timed.text();
  expect_result(expected, timed);

  for (std::uint64_t order = 0; order < (program.on_host ? 2U : 3U); ++order) {
    const ProgramRun untimed = run(file, Engine::untimed, order);
    ASSERT_TRUE(untimed.finished()) << untimed.text();
    expect_result(expected, untimed);
    expect_nothing_found(untimed.result);
  }

  const std::string lowered = ir::print(*timed.module);
  const ProgramRun again = run(lowered, Engine::timed);
  ASSERT_TRUE(again.finished()) << again.text() << lowered;
  expect_result(expected, again);
  EXPECT_EQ(again.result.end, timed.result.end);
  for (std::int64_t rank = 0; rank < program.ranks; ++rank)
    EXPECT_EQ(to_string(traffic(again, rank)), to_string(traffic(timed, rank)));
}

class RandomPrograms : public testing::TestWithParam<int> {};

TEST_P(RandomPrograms, EqualTheirGoldens) {
  expect_golden(random_program(static_cast<std::uint64_t>(GetParam())));
}

TEST_P(RandomPrograms, OfHostFunctionsEqualTheirGoldens) {
  expect_golden(random_host_program(static_cast<std::uint64_t>(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(0, kPrograms));

/// More of them, each run once.
void expect_clean(const RandomProgram& program) {
  SCOPED_TRACE(described(program));
  const Input inputs = [&](const std::string& name, std::int64_t rank, std::int64_t i) {
    return input(program, name, rank, i);
  };
  const ProgramRun run = collectives::run(text(program), program.ranks, inputs, Engine::untimed, {},
                                          {}, program.self_clearing);
  ASSERT_TRUE(run.finished()) << run.text();
  expect_result(interpret(program), run);
  expect_nothing_found(run.result);
}

class MoreRandomPrograms : public testing::TestWithParam<int> {};

TEST_P(MoreRandomPrograms, AreFoundNothingWrongWith) {
  for (const int seed : seeds_of_shard(GetParam(), kMore)) {
    expect_clean(random_program(static_cast<std::uint64_t>(kPrograms + seed)));
    expect_clean(random_host_program(static_cast<std::uint64_t>(kPrograms + seed)));
    if (testing::Test::HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, MoreRandomPrograms, testing::Range(0, kShards));

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
  EXPECT_EQ(all.size(), kKernelActs);
  EXPECT_EQ(nested.size(), all.size());
  EXPECT_EQ(ranks.size(), 8);
  EXPECT_EQ(signals.size(), 6);
  EXPECT_EQ(dtypes.size(), 6);
}

/// The HOST collectives of a program by act and signal; `nested`: those in loops.
using HostCalls = std::set<std::pair<Act, HostSignal>>;
void collect_host(const std::vector<Statement>& statements, bool inside, HostCalls& all,
                  std::set<Act>& nested) {
  for (const Statement& statement : statements) {
    if (statement.on_host) {
      all.emplace(statement.act, statement.host_signal);
      if (inside) nested.insert(statement.act);
    }
    if (statement.act == Act::for_loop || statement.act == Act::branch)
      collect_host(statement.body, true, all, nested);
  }
}

TEST(RandomProgramGenerator, AHundredHostFunctionsHaveEveryFormOfEveryCollective) {
  HostCalls all;
  std::set<Act> nested;
  std::set<Act> in_kernels;
  std::set<std::int64_t> ranks;
  std::set<std::int64_t> cores;
  for (int seed = 0; seed < kPrograms; ++seed) {
    const RandomProgram program = random_host_program(static_cast<std::uint64_t>(seed));
    collect_host(program.statements, false, all, nested);
    ranks.insert(program.ranks);
    for (const Statement& statement : program.statements) {
      if (statement.act == Act::dispatch) collect(statement.body, true, in_kernels, in_kernels);
      if (statement.act == Act::mesh) cores.insert(statement.cores);
    }
  }
  for (const Act act : {Act::barrier, Act::broadcast, Act::reduce_scatter, Act::allgather,
                        Act::all_to_all, Act::mesh})
    EXPECT_TRUE(all.contains({act, HostSignal::flat})) << static_cast<int>(act);
  for (const Act act : {Act::allgather, Act::all_to_all, Act::all_to_all_v, Act::mesh})
    EXPECT_TRUE(all.contains({act, HostSignal::column})) << static_cast<int>(act);
  for (const HostSignal signal : {HostSignal::other, HostSignal::lanes, HostSignal::automatic})
    EXPECT_TRUE(all.contains({Act::mesh, signal})) << static_cast<int>(signal);
  EXPECT_TRUE(all.contains({Act::ring, HostSignal::ring}));
  for (const Act act : {Act::barrier, Act::broadcast, Act::mesh, Act::ring, Act::allgather,
                        Act::reduce_scatter, Act::all_to_all, Act::for_loop, Act::branch})
    EXPECT_TRUE(nested.contains(act)) << static_cast<int>(act);
  EXPECT_FALSE(nested.contains(Act::all_to_all_v));
  EXPECT_EQ(in_kernels.size(), kKernelActs + 1);  // with publish
  EXPECT_EQ(cores.size(), static_cast<std::size_t>(kLanes));
  EXPECT_EQ(ranks.size(), 8);
}

TEST(RandomProgramGenerator, GivesTheSameProgramForTheSameSeed) {
  EXPECT_EQ(text(random_program(7)), text(random_program(7)));
  EXPECT_NE(text(random_program(7)), text(random_program(8)));
}

}  // namespace
}  // namespace a2a3::collectives::random_programs_test
