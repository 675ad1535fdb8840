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
#include "edge_kernel.hpp"
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

/// What a run prints behind `bound by`, on `machine` with these lines in place of its own.
std::string bound_of(std::vector<std::string> arguments, const std::string& machine,
                     const std::string& change) {
  const ScratchDir scratch;
  const std::string file =
      scratch.write("machine.yaml", "extends: " + machine + "\n" + change + "\n");
  arguments.insert(arguments.end(), {"-p", file, "--data", "none", "--explain"});
  const Finished run = a2a3sim(arguments);
  EXPECT_EQ(run.status, 0) << run.err;
  const std::size_t at = run.out.find("bound by ");
  EXPECT_NE(at, std::string::npos);
  return run.out.substr(std::min(at, run.out.size()));
}

TEST(ExplainOption, NamesTheRateOfAPipeThatManyLoadsShare) {
  const std::vector<std::string> loads{"run", "tests/system/data/many_loads.py", "-d", "0"};
  EXPECT_TRUE(bound_of(loads, "teaching", "").starts_with("bound by load/store pipe: "));
  EXPECT_TRUE(bound_of(loads, "teaching", "core: {load_issue: 100 cycles, store_issue: 100 cycles}")
                  .starts_with("bound by load/store issue: "));
  EXPECT_TRUE(bound_of(loads, "teaching", "memory: {read_bandwidth: 4 GB/s}")
                  .starts_with("bound by memory: 9"));
}

TEST(ExplainOption, OnesOwnTransfersAreNoContention) {
  for (const int ranks : {2, 3, 4, 5, 7, 8}) {
    const std::vector<std::string> loads{"run", "tests/system/data/many_remote_loads.py", "-d",
                                         devices(ranks)};
    const std::string bound = bound_of(loads, "teaching", "");
    EXPECT_TRUE(bound.starts_with("bound by rate of link ")) << bound;
    EXPECT_TRUE(contains(bound, "(16 GB/s): 9")) << bound;
  }
}

TEST(ExplainOption, NamesTheSlowLinkAndItsRate) {
  const std::vector<std::string> mesh{
      "run", "examples/08_allreduce_mesh.py", "-d", "0-7", "--set", "SIZE=65536"};
  const auto slow = [&](const char* from, const char* to) {
    return bound_of(
        mesh, "a2",
        std::string("slow_links: [{from: ") + from + ", to: " + to + ", bandwidth: 1 GB/s}]");
  };
  EXPECT_TRUE(slow("1", "0").starts_with("bound by rate of link 1 -> 0 (1 GB/s): "));
  EXPECT_TRUE(slow("3", "6").starts_with("bound by rate of link 3 -> 6 (1 GB/s): "));
}

TEST(ExplainOption, AMemoryThatPeersShareIsContention) {
  const std::string bound =
      bound_of({"run", "examples/08_allreduce_mesh.py", "-d", "0-7", "--set", "SIZE=65536"}, "a2",
               "memory: {read_bandwidth: 5 GB/s}");
  EXPECT_TRUE(contains(bound, ": contention takes ")) << bound;
  EXPECT_TRUE(contains(bound, " us more")) << bound;
}

/// The sum in docs/timing_model.md, "By hand": 2149.5 ns.
TEST(ExplainOption, TheExampleComputedByHandTakesAsLong) {
  const auto path = explanation_of(
      {"run", "tests/system/data/by_hand.py", "-d", "0,1", "-p", "teaching", "--data", "none"});
  EXPECT_EQ(path["path"].back()["to_ps"], 2'149'500);
  EXPECT_EQ(path["time_ps"]["scalar unit"], (4 + 1) * 1000);
}

TEST(ExplainOption, OfARunThatDoesNotComeToItsEndThereIsNone) {
  const ScratchDir scratch;
  for (const auto& [line, status] :
       {std::pair(wait("0", 1, "Ge"), 3), std::pair(notify("me + 5", "0", 1, "Set"), 1)}) {
    const Finished run = a2a3sim({"run", scratch.write("kernel.py", edge_kernel({line})), "-d",
                                  "0,1", "--golden", "y: x", "--explain"});
    EXPECT_EQ(run.status, status);
    EXPECT_TRUE(contains(run.out, "no explanation: the run did not come to its end"));
    EXPECT_EQ(run.out.find("bound by"), std::string::npos);
  }
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
