// SPDX-License-Identifier: Apache-2.0
// What a2a3sim check says of a failure: how often it came, the smallest run, and a command that
// repeats it.
#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "edge_kernel.hpp"
#include "program.hpp"

namespace a2a3::test::check_replay_test {
namespace {

class CheckFailure : public testing::Test {
 protected:
  Finished check(const std::string& kernel, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "check", scratch_.write("kernel.py", kernel), "--golden", "y: x", "--json", json_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return a2a3sim(arguments);
  }
  /// Runs a replay command as it was printed; no word of it has a blank outside of the golden.
  static Finished replay(std::string command) {
    const std::string golden = " --golden 'y: x'";
    const std::size_t at = command.find(golden);
    std::vector<std::string> words;
    if (at != std::string::npos) {
      command.erase(at, golden.size());
      words = {"--golden", "y: x"};
    }
    std::istringstream stream(command);
    std::vector<std::string> all;
    for (std::string word; stream >> word;)
      all.push_back(word);
    EXPECT_EQ(all.front(), "a2a3sim");
    all.erase(all.begin());
    all.insert(all.end(), words.begin(), words.end());
    return a2a3sim(all);
  }
  static std::size_t times(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++count;
    return count;
  }

  ScratchDir scratch_;
  std::string json_ = scratch_.file("check.json");
};

const char* const kPutToZero =
    "pld.tensor.put(win, 0, x, dst_offsets=[0, 0], src_offsets=[0, 0], shape=[1, 64])";

/// A race from two ranks on, and another one from three on: the first one is there as well.
TEST_F(CheckFailure, IsCountedInTheRunsThatShowItsOwnLines) {
  const std::string kernel = edge_kernel(
      {kPutToZero,
       "if n > 2:", "    " + replaced(kPutToZero, "dst_offsets=[0, 0]", "dst_offsets=[1, 0]")});
  const Finished run = check(kernel, {"--ranks", "2..4", "--seeds", "2", "--skews", "0"});
  EXPECT_EQ(run.status, 4) << run.err;
  const auto report = read_json(json_);
  ASSERT_EQ(report["failures"].size(), 2) << run.err;
  const auto& first = report["failures"][0];
  EXPECT_EQ(first["runs_count"], 9);
  EXPECT_EQ(first["rank_counts"], nlohmann::json({2, 3, 4}));
  const auto& second = report["failures"][1];
  EXPECT_EQ(second["runs_count"], 6);
  EXPECT_EQ(second["rank_counts"], nlohmann::json({3, 4}));
  EXPECT_EQ(second["smallest"]["ranks_count"], 3);
  EXPECT_TRUE(contains(run.err, "failure 2 of 2: race, in 6 of 9 runs, on 3-4 ranks;"));
  // Each finding belongs to one failure.
  std::set<std::string> findings;
  std::size_t all = 0;
  for (const auto& failure : report["failures"]) {
    for (const auto& finding : failure["findings"]) {
      findings.insert(finding.get<std::string>());
      ++all;
    }
  }
  EXPECT_EQ(all, findings.size());
}

/// Every rank loads its own row, and then for long another's: wrong when that one is late.
TEST_F(CheckFailure, OfALateRankIsFoundOnTheFewestRanks) {
  const std::vector<std::string> body{
      "win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)",
      "for i in pl.range(40):", "    win = pl.store(pl.load(x, [0, 0], [1, 64]), [1, 0], win)",
      "t = pld.tile.remote_load(win, peer=(me + 1) % n, offsets=[0, 0], shape=[1, 64])"};
  const std::string kernel =
      replaced(edge_kernel(body), "pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], y)",
               "pl.store(t, [0, 0], y)");
  const ScratchDir scratch;
  const Finished run = a2a3sim({"check", scratch.write("kernel.py", kernel), "--ranks", "2..4",
                                "--seeds", "1", "--skews", "6", "--no-race-check", "--golden",
                                "y: x[(r + 1) % P]", "--json", json_});
  EXPECT_EQ(run.status, 2) << run.err;
  const auto report = read_json(json_);
  for (const auto& failure : report["failures"])
    EXPECT_EQ(failure["smallest"]["ranks_count"], 2) << run.err;
}

/// Every limit that check takes, and that decides what a run gives, once.
TEST_F(CheckFailure, IsRepeatedWithEveryLimitOnce) {
  const std::vector<std::string> limits{
      "--max-devices",         "--max-tensor-bytes",      "--max-race-records",
      "--max-golden-elements", "--max-golden-operations", "--max-instructions",
      "--max-steps",           "--max-host-steps",        "--max-file-bytes"};
  // Others are of the check as a whole, or of reports that it does not have.
  const std::set<std::string> others{"--max-skew", "--max-points", "--max-nesting",
                                     "--max-signal-records", "--max-explain-records"};
  const std::string help = a2a3sim({"check", "--help"}).out;
  for (std::size_t at = help.find("--max-"); at != std::string::npos;
       at = help.find("--max-", at)) {
    const std::size_t end = help.find_first_of(" ,\n", at);
    const std::string option = help.substr(at, end - at);
    EXPECT_TRUE(others.contains(option) || std::ranges::find(limits, option) != limits.end())
        << option;
    at = end;
  }
  std::vector<std::string> options{"--ranks", "2", "--seeds",       "1",
                                   "--skews", "0", "--max-nesting", "100"};
  for (const std::string& limit : limits)
    options.insert(options.end(), {limit, "1234567"});
  const Finished run = check(edge_kernel({kPutToZero}), options);
  EXPECT_EQ(run.status, 4) << run.err;
  const auto report = read_json(json_);
  const auto& failure = report["failures"][0];
  const std::string command = failure["replay"];
  for (const std::string& limit : limits)
    EXPECT_EQ(times(command, " " + limit + " 1234567"), 1) << limit << ": " << command;
  EXPECT_EQ(times(command, " --max-nesting 100"), 1) << command;
  const Finished again = replay(command);
  EXPECT_EQ(again.status, 4);
  EXPECT_EQ(again.err, failure["text"]);
}

TEST_F(CheckFailure, ByALimitIsRepeated) {
  const Finished run = check(edge_kernel(), {"--ranks", "2", "--seeds", "1", "--skews", "0",
                                             "--max-golden-operations", "1"});
  EXPECT_EQ(run.status, 1);
  const auto failures = read_json(json_)["failures"];
  ASSERT_FALSE(failures.empty()) << run.err;
  const Finished again = replay(failures[0]["replay"]);
  EXPECT_EQ(again.status, 1);
  EXPECT_TRUE(contains(again.err, "--max-golden-operations"));
}

TEST_F(CheckFailure, JobsAreAtLeastOne) {
  for (const std::string command : {"check", "sweep", "compare"}) {
    for (const std::string jobs : {"0", "-1", "many"}) {
      const Finished run = a2a3sim({command, "x", "-j", jobs});
      EXPECT_EQ(run.status, 1);
      EXPECT_TRUE(contains(run.err, "expected a whole number from 1 up to 65536, got '" + jobs))
          << run.err;
    }
  }
}

}  // namespace
}  // namespace a2a3::test::check_replay_test
