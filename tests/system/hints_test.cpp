// SPDX-License-Identifier: Apache-2.0
// run --hints: what a right run did for nothing.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "all_modes.hpp"
#include "edge_kernel.hpp"
#include "ir/diagnostic.hpp"
#include "tools/run.hpp"

namespace a2a3::test::hints_test {
namespace {

using Body = std::vector<std::string>;
using nlohmann::json;

const std::string kLoad = "t = pl.load(x, [0, 0], [1, 64])";
const std::string kPut = "pld.tile.remote_store(t, peer=(me + 1) % n, offsets=[me, 0], target=win)";
const std::string kOther = "u = pl.add(t, 1.0)";
const std::string kPutOther =
    "pld.tile.remote_store(u, peer=(me + 1) % n, offsets=[me, 0], target=win)";
const std::string kFetch =
    "q = pld.tile.remote_load(win, peer=(me + 1) % n, offsets=[me, 0], shape=[1, 64])";

std::string notify_next() {
  return notify("(me + 1) % n", "me", 1, "AtomicAdd");
}
std::string wait_before(int expected) {
  return wait("(me + n - 1) % n", expected, "Ge");
}

/// Every rank puts its slice on the next one, which waits for it and reads it.
Body around(const Body& before, const Body& put = {kPut}, const Body& after = {}) {
  Body body{kLoad};
  body.insert(body.end(), put.begin(), put.end());
  body.insert(body.end(), before.begin(), before.end());
  body.insert(body.end(),
              {notify_next(), wait_before(1), "got = pl.load(win, [(me + n - 1) % n, 0], [1, 64])",
               "y = pl.store(got, [0, 0], y)"});
  body.insert(body.end(), after.begin(), after.end());
  return body;
}

struct Wasteful {
  std::string name;
  std::string kind;
  Body wrong;
  Body repaired;
  std::string at;     ///< a part of the line of the hint
  int nth = 0;        ///< of its places
  std::string place;  ///< {} is the last rank
  std::uint64_t bytes_per_rank = 0;
  bool has_time = true;
  int second = -1;  ///< which place of `at` the first note points to; -1: to none
};

std::vector<Wasteful> wasteful() {
  const Body second{notify_next(), wait_before(2)};
  const std::string row = "win[0, 0:64]";
  const std::string remote_store = "pld.tile.remote_store(";
  return {
      {"PutTwiceFromOneTile", "delivered twice", around({}, {kPut, kPut}), around({}), remote_store,
       1, row, 256, true, 0},
      {"PutTwiceFromOneSource", "delivered twice", around({}, {kPut, kLoad, kPut}), around({}),
       remote_store, 1, row, 256, true, 0},
      {"PutInALoop", "delivered twice", around({}, {"for k in pl.range(2):", "    " + kPut}),
       around({}, {"for k in pl.range(1):", "    " + kPut}), remote_store, 0, row, 256},
      {"NeverRead", "received, not read", {kLoad, kPut}, around({}), remote_store, 0, row, 256},
      {"Overwritten", "received, not read", around({}, {kOther, kPutOther, kPut}), around({}),
       remote_store, 0, row, 256, true, 1},
      {"TileNobodyUses", "received, not read", around({}, {kPut, kFetch}),
       around({}, {kPut, kFetch}, {"y = pl.store(q, [0, 0], y)"}), "pld.tile.remote_load(", 0, row,
       256},
      {"SecondWait", "wait orders nothing", around({}, {kPut}, second), around({}),
       "pld.system.wait(", 1, "", 4},
      {"NotifyTooMany", "notify not needed", around({}, {kPut}, {notify_next()}), around({}),
       "pld.system.notify(", 1, "cells[{}, 0]", 4, false},
      {"NotifyOfACellWithoutAWait",
       "notify not needed",
       {"if n > 1:", "    " + notify("(me + 1) % n", "me", 1, "Set")},
       {"pl.store(pl.load(x, [0, 0], [1, 64]), [me, 0], win)"},
       "pld.system.notify(",
       0,
       "cells[{}, 0]",
       4,
       false},
  };
}

/// "kernel.py:LINE:COLUMN: " of a place in the JSON.
std::string place_of(const json& location) {
  return fmt::format("kernel.py:{}:{}: ", location["line"].get<int>(),
                     location["column"].get<int>());
}

/// The hints of a run that is right, and what it printed.
std::pair<json, Finished> hints_of(const Body& body, int ranks, const std::string& engine) {
  const ScratchDir scratch;
  const std::string text = edge_kernel(body);
  const Finished plain = run_edge(text, ranks, {"--engine", engine});
  const Finished run =
      run_edge(text, ranks, {"--engine", engine, "--hints", "--json", scratch.file("run.json")});
  EXPECT_EQ(run.status, plain.status);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.last_line(), plain.last_line());
  const json all = read_json(scratch.file("run.json"));
  EXPECT_EQ(all["verdict"], "ok");
  EXPECT_TRUE(all["hints"]["complete"].get<bool>());
  return {all["hints"]["all"], run};
}

class EachHint : public testing::TestWithParam<Wasteful> {};

TEST_P(EachHint, AreGivenWithLinesBytesAndTime) {
  const Wasteful& one = GetParam();
  for (const std::string engine : {"timed", "untimed"}) {
    for (const int ranks : {2, 3, 5}) {
      SCOPED_TRACE(engine + " on " + std::to_string(ranks));
      const auto [hints, run] = hints_of(one.wrong, ranks, engine);
      ASSERT_EQ(hints.size(), 1U) << hints.dump(2);
      EXPECT_EQ(hints[0]["kind"], one.kind);
      EXPECT_EQ(hints[0]["ranks"].size(), static_cast<std::size_t>(ranks));
      EXPECT_EQ(hints[0]["size_bytes"], one.bytes_per_rank * static_cast<std::uint64_t>(ranks));
      const std::string text = edge_kernel(one.wrong);
      const std::string at = nth_place(text, one.at, one.nth);
      EXPECT_EQ(place_of(hints[0]["location"]), at);
      EXPECT_EQ(hints[0]["place"], fmt::format(fmt::runtime(one.place), ranks - 1));
      EXPECT_EQ(hints[0]["time_ps"].is_number(), one.has_time && engine == "timed");
      if (hints[0]["time_ps"].is_number()) {
        EXPECT_GT(hints[0]["time_ps"], 0);
      }
      const json& other = hints[0]["notes"][0]["location"];
      ASSERT_EQ(other.is_object(), one.second >= 0);
      if (other.is_object()) {
        EXPECT_EQ(place_of(other), nth_place(text, one.at, one.second));
      }
      EXPECT_TRUE(contains(run.err, at + "hint: " + one.kind + ": "));
    }
  }
}

TEST_P(EachHint, AreNotGivenOfTheRepairedKernel) {
  for (const std::string engine : {"timed", "untimed"}) {
    for (const int ranks : {2, 3, 5}) {
      const auto [hints, run] = hints_of(GetParam().repaired, ranks, engine);
      for (const json& hint : hints) {
        EXPECT_NE(hint["kind"], GetParam().kind) << hint.dump(2);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Wasteful, EachHint, testing::ValuesIn(wasteful()),
                         [](const auto& one) { return one.param.name; });

/// Every example of the tree, in every mode, on 2, 3 and 5 ranks.
TEST(HintsOfTheExamples, ThereAreNoneButThoseWithAReason) {
  // What is not listed here gives no hint.
  const std::map<std::string, std::string> reasons{
      {"examples/host_all_to_all_v.py : received, not read",
       "blocks travel with all of their rows, the padding behind the count too"}};
  std::size_t runs = 0;
  for (const ExampleMode& one : all_modes()) {
    for (const int ranks : {2, 3, 5}) {
      tools::RunOptions options = measuring_run(one, ranks);
      options.engine = "untimed";
      options.hints = true;
      const tools::ExecutedRun run = tools::execute_run(options);
      if (!run.report.result.hints) continue;  // the mode has another number of ranks
      ++runs;
      const Hints& hints = *run.report.result.hints;
      EXPECT_TRUE(hints.complete);
      EXPECT_EQ(hints.wait_lines, hints.wait_lines_looked_at);
      for (const Hint& hint : hints.all) {
        const std::string name = one.file + " " + one.mode + ": " + hint.kind;
        EXPECT_TRUE(reasons.contains(name)) << name << " on " << ranks << "\n"
                                            << ir::format(hint.diagnostic);
      }
    }
  }
  EXPECT_GT(runs, 100U);
}

/// Of two barriers of which one is enough each is idle, as long as the other stays.
TEST(HintsOfWaits, EachLineIsLookedAtByItself) {
  const Body body = around({notify_next(), wait_before(1)});
  const auto [hints, run] = hints_of(body, 3, "untimed");
  std::size_t idle = 0;
  for (const json& hint : hints)
    idle += hint["kind"] == "wait orders nothing" ? 1 : 0;
  EXPECT_EQ(idle, 2U) << run.err;
  // Each names the other, and that one of them has to stay.
  const auto covers = [](const json& hint, const json& other) {
    return std::ranges::any_of(hint["notes"], [&](const json& note) {
      return contains(note["message"].get<std::string>(), "one of them must stay") &&
             note["location"]["line"] == other["location"]["line"];
    });
  };
  EXPECT_TRUE(covers(hints[0], hints[1])) << hints.dump(2);
  EXPECT_TRUE(covers(hints[1], hints[0])) << hints.dump(2);
  EXPECT_TRUE(contains(run.err, "one of them must stay"));
}

/// Of three waits for one credit any two may go.
TEST(HintsOfWaits, SaysWhenNotAllCanGoThoughAnyTwoCan) {
  const Body body = around({notify_next(), wait_before(1), notify_next(), wait_before(1)});
  for (const int ranks : {2, 3, 5}) {
    const auto [hints, run] = hints_of(body, ranks, "untimed");
    const std::string all = "of the waits that order nothing not all can be left out at once";
    const std::size_t first = run.err.find(all);
    EXPECT_NE(first, std::string::npos) << run.err;
    EXPECT_NE(run.err.find(all, run.err.find(all, first + 1) + 1), std::string::npos) << run.err;
    EXPECT_FALSE(contains(run.err, "one of them must stay")) << run.err;
  }
}

/// A wait behind the last read is idle whatever stays.
TEST(HintsOfWaits, NamesOnlyThoseThatCoverForEachOther) {
  const Body body =
      around({}, {kPut}, {notify_next(), wait_before(2), notify_next(), wait_before(3)});
  for (const std::string engine : {"timed", "untimed"}) {
    const auto [hints, run] = hints_of(body, 3, engine);
    ASSERT_EQ(hints.size(), 2U) << hints.dump(2);
    EXPECT_FALSE(contains(run.err, "must stay")) << run.err;
    EXPECT_FALSE(contains(run.err, "at once")) << run.err;
  }
}

/// A flag that the sender puts up itself and the receiver takes down: without the +1 it ends below
/// 0, and the wait for exactly 0 never does.
TEST(HintsOfSignals, WhatANegativeAddTakesOutOrKeepsAWaitShutIsNeeded) {
  const std::string kPutFirst =
      "pld.tensor.put(win, 1, x, dst_offsets=[0, 0], src_offsets=[0, 0], shape=[1, 64])";
  const auto flagged = [&](const std::string& up) {
    Body text{"for g in pl.range(3):", "    if me == 0:", "        " + wait("1", 0, "Eq")};
    if (!up.empty()) text.push_back("        " + up);
    const Body rest{"        " + kPutFirst,
                    "        " + notify("1", "0", 1, "AtomicAdd"),
                    "    if me == 1:",
                    "        " + replaced(wait("0", 7, "Ge"), "=7", "=g + 1"),
                    "        y = pl.store(pl.load(win, [0, 0], [1, 64]), [0, 0], y)",
                    "        " + notify("0", "1", up.find("Set") == std::string::npos ? -1 : 0,
                                        up.find("Set") == std::string::npos ? "AtomicAdd" : "Set")};
    text.insert(text.end(), rest.begin(), rest.end());
    return text;
  };
  EXPECT_EQ(run_edge(edge_kernel(flagged("")), 2).status, 3);
  for (const std::string op : {"AtomicAdd", "Set"}) {
    const Finished run =
        run_edge(edge_kernel(flagged(notify("me", "1", 1, op))), 2, {"--hints"}, "y: x");
    EXPECT_FALSE(contains(run.err, "notify not needed")) << run.err;
    EXPECT_TRUE(contains(run.err, "no hints; ")) << run.err;
  }
}

/// A wait for the wrong signal may be the one that the race needs.
TEST(HintsOfWaits, AreNotGivenOfARunWithRaces) {
  const Finished run = run_edge(
      edge_kernel({kLoad, kPut, notify("me", "0", 1, "AtomicAdd"), wait("0", 1, "Ge"),
                   "y = pl.store(pl.load(win, [(me + n - 1) % n, 0], [1, 64]), [0, 0], y)"}),
      2, {"--hints"});
  EXPECT_EQ(run.status, 4) << run.err;
  EXPECT_FALSE(contains(run.err, "wait orders nothing")) << run.err;
  EXPECT_TRUE(contains(run.err, "1 of them are not decided"));
}

/// Some of a line's notifies are needed: the line has to stay.
TEST(HintsOfSignals, SaysHowManyOfALineAreNotNeeded) {
  const Body body = around({}, {kPut},
                           {"for p in pl.range(n):", "    " + notify("p", "me", 1, "AtomicAdd"),
                            wait("(me + 1) % n", 1, "Ge")});
  for (const int ranks : {3, 5, 7}) {
    const auto [hints, run] = hints_of(body, ranks, "untimed");
    const auto idle =
        std::ranges::find(hints, "notify not needed", [](const json& one) { return one["kind"]; });
    ASSERT_NE(idle, hints.end()) << hints.dump(2);
    const std::uint64_t all = static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(ranks);
    const std::uint64_t count = (*idle)["times_count"];
    EXPECT_EQ((*idle)["of_count"], all);
    EXPECT_LT(count, all);
    EXPECT_TRUE(contains(
        run.err, std::to_string(count) + " of " + std::to_string(all) + " notifies of this line, "))
        << run.err;
    EXPECT_TRUE(contains(run.err, "keep the line: its other " + std::to_string(all - count) +
                                      " notifies are needed"))
        << run.err;
    EXPECT_FALSE(contains(run.err, "or do not send it"));
  }
}

/// --signals and --hints of one run follow the signals together.
TEST(HintsOfSignals, AreTheSameBesideTheTableOfSignals) {
  const ScratchDir scratch;
  const std::string file =
      scratch.write("kernel.py", edge_kernel(around({}, {kPut}, {notify_next()})));
  const auto run = [&](const std::vector<std::string>& reports) {
    std::vector<std::string> arguments{"run", file, "-d", "0-2", "--golden", "y: x"};
    arguments.insert(arguments.end(), reports.begin(), reports.end());
    return a2a3sim(arguments);
  };
  const Finished both = run({"--hints", "--signals"});
  EXPECT_EQ(both.err, run({"--hints"}).err);
  EXPECT_EQ(both.out, run({"--signals"}).out);
  EXPECT_TRUE(contains(both.err, "hint: notify not needed: "));
}

TEST(HintsOfARun, ThatDoesNotFinishOrIsNotCheckedAreNone) {
  const Finished stuck = run_edge(edge_kernel({wait("0", 1, "Ge")}), 2, {"--hints"});
  EXPECT_EQ(stuck.status, 3);
  EXPECT_TRUE(contains(stuck.err, "no hints: the run did not come to its end"));
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--no-race-check"}, {"--data", "none"}}) {
    std::vector<std::string> arguments{"run", "examples/13_allgather.py", "--hints"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Finished run = a2a3sim(arguments);
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(contains(run.err, "does not go with --hints"));
  }
}

TEST(HintsOfARun, SaySoWhenTheLimitIsReached) {
  const Finished run =
      run_edge(edge_kernel(around({})), 3, {"--hints", "--max-race-records", "200"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(contains(run.err,
                       "no hints; 1 of 1 lines with waits were looked at, 1 of them are "
                       "not decided"));
}

/// What a wait on a cell of several senders needs depends on the whole run.
TEST(HintsOfARun, SaySoWhenSeveralRanksSignalOneCell) {
  const Body counter{"for p in pl.range(n):", "    " + notify("p", "0", 1, "AtomicAdd"),
                     wait("0", 3, "Ge")};
  const Finished run = run_edge(edge_kernel(counter), 3, {"--hints"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(contains(run.err,
                       "no hints; 1 of 1 lines with waits were looked at, 1 of them are "
                       "not decided"))
      << run.err;
}

/// The credits of the first launch are left in the windows, so that the waits of the second one
/// order nothing, and its reads race.
TEST(HintsOfARun, DoNotCallAWaitIdleWhereThereAreRaces) {
  const Finished run = a2a3sim({"run", "examples/13_allgather.py", "-d", "0-2", "--launches", "2",
                                "--persistent", "--hints"});
  EXPECT_EQ(run.status, 4) << run.err;
  EXPECT_TRUE(contains(run.err, "error: race: "));
  EXPECT_FALSE(contains(run.err, "wait orders nothing"));
  EXPECT_TRUE(
      contains(run.err, "1 of 1 lines with waits were looked at, 1 of them are not decided"));
}

/// What a later launch reads, or a file, is of use.
TEST(HintsOfARun, WindowsThatAreKeptAreRead) {
  const ScratchDir scratch;
  const std::string text = edge_kernel({kLoad, kPut});
  const Finished kept = run_edge(text, 3, {"--hints", "--dump", "win=" + scratch.file("win.npy")});
  EXPECT_TRUE(contains(kept.err, "no hints"));
  EXPECT_TRUE(contains(run_edge(text, 3, {"--hints"}).err, "received, not read"));
  // Another one: what comes into this window is read by nobody.
  for (const std::vector<std::string>& launches :
       {std::vector<std::string>{}, {"--launches", "2", "--persistent"}}) {
    std::vector<std::string> options{"--hints", "--dump", "cells=" + scratch.file("cells.npy")};
    options.insert(options.end(), launches.begin(), launches.end());
    const Finished other = run_edge(text, 3, options);
    EXPECT_TRUE(contains(other.err, "received, not read")) << other.err;
  }
}

/// A write over what an atomic add brought, too.
TEST(HintsOfDeliveries, BytesAddedAndOverwrittenAreNotRead) {
  const std::string put =
      "pld.tensor.put(win, (me + 1) % n, x, dst_offsets=[me, 0], src_offsets=[0, 0], "
      "shape=[1, 64]";
  const std::string added = put + ", atomic=pld.AtomicType.Add)";
  const std::string text = edge_kernel({put + ")", added, put + ")"});
  const ScratchDir scratch;
  const Finished run = run_edge(text, 3, {"--hints", "--dump", "win=" + scratch.file("win.npy")});
  EXPECT_TRUE(contains(run.err, "2 hints")) << run.err;
  EXPECT_TRUE(contains(run.err, place(text, added) + "hint: received, not read: ranks 0-2 receive "
                                                     "bytes that are overwritten"));
}

}  // namespace
}  // namespace a2a3::test::hints_test
