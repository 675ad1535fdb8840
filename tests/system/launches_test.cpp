// SPDX-License-Identifier: Apache-2.0
// Several launches of one program, with fresh and with persistent windows.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "program.hpp"

namespace a2a3::test::launches_test {
namespace {

TEST(Launches, FreshWindowsMakeEveryLaunchTheFirst) {
  const ScratchDir scratch;
  const std::string json = scratch.file("card.json");
  const Finished run =
      a2a3sim({"run", "examples/13_allgather.py", "-d", "0-2", "--launches", "3", "--json", json});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.last_line(), "OK");
  EXPECT_TRUE(contains(run.out, "3 of 3 launches, fresh windows"));
  const nlohmann::json card = read_json(json);
  EXPECT_EQ(card["verdict"], "ok");
  ASSERT_EQ(card["launches"].size(), 3u);
  std::uint64_t received = 0;
  for (const auto& launch : card["launches"]) {
    EXPECT_EQ(launch["verdict"], "ok");
    EXPECT_EQ(launch["total"], card["launches"][0]["total"]);
    received += launch["total"]["payload_received_bytes"].get<std::uint64_t>();
  }
  EXPECT_EQ(card["total"]["payload_received_bytes"], received);
  EXPECT_EQ(card["persistent_windows"], false);
}

TEST(Launches, KernelsThatClearTheirCreditsKeepWorkingOnPersistentWindows) {
  for (const char* engine : {"timed", "untimed"}) {
    const Finished run =
        a2a3sim({"run", "examples/13_allgather.py", "--mode", "builtin", "-d", "0-3", "--launches",
                 "4", "--persistent", "--engine", engine, "--quiet"});
    EXPECT_EQ(run.out, "OK\n") << run.err;
  }
}

TEST(Launches, CreditsLeftOverAreShownWrongOnTheSecondLaunch) {
  // The slow rank's row is gathered from the launch before: its credit is there already.
  for (const char* windows : {"fresh", "persistent"}) {
    const bool persistent = std::string(windows) == "persistent";
    std::vector<std::string> command{
        "run", "examples/13_allgather.py", "-d", "0-2", "--launches", "2", "--skew", "rank=1:50us"};
    if (persistent) command.emplace_back("--persistent");
    const Finished run = a2a3sim(command);
    EXPECT_EQ(run.status, persistent ? 4 : 0) << run.err;
    if (!persistent) continue;
    EXPECT_TRUE(contains(run.err, "race: ranks 0-2 read what ranks 0-2 write"));
    EXPECT_TRUE(contains(run.err, "stale credit: ranks 0-2 cannot block here"));
    EXPECT_TRUE(contains(run.err, "launch 2 of 2"));
    EXPECT_TRUE(contains(run.err, "wrong result"));
    EXPECT_TRUE(contains(run.out, "2 of 2 launches, persistent windows"));
  }
}

TEST(Launches, FindingsAreToldOnceWithTheirLaunches) {
  const ScratchDir scratch;
  const std::string json = scratch.file("card.json");
  const Finished run = a2a3sim({"run", "examples/13_allgather.py", "-d", "0-2", "--launches", "4",
                                "--skew", "rank=1:50us", "--persistent", "--json", json});
  EXPECT_EQ(run.status, 4);
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = run.err.find(part); at != std::string::npos;
         at = run.err.find(part, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("error: race: "), 1u) << run.err;
  EXPECT_EQ(count("warning: stale credit: "), 1u) << run.err;
  EXPECT_EQ(count("note: in launches 2-4\n"), 2u) << run.err;
  const nlohmann::json card = read_json(json);
  for (const char* list : {"races", "findings"}) {
    ASSERT_EQ(card[list].size(), 1u) << list;
    EXPECT_EQ(card[list][0]["launches"], nlohmann::json({2, 3, 4})) << list;
  }
  EXPECT_EQ(card["verdict"], "race");
  EXPECT_EQ(card["races"][0]["kind"], "read-before-write");
  EXPECT_EQ(card["findings"][0]["kind"], "stale credit");
  EXPECT_TRUE(card["launches"][0]["race_check"]["races"].empty());
  EXPECT_EQ(card["launches"][1]["race_check"]["races"].size(), 1u);
}

/// A wrong result of the first launch hides no race of the second one.
TEST(Launches, TheWorstOfThemIsTheVerdict) {
  const ScratchDir scratch;
  const std::string json = scratch.file("card.json");
  const Finished run = a2a3sim({"run", "examples/13_allgather.py", "-d", "0-2", "--launches", "2",
                                "--persistent", "--golden", "y: concat(x) + 1", "--json", json});
  EXPECT_EQ(run.status, 4) << run.err;
  const nlohmann::json card = read_json(json);
  EXPECT_EQ(card["launches"][0]["verdict"], "wrong result");
  EXPECT_EQ(card["launches"][1]["verdict"], "race");
  EXPECT_EQ(card["verdict"], "race");
  EXPECT_EQ(card["exit_status"], 4);
  EXPECT_NE(run.last_line(), "OK");
}

TEST(Launches, AWaitForAnExactValueHangsOnCreditsOfTheLaunchBefore) {
  const ScratchDir scratch;
  const std::string kernel =
      scratch.write("kernel.py", replaced(read_file(std::filesystem::path(A2A3_SOURCE_DIR) /
                                                    "tests/system/data/pasted_functions.py"),
                                          "pld.WaitCmp.Ge", "pld.WaitCmp.Eq"));
  EXPECT_EQ(a2a3sim({"run", kernel, "-d", "0,1,2", "--launches", "2"}).status, 0);
  const Finished stuck = a2a3sim({"run", kernel, "-d", "0,1,2", "--launches", "3", "--persistent"});
  EXPECT_EQ(stuck.status, 3);
  EXPECT_TRUE(contains(stuck.out, "2 of 3 launches"));
  EXPECT_TRUE(
      contains(stuck.err, "the cell is 2, waiting for Eq 1, no remaining writer lowers it"));
}

TEST(Launches, WrongTrafficIsExplainedForEveryLaunch) {
  const Finished run = a2a3sim({"run", "examples/13_allgather.py", "-d", "0-2", "--launches", "3",
                                "--traffic", "received: 0", "--quiet"});
  EXPECT_EQ(run.status, 2);
  for (const char* launch : {"launch 1 of 3:", "launch 2 of 3:", "launch 3 of 3:"}) {
    const std::size_t at = run.err.find(launch);
    ASSERT_NE(at, std::string::npos) << run.err;
    EXPECT_TRUE(contains(run.err.substr(at), "wrong traffic"));
  }
}

TEST(Launches, DumpsAreThoseOfTheLast) {
  const ScratchDir scratch;
  const auto dump = [&](const std::string& launches) {
    const Finished run =
        a2a3sim({"run", "examples/13_allgather.py", "-d", "0-2", "--quiet", "--launches", launches,
                 "--dump", "x=" + scratch.file("x.npy"), "--dump", "y=" + scratch.file("y.npy")});
    EXPECT_EQ(run.out, "OK\n") << run.err;
    return std::pair(read_file(scratch.file("x.npy")), read_file(scratch.file("y.npy")));
  };
  const auto [x, y] = dump("1");
  const auto [last_x, last_y] = dump("2");
  EXPECT_NE(last_x, x);
  // Every rank gathers the whole of x.
  const auto elements = [](const std::string& npy) { return npy.substr(npy.find('\n') + 1); };
  EXPECT_EQ(elements(last_y).substr(0, elements(last_x).size()), elements(last_x));
}

/// What the largest process that was started here took so far.
long peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_maxrss;
}

