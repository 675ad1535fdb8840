// SPDX-License-Identifier: Apache-2.0
// What the report of a deadlock says: the cycle and its tail, who could still signal, who finished
// without it, and where the credit went instead; on both engines and in the JSON.
#include <algorithm>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "edge_kernel.hpp"

namespace a2a3::test::deadlock_test {
namespace {

const std::vector<Body> kEngines{
    {}, {"--engine", "untimed"}, {"--engine", "untimed", "--seed", "3"}};

/// Runs the body on every engine: a deadlock, of which all this is said and nothing of that.
nlohmann::json expect_deadlock(const std::string& text, int ranks, const Body& said,
                               const Body& unsaid = {}) {
  const ScratchDir scratch;
  const std::string json = scratch.file("card.json");
  for (Body engine : kEngines) {
    engine.insert(engine.end(), {"--json", json});
    const Finished run = run_edge(text, ranks, engine);
    EXPECT_EQ(run.status, 3) << run.err;
    EXPECT_NE(run.last_line(), "OK");
    for (const std::string& part : said)
      EXPECT_TRUE(contains(run.err, part)) << part << "\n" << run.err;
    for (const std::string& part : unsaid)
      EXPECT_FALSE(contains(run.err, part)) << part << "\n" << run.err;
  }
  return read_json(json);
}

const std::string kSignalNext = notify("(me + 1) % n", "0", 1, "AtomicAdd");

/// Processor time of the programs that were started here so far.
double children_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

/// Every rank got a credit of every other one. Describing each of them by looking at the credits of
/// all cost 18 s.
TEST(Deadlock, OfManyRanksWithManyCreditsIsDescribedInNoTime) {
  const double before = children_seconds();
  const Finished run =
      run_edge(edge_kernel({"for p in pl.range(n):", "    " + notify("p", "0", 1, "AtomicAdd"),
                            wait("0", 513, "Ge")}),
               512, {"--engine", "untimed", "--no-goldens"});
  EXPECT_EQ(run.status, 3);
  EXPECT_TRUE(contains(run.err, "deadlock: 512 of 512 ranks wait and nothing can run any more"));
  EXPECT_LT(children_seconds() - before, 10);
}

TEST(Deadlock, ARingOfWaitsIsOneCycle) {
  const std::string text = edge_kernel({wait("0", 1, "Ge"), kSignalNext});
  for (const int ranks : {2, 3, 4, 5, 8}) {
    const std::string all = std::to_string(ranks);
    const auto json = expect_deadlock(
        text, ranks,
        {"deadlock: " + all + " of " + all + " ranks wait and nothing can run any more",
         " wait for each other, each for the next one: 0 -> " + std::to_string(ranks - 1),
         place(text, kSignalNext) + "note: ranks 0", "would signal it, but behind their own wait"},
        {"only wait for ranks that wait", "no rank is about to send"});
    EXPECT_EQ(json["race_check"]["state"], "cut off");
    ASSERT_EQ(json["wait_cycles"].size(), 1);
    EXPECT_EQ(json["wait_cycles"][0]["ranks"].size(), ranks);
    EXPECT_TRUE(json["wait_cycles"][0]["ring"]);
    for (const auto& one : json["blocked"]) {
      const int rank = one["rank"];
      EXPECT_EQ(one["role"], "cycle");
      ASSERT_EQ(one["could_signal"].size(), 1);
      EXPECT_EQ(one["could_signal"][0]["ranks"], nlohmann::json({(rank + ranks - 1) % ranks}));
      EXPECT_EQ(one["could_signal"][0]["certain"], true);
      EXPECT_EQ(one["could_signal"][0]["stopped_at"], one["location"]);
    }
  }
}

TEST(Deadlock, AllWaitForAllBeforeTheySignal) {
  const std::string send = notify("p", "me", 1, "AtomicAdd");
  const std::string text = edge_kernel(
      joined({inside("for q in pl.range(n):", inside("if q != me:", {wait("q", 1, "Ge")})),
              inside("for p in pl.range(n):", inside("if p != me:", {send}))}));
  for (const int ranks : {2, 3, 4, 5, 8}) {
    const auto json = expect_deadlock(text, ranks, {" wait for each other", place(text, send)});
    ASSERT_EQ(json["wait_cycles"].size(), 1);
    EXPECT_EQ(json["wait_cycles"][0]["ranks"].size(), ranks);
  }
}

TEST(Deadlock, TheTailIsToldFromTheCycle) {
  // 0 and 1 wait for each other, 2 for 1, each further one for the rank before it.
  Body body{wait("0", 1, "Ge")};
  body = joined({body, inside("if me < 2:", {notify("1 - me", "0", 1, "AtomicAdd")})});
  body =
      joined({body, inside("if me > 0 and me < n - 1:", {notify("me + 1", "0", 1, "AtomicAdd")})});
  const std::string text = edge_kernel(body);
  for (const int ranks : {3, 4, 5, 8}) {
    const auto json = expect_deadlock(
        text, ranks,
        {"ranks 0,1 wait for each other, each for the next one: 0 -> 1 -> 0",
         ranks == 3 ? "rank 2 only waits for ranks that wait" : "only wait for ranks that wait",
         place(text, notify("1 - me", "0", 1, "AtomicAdd")) + "note: ranks 0,1 would signal it"});
    for (const auto& one : json["blocked"])
      EXPECT_EQ(one["role"], one["rank"] < 2 ? "cycle" : "behind");
    EXPECT_EQ(json["blocked"][2]["could_signal"][0]["ranks"], nlohmann::json({1}));
  }
}

TEST(Deadlock, ARankThatBranchedPastTheBarrierHasFinishedWithoutItsNotify) {
  const Body barrier = joined(
      {inside("for p in pl.range(n):", inside("if p != me:", {notify("p", "me", 1, "AtomicAdd")})),
       inside("for q in pl.range(n):", inside("if q != me:", {wait("q", 1, "Ge")}))});
  const std::string text = edge_kernel(inside("if me != 0:", barrier));
  for (const int ranks : {2, 3, 4, 5, 8}) {
    const auto json =
        expect_deadlock(text, ranks,
                        {"for a notify that no rank is about to send",
                         "note: rank 0 finished without a notify to cells[0, 0] of rank 1"},
                        {"went to other cells", "got +1"});
    for (const auto& one : json["blocked"]) {
      EXPECT_EQ(one["finished_ranks_without_notify"], nlohmann::json({0}));
      EXPECT_EQ(one["role"], "no_sender");
      EXPECT_TRUE(one["elsewhere"].empty());
    }
  }
}

TEST(Deadlock, TooFewCreditsAreCounted) {
  const std::string text =
      edge_kernel(joined({inside("if me == 0:", {wait("0", 9, "Ge")}),
                          inside("else:", {notify("0", "0", 1, "AtomicAdd")})}));
  expect_deadlock(text, 3,
                  {"cells[0, 0] got +1 from rank 1, cells[0, 0] got +1 from rank 2",
                   "too few credits arrived, and no notify to this cell is left"},
                  {"finished without"});
}

TEST(Deadlock, CreditOfTheWrongRowRankOrWindow) {
  const auto kernel = [](const std::string& send) {
    return edge_kernel(
        joined({inside("if me == 0:", {wait("0", 1, "Ge")}), inside("if me == 1:", {send})}));
  };
  const auto row =
      expect_deadlock(kernel(notify("0", "2", 1, "AtomicAdd")), 3,
                      {"note: on rank 0, cells[2, 0] got +1 from rank 1",
                       "make the offsets of the notify and of the wait name the same"});
  EXPECT_EQ(row["blocked"][0]["elsewhere"][0]["cell"], "cells[2, 0]");
  const auto rank = expect_deadlock(
      kernel(notify("2", "0", 1, "AtomicAdd")), 3,
      {"note: on rank 2, cells[0, 0] got +1 from rank 1, and nothing waits for it there",
       "the credit went to other ranks: is the peer of the notify the rank that waits?"});
  EXPECT_EQ(rank["blocked"][0]["elsewhere"][0]["on_rank"], 2);

  std::string two =
      replaced(kernel(notify("0", "0", 1, "AtomicAdd")), "notify(cells,", "notify(flags,");
  two = replaced(two, "r: pl.Scalar[pl.INT32]):",
                 "flags: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], "
                 "r: pl.Scalar[pl.INT32]):");
  two = replaced(two, "def chip(x, y, win, cells, r)", "def chip(x, y, win, cells, flags, r)");
  two = replaced(two, "    kernel(x, y, win, cells, r)", "    kernel(x, y, win, cells, flags, r)");
  two = replaced(two, "    for r in pl.range(pld",
                 "    flags_buf = pld.alloc_window_buffer([NR, 1], dtype=pl.INT32)\n"
                 "    for r in pl.range(pld");
  two = replaced(two, "        chip(x[r], y[r], win, cells, r,",
                 "        flags = pld.window(flags_buf, [NR, 1], dtype=pl.INT32)\n"
                 "        chip(x[r], y[r], win, cells, flags, r,");
  expect_deadlock(two, 3,
                  {"flags[0, 0] got +1 from rank 1",
                   "the credit went to window buffer flags_buf: make the notify and the wait name "
                   "the same window"});
}

/// Every rank takes itself for its next one: the cells are right, the ranks are not.
TEST(Deadlock, OfAWrongPeerEachCreditIsToldOnce) {
  const std::string send = notify("(me + n) % n", "me", 1, "AtomicAdd");
  const std::string text = edge_kernel({send, wait("(me + n - 1) % n", 1, "Ge")});
  expect_deadlock(text, 2, {"is the peer of the notify the rank that waits?"},
                  {"make the offsets of the notify"});
  const Finished run = run_edge(text, 2);
  EXPECT_EQ(run.err.find("cells[1, 0] got +1"), run.err.rfind("cells[1, 0] got +1")) << run.err;
}

TEST(Deadlock, AWriteThatIsNoNotifyWipesCreditOut) {
  const std::string text = edge_kernel(joined(
      {inside("if me == 0:", {notify("1", "0", 1, "AtomicAdd"), notify("1", "1", 1, "AtomicAdd")}),
       inside("else:", {wait("1", 1, "Ge"), "pl.write(cells, [0, 0], 0)", wait("0", 1, "Ge")})}));
  expect_deadlock(text, 2,
                  {"note: the notifies brought cells[0, 0] of rank 1 to 1, and a write that is no "
                   "notify, as pl.write, put it to 0: it wiped the credit out",
                   "clear a cell before anybody can signal it"},
                  {"too few credits"});
}

/// Each rank is signalled by the one before it alone: the others are not missing.
TEST(Deadlock, RanksThatSignalNobodyElseEitherAreNotNamed) {
  const std::string text = edge_kernel(
      joined({{kSignalNext, wait("0", 1, "Ge")}, inside("if me == 0:", {wait("0", 2, "Ge")})}));
  expect_deadlock(text, 4, {"too few credits arrived"}, {"finished without a notify"});
}

TEST(Deadlock, TheOverwritingLineAndTheOverwrittenNotify) {
  const std::string reset = notify("0", "0", 0, "Set");
  const std::string first = notify("0", "0", 1, "AtomicAdd");
  const std::string second = notify("0", "0", 2, "AtomicAdd");
  // Rank 0 is told in another cell when both credits are there: lost on every timing.
  const std::string text =
      edge_kernel(joined({inside("if me == 1:", {first, second, notify("0", "1", 1, "AtomicAdd")}),
                          inside("if me == 0:", {wait("0", 1, "Ge"), wait("1", 1, "Ge"), reset,
                                                 wait("0", 2, "Ge")})}));
  const auto json = expect_deadlock(
      text, 2,
      {place(text, reset) + "note: rank 0 set cells[0, 0] of rank 0 to 0 here",
       place(text, second) +
           "note: which wiped out the +2 of rank 1, for which no wait had asked yet"});
  EXPECT_EQ(json["blocked"][0]["wiped_out"]["added_by_rank"], 1);
  EXPECT_EQ(json["blocked"][0]["wiped_out"]["set_to"], 0);
}

TEST(Deadlock, AnExactValueThatWasPassed) {
  const std::string text = edge_kernel(joined(
      {inside("if me == 1:", {notify("0", "0", 1, "AtomicAdd"), notify("0", "0", 1, "AtomicAdd"),
                              notify("0", "1", 1, "AtomicAdd")}),
       inside("if me == 0:", {wait("1", 1, "Ge"), wait("0", 1, "Eq")})}));
  expect_deadlock(text, 2,
                  {"the cell is 2, waiting for Eq 1, no remaining writer lowers it; it was 1 "
                   "before, so that with another timing the wait passes: wait with WaitCmp.Ge"});
}

TEST(Deadlock, WhatARankReadsMayDecide) {
  const std::string send = notify("(me + 1) % n", "0", 1, "AtomicAdd");
  const std::string text = edge_kernel(
      joined({{wait("0", 1, "Ge"), "k = pl.read(cells, [1, 0])"}, inside("if k > 0:", {send})}));
  const auto json = expect_deadlock(
      text, 2,
      {place(text, send) +
       "note: ranks 0,1 could signal it behind their own wait here: what they read there decides"});
  EXPECT_EQ(json["blocked"][0]["could_signal"][0]["certain"], false);
}

TEST(Deadlock, ANotifyInAKernelThatHasNotBegun) {
  std::string text = edge_kernel(inside("if r < 2 * n:", {wait("0", 1, "Ge")}));
  // The second kernel on each device would signal, and waits for the first one.
  text = replaced(text, "@pl.jit\n",
                  "@pl.jit.incore\n"
                  "def late(y: pl.InOut[pl.Tensor[[1, 64], pl.FP32]],\n"
                  "         cells: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):\n"
                  "    ctx = pld.get_comm_ctx(cells)\n"
                  "    me = pld.rank(ctx)\n"
                  "    n = pld.nranks(ctx)\n"
                  "    " +
                      notify("(me + 1) % n", "0", 1, "AtomicAdd") +
                      "\n    y = pl.store(pl.load(y, [0, 0], [1, 64]), [0, 0], y)\n\n\n"
                      "@pl.jit\n");
  text = replaced(text, "    kernel(x, y, win, cells, r)\n",
                  "    kernel(x, y, win, cells, r)\n    late(y, cells)\n");
  const auto json = expect_deadlock(
      text, 3,
      {"ranks 0-2 wait for each other",
       "note: ranks 0-2 would signal it, in a kernel that has not begun (the call in line "});
  EXPECT_EQ(json["blocked"][0]["could_signal"][0]["begun"], false);
}

TEST(Deadlock, ADeviceWithoutAnyKernelIsNamed) {
  const Body barrier = joined(
      {inside("for p in pl.range(n):", inside("if p != me:", {notify("p", "me", 1, "AtomicAdd")})),
       inside("for q in pl.range(NR):", inside("if q != me:", {wait("q", 1, "Ge")}))});
  const std::string text =
      replaced(edge_kernel(barrier), "pl.range(pld.world_size())", "pl.range(3)");
  const auto json = expect_deadlock(
      text, 4,
      {"rank 3 got no kernel from the host function, and so no notify comes to cells[3, 0]"});
  EXPECT_EQ(json["blocked"][0]["undispatched_ranks"], nlohmann::json({3}));
}

TEST(Deadlock, AThousandRanksAreSummarised) {
  const std::string text = edge_kernel({wait("0", 1, "Ge"), kSignalNext});
  const Finished run = run_edge(text, 1024, {"--engine", "untimed"});
  EXPECT_EQ(run.status, 3);
  EXPECT_TRUE(contains(run.err, "deadlock: 1024 of 1024 ranks wait"));
  EXPECT_TRUE(contains(run.err, "0 -> 1023 -> 1022 -> ... -> 1 -> 0"));
  EXPECT_LT(run.err.size(), 2000U);
}

/// Ranks 0 and 1 take the credit that rank 2 gave the other one, and give it back behind a wait for
/// their own. Rank 1 comes late, so that rank 0 is through by then.
TEST(Deadlock, WaitsThatHangOnlyTogetherAreFoundInARunThatEnds) {
  const std::string take = notify("1 - me", "0", -1, "AtomicAdd");
  const std::string own = wait("0", 1, "Ge");
  for (const bool takes : {true, false}) {
    Body body =
        inside("if me == 2:", {notify("0", "0", 1, "AtomicAdd"), notify("1", "0", 1, "AtomicAdd")});
    body = joined({body, inside("if me == 1:",
                                inside("for k in pl.range(9):",
                                       {"y = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], y)"}))});
    body = joined({body, inside("if me < 2:", {takes ? take : own, takes ? own : take,
                                               notify("1 - me", "0", 1, "AtomicAdd")})});
    const std::string text = edge_kernel(body);
    const Finished run = run_edge(text, 3);
    EXPECT_EQ(run.status, takes ? 4 : 0) << run.err;
    if (!takes) {
      EXPECT_EQ(run.err, "");
      continue;
    }
    EXPECT_TRUE(contains(
        run.err, place(text, own) + "error: possible deadlock: on another timing rank 0 waits for "
                                    "cells[0, 0] of rank 0 to be at least 1, and it is 0 for good"))
        << run.err;
    EXPECT_TRUE(contains(
        run.err, "note: rank 1 waits for cells[0, 0] of rank 1 to be at least 1, and it is 0\n"))
        << run.err;
  }
}

}  // namespace
}  // namespace a2a3::test::deadlock_test
