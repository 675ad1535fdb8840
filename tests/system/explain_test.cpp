// SPDX-License-Identifier: Apache-2.0
// run --explain: the pieces of the path follow each other without a gap and add up to the time of
// the run, which is the same as without it.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "all_modes.hpp"
#include "program.hpp"
#include "tools/report/run_json.hpp"
#include "tools/run.hpp"

namespace a2a3::test::explain_test {
namespace {

tools::ExecutedRun run(const ExampleMode& one, int ranks, bool explain, const char* machine) {
  tools::RunOptions options = measuring_run(one, ranks);
  options.explain = explain;
  options.platform = machine;
  return tools::execute_run(options);
}

void expect_whole(const Explanation& explanation, sim::Picoseconds end) {
  ASSERT_TRUE(explanation.complete);
  sim::Picoseconds at = 0;
  for (const PathPiece& piece : explanation.path) {
    ASSERT_EQ(piece.from, at);
    ASSERT_GT(piece.to, piece.from);
    at = piece.to;
  }
  EXPECT_EQ(at, end);
  const auto& groups = explanation.group_times;
  EXPECT_EQ(std::accumulate(groups.begin(), groups.end(), sim::Picoseconds{0}), end);
  sim::Picoseconds lines = 0;
  for (const LineShare& line : explanation.lines)
    lines += line.time;
  EXPECT_EQ(lines, end);
}

class Explain : public testing::TestWithParam<ExampleMode> {};

TEST_P(Explain, ThePathAddsUpAndTheTimesAreTheSame) {
  int explained = 0;
  for (const char* machine : {"a2a3sim", "a3"}) {
    for (const int ranks : {1, 2, 3, 4, 5, 7, 8}) {
      SCOPED_TRACE(std::string(machine) + " P=" + std::to_string(ranks));
      const tools::ExecutedRun without = run(GetParam(), ranks, false, machine);
      const tools::RunReport& plain = without.report;
      if (plain.result.outcome != Outcome::finished) continue;  // not for this rank count
      EXPECT_FALSE(plain.result.explanation);
      const tools::ExecutedRun with = run(GetParam(), ranks, true, machine);
      const tools::RunReport& report = with.report;
      ASSERT_TRUE(report.result.explanation);
      expect_whole(*report.result.explanation, report.result.end);
      nlohmann::ordered_json json = tools::run_json(report);
      json.erase("explanation");
      EXPECT_EQ(json, tools::run_json(plain));
      ++explained;
    }
  }
  EXPECT_GT(explained, 0);
}

INSTANTIATE_TEST_SUITE_P(Examples, Explain, testing::ValuesIn(all_modes()), mode_name);

TEST(ExplainOption, PrintsTablesAndASentence) {
  const Finished run =
      a2a3sim({"run", "examples/10_allreduce_ring.py", "-d", "0-7", "-p", "a2", "--explain"});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(contains(run.out, "critical path, the chain of causes"));
  EXPECT_TRUE(contains(run.out, "busiest links:"));
  EXPECT_TRUE(contains(run.out, "bound by "));
}

TEST(ExplainOption, NamesTheEgressOfACoreThatStoresToPeers) {
  const Finished run = a2a3sim({"run", "examples/06_put_get.py", "--mode", "put", "-d", "0-3", "-p",
                                "a2", "--set", "SIZE=4096", "--explain"});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(contains(run.out, "bound by egress of one vector core ("));
  EXPECT_TRUE(contains(run.out, "remote stores at line"));
}

TEST(ExplainOption, NamesALateStart) {
  const Finished run = a2a3sim(
      {"run", "examples/13_allgather.py", "-d", "0-3", "--skew", "rank=2:500us", "--explain"});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(contains(run.out, "bound by launch skew: 99"));
}

/// The explanation that --json writes; its pieces must add up to the run's time.
nlohmann::json explanation_of(std::vector<std::string> arguments) {
  const ScratchDir scratch;
  const std::string file = scratch.file("run.json");
  arguments.insert(arguments.end(), {"--explain", "--json", file});
  const Finished run = a2a3sim(arguments);
  EXPECT_EQ(run.status, 0) << run.err;
  const nlohmann::json json = read_json(file);
  std::uint64_t end = 0;
  for (const auto& rank : json["ranks"])
    end = std::max(end, rank["total_ps"].get<std::uint64_t>());
  std::uint64_t at = 0;
  for (const auto& piece : json["explanation"]["path"]) {
    EXPECT_EQ(piece["from_ps"], at);
    at = piece["to_ps"];
  }
  EXPECT_EQ(at, end);
  return json["explanation"];
}

TEST(ExplainOption, FollowsBlocksFromCoreToCore) {
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8}) {
    for (const char* cores : {"CORES=1", "CORES=48", "CORES=100"})
      (void)explanation_of(
          {"run", "tests/system/data/many_cores.py", "-d", devices(ranks), "--set", cores});
  }
}

TEST(ExplainOption, FollowsTasksThatWaitForSignals) {
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8})
    (void)explanation_of({"run", "tests/system/data/waiters.py", "-d", devices(ranks)});
  const auto late =
      explanation_of({"run", "tests/system/data/waiters.py", "-d", "0-2", "--skew", "rank=1:50us"});
  EXPECT_EQ(late["time_ps"]["launch skew"], 50'000'000);
  EXPECT_EQ(late["time_ps"]["no task"], 0);
}

TEST(ExplainOption, SaysWhenThereIsTooMuchToRecord) {
  const Finished run = a2a3sim(
      {"run", "examples/13_allgather.py", "-d", "0-3", "--explain", "--max-explain-records", "20"});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(contains(run.out, "more than 20 records"));
  EXPECT_EQ(run.out.find("bound by"), std::string::npos);
}

}  // namespace
}  // namespace a2a3::test::explain_test
