// SPDX-License-Identifier: Apache-2.0
// Mistakes of edge_cases.md with signals: the rows of part 1 that are marked C or D, and scenarios
// of part 2, by their numbers; each with its verdict, both lines and the cell, on both engines.
#include <algorithm>

#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::edge_signal_test {
namespace {

void add_if(Body& body, const std::string& condition, const Body& lines) {
  body.push_back("if " + condition + ":");
  for (const std::string& line : lines)
    body.push_back("    " + line);
}

const std::vector<Body> kEngines{
    {}, {"--engine", "untimed"}, {"--engine", "untimed", "--seed", "3"}};

/// The body gives this status and says all of it, on every engine.
void expect_run(const std::string& text, int ranks, int status, const Body& said,
                const Body& more = {}) {
  for (const Body& engine : kEngines) {
    SCOPED_TRACE(text);
    Body arguments = engine;
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished run = run_edge(text, ranks, arguments);
    EXPECT_EQ(run.status, status) << run.err;
    EXPECT_EQ(run.last_line() == "OK", status == 0);
    for (const std::string& part : said)
      EXPECT_TRUE(contains(run.err, part)) << part << "\n" << run.err;
  }
}

/// The body is right, and there is nothing to say.
void expect_clean(const Body& body, int ranks) {
  for (const Body& engine : kEngines) {
    const Finished run = run_edge(edge_kernel(body), ranks, engine);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
  }
}

/// Rank 1 credits rank 0 for two rounds; rank 0 undoes the first credit between its waits.
Body two_rounds(const std::string& undo, int second) {
  Body body;
  add_if(body, "me == 1", {notify("0", "0", 1, "AtomicAdd"), notify("0", "0", 1, "AtomicAdd")});
  add_if(body, "me == 0", {wait("0", 1, "Ge"), undo, wait("0", second, "Ge")});
  return body;
}

TEST(EdgeCase02, ResetBySetLosesTheNextRoundsCredit) {
  const std::string reset = notify("0", "0", 0, "Set");
  const std::string text = edge_kernel(two_rounds(reset, 1));
  for (const Body& engine : kEngines) {
    const Finished run = run_edge(text, 2, engine);
    EXPECT_TRUE(run.status == 3 || run.status == 4) << "some orders get stuck";
    EXPECT_TRUE(contains(run.err, place(text, reset) +
                                      "error: lost credit: rank 0 sets cells[0, 0] of rank 0 to 0, "
                                      "and nothing orders that with the +1 of rank 1"))
        << run.err;
    EXPECT_TRUE(contains(run.err, nth_place(text, notify("0", "0", 1, "AtomicAdd"), 0) + "note:") ||
                contains(run.err, nth_place(text, notify("0", "0", 1, "AtomicAdd"), 1) + "note:"));
    EXPECT_TRUE(contains(run.err, "NotifyOp.AtomicAdd of a negative value"));
  }
  expect_clean(two_rounds(notify("0", "0", -1, "AtomicAdd"), 1), 2);
}

TEST(EdgeCase03, EqMayMissItsValue) {
  const auto kernel = [](const std::string& cmp) {
    Body body;
    add_if(body, "me == 1", {notify("0", "0", 1, "AtomicAdd"), notify("0", "0", 1, "AtomicAdd")});
    add_if(body, "me == 0", {wait("0", 1, cmp)});
    return edge_kernel(body);
  };
  const std::string exactly = kernel("Eq");
  for (const Body& engine : kEngines) {
    const Finished run = run_edge(exactly, 2, engine);
    EXPECT_NE(run.status, 0);
    EXPECT_TRUE(run.status == 4
                    ? contains(run.err, place(exactly, wait("0", 1, "Eq")) +
                                            "error: missed value: rank 0 waits for cells[0, 0] of "
                                            "rank 0 to be exactly 1, and a notify of rank 1, which "
                                            "nothing orders behind the wait, makes it 2")
                    : contains(run.err, "to be exactly 1; it is 2"))
        << run.err;
    EXPECT_TRUE(contains(run.err, "wait with WaitCmp.Ge"));
  }
  const std::string at_least = kernel("Ge");
  expect_run(at_least, 2, 0,
             {nth_place(at_least, notify("0", "0", 1, "AtomicAdd"), 1) +
              "warning: excess credit: cells[0, 0] of rank 0 ends at 2, and no wait"});
}

TEST(EdgeCase07, WaitBeforeNotifyIsOneCycleWithItsLineOnce) {
  Body body = barrier_by_hand(1);
  std::rotate(body.begin(), body.begin() + 3, body.end());
  for (const int ranks : {2, 3, 5, 8}) {
    const std::string text = edge_kernel(body);
    const std::string n = std::to_string(ranks);
    expect_run(text, ranks, 3,
               {"deadlock: " + n + " of " + n + " ranks wait",
                place(text, wait("q", 1, "Ge")) + "error: deadlock: ranks 0"});
    const Finished run = run_edge(text, ranks);
    EXPECT_EQ(run.err.find("error:"), run.err.rfind("error:"));
  }
}

TEST(EdgeCase08, ARankBranchesPastTheBarrier) {
  Body body;
  add_if(body, "me != 0", barrier_by_hand(1));
  const std::string text = edge_kernel(body);
  expect_run(text, 4, 3,
             {"deadlock: 3 of 4 ranks wait",
              place(text, wait("q", 1, "Ge")) + "error: deadlock: ranks 1-3 wait here",
              "ranks 1-3 wait for cells[0, 0] of window buffer cells_buf to be at least 1; it is 0",
              "rank 0 finished without a notify to cells[0, 0] of rank 1"});
}

TEST(EdgeRow01, AWaitInFrontOfTheNotifyThatItDependsOn) {
  const Body ring{wait("0", 1, "Ge"), notify("(me + 1) % n", "0", 1, "AtomicAdd")};
  const std::string text = edge_kernel(ring);
  expect_run(
      text, 3, 3,
      {"deadlock: 3 of 3 ranks wait", place(text, ring[0]) + "error: deadlock: ranks 0-2",
       place(text, ring[1]) + "note: ranks 0-2 would signal it",
       "ranks 0-2 wait for cells[0, 0] of window buffer cells_buf to be at least 1; it is 0"});
  expect_clean({ring[1], ring[0]}, 3);
}

// The race with Sets of one value: edge_race_test.cpp.
TEST(EdgeRow21, SeveralRanksSetACellThatABarrierShares) {
  const std::string set =
      "pld.system.notify(cells, peer=0, offsets=[0, 0], value=me, "
      "op=pld.NotifyOp.Set)";
  const std::string pull = "pld.tile.remote_load(win, peer=s, offsets=[s, 0], shape=[1, 64])";
  const std::string stage = "pl.store(pl.load(x, [0, 0], [1, 64]), [me, 0], win)";
  const std::string text = edge_kernel(
      joined({{"win = " + stage},
              inside("if me != 0:", {set}),
              inside("if me == 0:", joined({{wait("0", 1, "Ge")},
                                            inside("for s in pl.range(n):",
                                                   {"y = pl.store(" + pull + ", [0, 0], y)"})}))}));
  expect_run(text, 3, 4,
             {place(text, set) +
                  "warning: competing Sets: cells[0, 0] of rank 0 is set to 1 by rank 1 and to 2 "
                  "by rank 2",
              place(text, set) + "note: the other Set", "use NotifyOp.AtomicAdd, or a cell for",
              place(text, pull) + "error: race: rank 0 ",
              place(text, stage) + "note: ", "win[1, 0:64] of rank 1"});
}

TEST(EdgeRow22, TheSecondBarrierAsksForTheFirstCreditAgain) {
  const std::string text = edge_kernel(joined({barrier_by_hand(1), barrier_by_hand(1)}));
  const std::string stale =
      nth_place(text, wait("q", 1, "Ge"), 1) +
      "warning: stale credit: ranks 0-2 cannot block here: what it takes for ";
  expect_run(text, 3, 0,
             {stale, " to be at least 1", nth_place(text, wait("q", 1, "Ge"), 0) + "note: ",
              "note: 6 times", "expect one more each time"});
  // Which of the waits is told of depends on the order.
  EXPECT_TRUE(contains(run_edge(text, 3).err, stale + "cells[1, 0] to be at least 1"));
  Body right = barrier_by_hand(1);
  for (const std::string& line : barrier_by_hand(2))
    right.push_back(line);
  expect_clean(right, 3);
}

TEST(EdgeRow26, TheRowOfTheNotifyIsNotThatOfTheWait) {
  Body body{
      "for p in pl.range(n):", "    if p != me:", "        " + notify("p", "me", 1, "AtomicAdd")};
  add_if(body, "me == 0", {wait("0", 1, "Ge")});
  const std::string text = edge_kernel(body);
  expect_run(text, 3, 3,
             {place(text, wait("0", 1, "Ge")) + "error: deadlock: rank 0",
              "rank 0 waits for cells[0, 0] of window buffer cells_buf to be at least 1; it is 0",
              place(text, notify("p", "me", 1, "AtomicAdd")) +
                  "note: on rank 0, cells[1, 0] got +1 from rank 1, cells[2, 0] got +1 from rank 2",
              "make the offsets of the notify and of the wait name the same cell"});
}

TEST(EdgeRow38, CreditsThatNoWaitAsksFor) {
  const std::string send = notify("(me + 1) % n", "0", 1, "AtomicAdd");
  const std::string text =
      edge_kernel({"for k in pl.range(2):", "    " + send, wait("0", 1, "Ge")});
  expect_run(text, 3, 0,
             {place(text, send) + "warning: excess credit: cells[0, 0] of rank 0 ends at 2, and no "
                                  "wait asks for more than 1",
              "3 times"});
  expect_clean({send, wait("0", 1, "Ge")}, 3);
}

// Credit of flow control: the reader tells the writer that a place is free, also for the last ones.
TEST(EdgeRow38, CreditThatNobodyWaitsForAnyMoreIsRight) {
  constexpr int kTiles = 4;
  const std::string stage =
      "pld.tile.remote_store(pl.load(x, [0, 0], [1, 64]), win, peer=1, "
      "offsets=[k % 2, 0])";
  const std::string tiles = "for k in pl.range(" + std::to_string(kTiles) + "):";
  const auto wait_for = [](const std::string& row, const std::string& expected) {
    return "pld.system.wait(cells, offsets=[" + row + ", 0], expected=" + expected +
           ", cmp=pld.WaitCmp.Ge)";
  };
  const Body body{"if me == 0:",
                  "    " + tiles,
                  "        if k >= 2:",
                  "            " + wait_for("1", "k - 1"),
                  "        " + stage,
                  "        " + notify("1", "0", 1, "AtomicAdd"),
                  "if me == 1:",
                  "    " + tiles,
                  "        " + wait_for("0", "k + 1"),
                  "        y = pl.store(pl.load(win, [k % 2, 0], [1, 64]), [0, 0], y)",
                  "        " + notify("0", "1", 1, "AtomicAdd")};
  for (const int ranks : {2, 3, 5})
    expect_clean(body, ranks);
}

TEST(EdgeRow38, BlocksThatAllSendTheNotifyOfOne) {
  std::string text = edge_kernel();
  text = replaced(text, "@pl.jit\n",
                  "@pl.jit.incore\n"
                  "def tell(cells: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],\n"
                  "         y: pl.InOut[pl.Tensor[[1, 64], pl.FP32]]):\n"
                  "    ctx = pld.get_comm_ctx(cells)\n"
                  "    me = pld.rank(ctx)\n"
                  "    n = pld.nranks(ctx)\n"
                  "    " +
                      notify("(me + 1) % n", "0", 1, "AtomicAdd") + "\n    " + wait("0", 1, "Ge") +
                      "\n\n\n@pl.jit\n");
  text = replaced(text, "    kernel(x, y, win, cells, r)\n",
                  "    for i in pl.spmd(2):\n        tell(cells, y)\n"
                  "    kernel(x, y, win, cells, r)\n");
  expect_run(text, 3, 0,
             {place(text, notify("(me + 1) % n", "0", 1, "AtomicAdd")) +
                  "warning: excess credit: cells[0, 0] of rank 0 ends at 2, and no wait asks for "
                  "more than 1",
              "note: 3 times"});
}

TEST(EdgeRow40, ACreditThatTheLaunchBeforeLeft) {
  const std::string text =
      edge_kernel({notify("(me + 1) % n", "0", 1, "AtomicAdd"), wait("0", 1, "Ge")});
  const Finished run = run_edge(text, 3, {"--launches", "2", "--persistent"});
  EXPECT_TRUE(contains(run.err, place(text, wait("0", 1, "Ge")) +
                                    "warning: stale credit: ranks 0-2 cannot block here: cells[0, "
                                    "0] was at least 1 before this launch began"));
  EXPECT_EQ(run_edge(text, 3, {"--launches", "2"}).err, "");
}

TEST(EdgeRow51, ACreditThatABuiltinDoesNotTakeOutAgain) {
  const std::string extra = notify("(me + 1) % n", "me", 1, "AtomicAdd");
  const std::string text = edge_kernel({extra, "pld.tensor.barrier(cells)"});
  expect_run(text, 3, 4,
             {place(text, "pld.tensor.barrier(cells)") +
                  "error: leftover credit: cells[2, 0] of rank 0 ends at 1; barrier takes all of "
                  "its credits out again",
              place(text, extra) + "note: rank 2 signals the cell too"});
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8})
    expect_clean({"pld.tensor.barrier(cells)", "pld.tensor.barrier(cells)"}, ranks);
}