TEST(Launches, ManyTakeNoMoreMemoryThanTwo) {
  // The address sanitizer would keep what is freed for a while.
  setenv("ASAN_OPTIONS", "quarantine_size_mb=0:detect_leaks=0", 1);
  const auto run = [](const char* launches) {
    return a2a3sim({"run", "examples/08_allreduce_mesh.py", "--set", "SIZE=65537", "-d", "0-7",
                    "--launches", launches, "--quiet"});
  };
  EXPECT_EQ(run("2").out, "OK\n");
  const long two = peak_memory();
  EXPECT_EQ(run("30").out, "OK\n");
  EXPECT_LT(peak_memory(), two + two / 2);
}

TEST(Launches, OneThatCannotBePreparedHasTheLayoutOfLaunches) {
  const ScratchDir scratch;
  const std::string json = scratch.file("card.json");
  EXPECT_EQ(a2a3sim({"run", "examples/13_allgather.py", "--launches", "2", "--input", "z: zeros()",
                     "--json", json})
                .status,
            1);
  const nlohmann::json card = read_json(json);
  EXPECT_EQ(card["launches_asked_for_count"], 2);
  EXPECT_EQ(card["exit_status"], 1);
  ASSERT_EQ(card["launches"].size(), 1u);
  EXPECT_EQ(card["launches"][0]["verdict"], "wrong input");
}

TEST(Launches, AreAtLeastOne) {
  const Finished run = a2a3sim({"run", "examples/13_allgather.py", "--launches", "0"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "--launches must be at least 1, got 0"));
  const Finished one = a2a3sim({"run", "examples/13_allgather.py", "--persistent", "--quiet"});
  EXPECT_EQ(one.out, "OK\n");
  EXPECT_TRUE(contains(one.err, "--persistent changes nothing"));
}

}  // namespace
}  // namespace a2a3::test::launches_test
