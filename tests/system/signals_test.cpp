// SPDX-License-Identifier: Apache-2.0
// run --signals: which notifies satisfied each wait.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::signals_test {
namespace {

using Body = std::vector<std::string>;
using nlohmann::json;

/// The waits of a run, from --json.
json waits_of(const std::vector<std::string>& arguments) {
  const ScratchDir scratch;
  std::vector<std::string> all = arguments;
  all.insert(all.end(), {"--signals", "--json", scratch.file("run.json")});
  const Finished run = a2a3sim(all);
  EXPECT_EQ(run.status, 0) << run.err;
  return read_json(scratch.file("run.json"))["signals"];
}

int line_of(const std::string& text, const std::string& part) {
  const std::string at = place(text, part);
  return std::stoi(at.substr(at.find(':') + 1));
}

/// Of the allgather by hand every wait counts the one signal of its peer, from the notify's line.
TEST(Signals, EveryWaitOfTheAllgatherCountsItsPeersNotify) {
  const std::string text =
      read_file(std::filesystem::path(A2A3_SOURCE_DIR) / "examples/13_allgather.py");
  const int notify_line = line_of(text, "pld.system.notify(\n");
  const int wait_line = line_of(text, "pld.system.wait(signal, offsets=[src, 0]");
  for (const char* engine : {"timed", "untimed"}) {
    for (const int ranks : {1, 2, 3, 5}) {
      const json signals =
          waits_of({"run", "examples/13_allgather.py", "-d", devices(ranks), "--engine", engine});
      EXPECT_EQ(signals["left_out_count"], 0);
      ASSERT_EQ(signals["waits"].size(), static_cast<std::size_t>(ranks * (ranks - 1)));
      std::set<std::pair<int, int>> pairs;
      for (const json& wait : signals["waits"]) {
        EXPECT_EQ(wait["state"], "fresh");
        EXPECT_EQ(wait["location"]["line"], wait_line);
        EXPECT_EQ(wait["generation"], 1);
        EXPECT_EQ(wait["expected"], 1);
        EXPECT_EQ(wait["value"], 1);
        EXPECT_EQ(wait["counted_before_count"], 0);
        ASSERT_EQ(wait["notifies"].size(), 1U);
        const json& notify = wait["notifies"][0];
        EXPECT_EQ(notify["location"]["line"], notify_line);
        EXPECT_EQ(notify["generation"], 1);
        EXPECT_EQ(notify["op"], "AtomicAdd");
        EXPECT_EQ(notify["value"], 1);
        EXPECT_FALSE(notify["counted_before"].get<bool>());
        EXPECT_EQ(wait["cell"], "signal[" + std::to_string(notify["rank"].get<int>()) + ", 0]");
        pairs.emplace(wait["rank"], notify["rank"]);
      }
      EXPECT_EQ(pairs.size(), signals["waits"].size());
    }
  }
}

/// Step 16 reuses cells: a wait of the second barrier counts the second signal of its peer, and
/// never one that the collective before has counted.
TEST(Signals, TheCollectivesOfStep16CountTheirOwnCalls) {
  for (const char* mode : {"default", "one_signal"}) {
    for (const int ranks : {2, 3, 5}) {
      SCOPED_TRACE(std::string(mode) + " on " + std::to_string(ranks));
      const json signals = waits_of(
          {"run", "examples/16_putting_it_together.py", "--mode", mode, "-d", devices(ranks)});
      ASSERT_FALSE(signals["waits"].empty());
      for (const json& wait : signals["waits"]) {
        EXPECT_EQ(wait["state"], "fresh") << wait.dump(2);
        ASSERT_FALSE(wait["notifies"].empty());
        EXPECT_EQ(wait["notifies"].back()["generation"], wait["generation"]);
        EXPECT_NE(wait["notifies"].back()["rank"], wait["rank"]);
        EXPECT_EQ(wait["notifies"].back()["location"], wait["location"]) << "of one call";
      }
    }
  }
}

/// Scenario 1: rank 0 adds k + 1 to a cell that holds 0, 1, 3, 6 when rank 1 asks for 1, 2, 3, 4.
std::string tiles(const std::string& added) {
  return edge_kernel(
      {"for k in pl.range(4):", "    if me == 0:",
       "        " + replaced(notify("n - 1", "0", 77, "AtomicAdd"), "77", added),
       "    if me == n - 1:", "        " + replaced(wait("0", 77, "Ge"), "77", "k + 1")});
}

TEST(Signals, WaitsThatPassOnEarlierCreditAreMarked) {
  for (const int ranks : {2, 3, 5}) {
    for (const auto& [added, states] : std::map<std::string, std::vector<std::string>>{
             {"1", {"fresh", "fresh", "fresh", "fresh"}},
             {"k + 1", {"fresh", "fresh", "stale", "earlier round"}}}) {
      SCOPED_TRACE(added + " on " + std::to_string(ranks));
      const ScratchDir scratch;
      const std::string kernel = scratch.write("kernel.py", tiles(added));
      for (const char* engine : {"timed", "untimed"}) {
        const std::vector<std::string> arguments{"run",      kernel, "-d",       devices(ranks),
                                                 "--golden", "y: x", "--engine", engine};
        const json waits = waits_of(arguments)["waits"];
        ASSERT_EQ(waits.size(), 4U);
        for (std::size_t k = 0; k < 4; ++k) {
          EXPECT_EQ(waits[k]["rank"], ranks - 1);
          EXPECT_EQ(waits[k]["state"], states[k]) << k;
          EXPECT_EQ(waits[k]["notifies"].back()["counted_before"], states[k] == "stale");
        }
        std::vector<std::string> shown = arguments;
        shown.emplace_back("--signals");
        const Finished run = a2a3sim(shown);
        for (const char* state : {"stale", "earlier round"})
          EXPECT_EQ(run.out.find(state) != std::string::npos, added != "1") << run.out;
        EXPECT_TRUE(contains(run.out, "by rank 0, line "));
      }
    }
  }
}

/// A table of very many waits shows those that are marked.
TEST(Signals, ALongTableIsCutAndSaysSo) {
  const ScratchDir scratch;
  Body body{"for k in pl.range(100):",
            "    if me == 0:",
            "        " + notify("1", "0", 1, "AtomicAdd"),
            "    if me == 1:",
            "        " + replaced(wait("0", 77, "Ge"), "77", "k + 1"),
            "if me == 1:",
            "    " + wait("0", 100, "Ge")};
  const std::string kernel = scratch.write("kernel.py", edge_kernel(body));
  const std::vector<std::string> arguments{"run",      kernel, "-d",       "0,1",
                                           "--golden", "y: x", "--signals"};
  const Finished whole = a2a3sim(arguments);
  EXPECT_TRUE(contains(whole.out, "and 41 more waits; --json has them"));
  EXPECT_TRUE(contains(whole.out, "stale"));
  std::vector<std::string> few = arguments;
  few.insert(few.end(), {"--max-signal-records", "20"});
  const Finished cut = a2a3sim(few);
  EXPECT_TRUE(contains(cut.out, "and 91 later ones that were not recorded"));
  EXPECT_EQ(cut.status, 0);
}

/// Of a run that does not come to its end, or is wrong, the waits up to there are listed.
TEST(Signals, OfADeadlockAFaultAndARaceThereAreTheWaitsThatEnded) {
  const std::string first = notify("0", "0", 1, "AtomicAdd");
  const std::string own = wait("0", 1, "Ge");
  struct Bad {
    std::string name;
    Body after;  ///< what follows the notify of rank 1 and the wait of rank 0
    int status;
  };
  const Bad cases[] = {
      {"deadlock", {"if me == 0:", "    " + wait("1", 2, "Ge")}, 3},
      {"fault", {"if me == 0:", "    " + notify("me + 5", "1", 1, "Set")}, 1},
      {"race",
       {"pld.tile.remote_store(pl.load(x, [0, 0], [1, 64]), win, peer=0, offsets=[0, 0])"},
       4}};
  for (const Bad& bad : cases) {
    Body body{"if me == 1:", "    " + first, "if me == 0:", "    " + own};
    body.insert(body.end(), bad.after.begin(), bad.after.end());
    const std::string text = edge_kernel(body);
    for (const std::string engine : {"timed", "untimed"}) {
      SCOPED_TRACE(bad.name + " " + engine);
      const ScratchDir scratch;
      const std::string file = scratch.file("run.json");
      const Finished run =
          a2a3sim({"run", scratch.write("kernel.py", text), "-d", "0,1", "--golden", "y: x",
                   "--signals", "--engine", engine, "--json", file});
      EXPECT_EQ(run.status, bad.status) << run.err;
      EXPECT_TRUE(contains(run.out, "what satisfied each wait"));
      const json all = read_json(file);
      EXPECT_EQ(all["verdict"], bad.name);
      ASSERT_EQ(all["signals"]["waits"].size(), 1U);
      const json& only = all["signals"]["waits"][0];
      EXPECT_EQ(only["rank"], 0);
      EXPECT_EQ(only["cell"], "cells[0, 0]");
      EXPECT_EQ(only["location"]["line"], line_of(text, own));
      EXPECT_EQ(only["state"], "fresh");
      ASSERT_EQ(only["notifies"].size(), 1U);
      EXPECT_EQ(only["notifies"][0]["rank"], 1);
      EXPECT_EQ(only["notifies"][0]["location"]["line"], line_of(text, first));
    }
  }
}

/// --quiet leaves out what nobody asked for.
TEST(Signals, TheTableIsShownInAQuietRunToo) {
  const Finished run = a2a3sim(
      {"run", "examples/13_allgather.py", "-d", "0-2", "--quiet", "--signals", "--explain"});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(contains(run.out, "what satisfied each wait")) << run.out;
  EXPECT_TRUE(contains(run.out, "critical path")) << run.out;
  EXPECT_FALSE(contains(run.out, "received"));
  EXPECT_EQ(run.last_line(), "OK");
}

TEST(Signals, NobodyRecordsThemWithoutTheChecks) {
  for (const auto& [option, value] :
       std::map<std::string, std::string>{{"--no-race-check", ""}, {"--data", "none"}}) {
    std::vector<std::string> arguments{"run", "examples/13_allgather.py", "--signals", option};
    if (!value.empty()) arguments.push_back(value);
    const Finished run = a2a3sim(arguments);
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(contains(run.err, option));
    EXPECT_TRUE(contains(run.err, "does not go with --signals"));
  }
}

}  // namespace
}  // namespace a2a3::test::signals_test