// The credit that is there already lets the allreduce go on early: what it reads and writes races.
TEST(EdgeRow51, ABuiltinThatPassesEarlyRaces) {
  const std::string extra = notify("(me + 1) % n", "me", 1, "AtomicAdd");
  const std::string call = "pld.tensor.allreduce(win, cells)";
  const Body stage =
      inside("for k in pl.range(n):", {"win = pl.store(pl.load(x, [0, 0], [1, 64]), [k, 0], win)"});
  const std::string text = edge_kernel(joined({stage, {extra, call}}));
  for (const Body& engine : kEngines) {
    const ScratchDir scratch;
    const std::string json = scratch.file("run.json");
    const Finished run = run_edge(text, 3, joined({engine, {"--json", json}}));
    EXPECT_EQ(run.status, 4);
    EXPECT_TRUE(contains(run.err, place(text, call) + "error: race: ranks 0-2 "));
    EXPECT_TRUE(contains(run.err, place(text, call) + "note: the read"));
    EXPECT_TRUE(contains(
        run.err, place(text, call) + "error: leftover credit: cells[2, 0] of rank 0 ends at 1"));
    EXPECT_TRUE(contains(run.err, place(text, extra) + "note: "));
    const nlohmann::json races = read_json(json)["race_check"]["races"];
    ASSERT_EQ(races.size(), 1U) << races.dump(2);
    EXPECT_EQ(races[0]["kind"], "write-after-read");
    EXPECT_EQ(races[0]["range"], "win[0:3, 0:64]");
    EXPECT_EQ(races[0]["races_count"], 3);
  }
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8})
    expect_clean(joined({stage, {call}}), ranks);
}

