// SPDX-License-Identifier: Apache-2.0
// Several launches of one program, with fresh and with persistent windows.
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test {
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
    EXPECT_EQ(run.status, persistent ? 2 : 0) << run.err;
    if (!persistent) continue;
    EXPECT_TRUE(contains(run.err, "launch 2 of 2"));
    EXPECT_TRUE(contains(run.err, "wrong result"));
    EXPECT_TRUE(contains(run.out, "2 of 2 launches, persistent windows"));
  }
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
  EXPECT_TRUE(contains(stuck.err, "the cell has passed the expected value"));
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
}  // namespace a2a3::test