// The cell that another core waits on is lowered before that core may have seen it.
TEST(EdgeSignal, ACreditTakenOutBeforeTheOtherRankHasSeenIt) {
  Body body;
  add_if(body, "me == 1", {notify("0", "0", 1, "AtomicAdd"), notify("0", "0", -1, "AtomicAdd")});
  add_if(body, "me == 0", {wait("0", 1, "Ge")});
  const std::string text = edge_kernel(body);
  for (const Body& engine : kEngines) {
    const Finished run = run_edge(text, 2, engine);
    EXPECT_TRUE(run.status == 3 || run.status == 4) << run.err;
    EXPECT_EQ(run.status == 4, contains(run.err, "missed value: rank 0 waits for cells[0, 0]"));
  }
}

/// A plain store of another cell leaves orders untried, and changes nothing of what is known.
TEST(EdgeRow21, CompetingSetsAreToldBesideAPlainWriteOfAnotherCell) {
  const std::string first = notify("2", "0", 1, "Set");
  const std::string second = notify("2", "0", 2, "Set");
  const Body sets = joined({inside("if me == 0:", {first}), inside("if me == 1:", {second}),
                            inside("if me == 2:", {wait("0", 1, "Ge")})});
  const Body store =
      inside("if me == 3:", {notify("3", "1", 1, "AtomicAdd"), "pl.write(cells, [1, 0], 0)",
                             notify("3", "1", 1, "AtomicAdd")});
  for (const bool stores : {false, true}) {
    const std::string text = edge_kernel(joined({sets, stores ? store : Body{}}));
    const Finished run = run_edge(text, 4);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(contains(run.err, place(text, first) + "warning: competing Sets: cells[0, 0]"))
        << run.err;
    EXPECT_FALSE(contains(run.err, "not decided"));
  }
}

}  // namespace
}  // namespace a2a3::test::edge_signal_test
