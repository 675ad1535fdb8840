// SPDX-License-Identifier: Apache-2.0
// What a race says of the wait before its second access: which notify on which line satisfied it,
// why that leaves the two sides in no order, and what to change. What is told to do is done here,
// and the kernel is clean then.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::race_waits_test {
namespace {

const std::vector<Body> kOrders{{},
                                {"--engine", "untimed"},
                                {"--engine", "untimed", "--seed", "1"},
                                {"--engine", "untimed", "--seed", "2"}};

/// The parts and nothing of the others, on every order of the cores.
void expect_race(const std::string& text, int ranks, const Body& said, const Body& unsaid = {},
                 const Body& more = {}) {
  for (Body order : kOrders) {
    order.insert(order.end(), more.begin(), more.end());
    const Finished run = run_edge(text, ranks, order);
    EXPECT_EQ(run.status, 4) << run.err;
    for (const std::string& part : said)
      EXPECT_TRUE(contains(run.err, part)) << part << "\n" << run.err;
    for (const std::string& part : unsaid)
      EXPECT_FALSE(contains(run.err, part)) << part << "\n" << run.err;
  }
}

void expect_clean(const std::string& text, int ranks) {
  for (const Body& order : kOrders) {
    const Finished run = run_edge(text, ranks, order);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
  }
}

const std::string kStage = "win = pl.store(pl.load(x, [0, 0], [1, 64]), [me, 0], win)";

/// All others stage and send rank 0 `send`, which reads rank 1's row behind `waits`.
std::string gather(const std::string& send, const Body& waits) {
  return edge_kernel(
      joined({inside("if me != 0:", {kStage, send}),
              inside("else:", joined({waits,
                                      {"y = pl.store(pld.tile.remote_load(win, peer=1, offsets=[1, "
                                       "0], shape=[1, 64]), [0, 0], y)"}}))}));
}

TEST(RaceWaits, AnyAddToTheCellSatisfiesIt) {
  const std::string send = notify("0", "0", 1, "AtomicAdd");
  const std::string text = gather(send, {wait("0", 1, "Ge")});
  expect_race(text, 3,
              {place(text, wait("0", 1, "Ge")) +
                   "note: this wait of rank 0 on cells[0, 0] does not wait for the write: to be at "
                   "least 1, the notify of rank 2 is enough",
               place(text, send) + "note: the notify that satisfies it (rank 2)",
               "any one of ranks 1,2 satisfies this wait: expect 2 (one for each rank that "
               "signals), or give each rank a cell"},
              {"let the writer notify the reader"});
  expect_clean(gather(send, {wait("0", 2, "Ge")}), 3);
  expect_race(gather(send, {wait("0", 3, "Ge")}), 5,
              {"to be at least 3, the notifies of ranks 2-4 are enough",
               "some of ranks 1-4 satisfy this wait: expect 4 (one for each rank that signals), or "
               "give each rank a cell"});
  expect_clean(gather(send, {wait("0", 4, "Ge")}), 5);
}

// Rows 3 and 21 of edge_cases.md, with equal values: nothing is wrong with the Sets themselves.
TEST(RaceWaits, AnySetOfTheCellSatisfiesIt) {
  const std::string send = notify("0", "0", 1, "Set");
  const std::string text = gather(send, {wait("0", 1, "Ge")});
  expect_race(text, 3,
              {place(text, wait("0", 1, "Ge")) + "note: this wait of rank 0 on cells[0, 0]",
               "ranks 1,2 both Set this cell, and any one of them satisfies the wait: use "
               "NotifyOp.AtomicAdd and expect 2, or a cell for each rank"});
  expect_race(text, 5, {"ranks 1-4 all Set this cell", "use NotifyOp.AtomicAdd and expect 4"});
  expect_clean(gather(notify("0", "0", 1, "AtomicAdd"), {wait("0", 2, "Ge")}), 3);
  expect_clean(gather(notify("0", "me", 1, "Set"),
                      {"for q in pl.range(1, n):", "    " + wait("q", 1, "Ge")}),
               3);
}

/// Everybody pushes to the next rank; `sends` are behind the put when `is_behind`.
std::string push(const std::string& send, bool is_behind) {
  const std::string put =
      "pld.tensor.put(win, (me + 1) % n, x, dst_offsets=[0, 0], src_offsets=[0, 0], shape=[1, 64])";
  return edge_kernel({is_behind ? put : send, is_behind ? send : put, wait("0", 1, "Ge"),
                      "y = pl.store(pl.load(win, [0, 0], [1, 64]), [0, 0], y)"});
}

TEST(RaceWaits, TheCreditCameBeforeThePut) {
  const std::string send = notify("(me + 1) % n", "0", 1, "AtomicAdd");
  const std::string text = push(send, false);
  for (const int ranks : {2, 3, 5}) {
    expect_race(text, ranks,
                {place(text, send) + "note: the credit on cells[0, 0] came from rank ",
                 " here, before the write of rank ", "send the notify behind the write"});
    EXPECT_FALSE(contains(run_edge(push(send, true), ranks).err, "race"));
  }
}

TEST(RaceWaits, TheCreditCameFromAnotherRank) {
  const std::string left = notify("(me + n - 1) % n", "0", 1, "AtomicAdd");
  const std::string to_left = push(left, true);
  expect_race(to_left, 3,
              {place(to_left, left) + "note: the credit on cells[0, 0] came from rank ",
               " here, not from rank ", " had waited on cells[0, 0] only",
               "let the writer notify the reader"});
  const std::string own = notify("me", "0", 1, "AtomicAdd");
  const std::string to_self = push(own, true);
  expect_race(to_self, 3,
              {place(to_self, own) + "note: the credit on cells[0, 0] came from rank ",
               " here itself, not from rank "});
}

/// Rank 0 stages and tells rank 1 four times; rank 1 reads each time and tells rank 0.
std::string rounds(const std::string& value, const std::string& expected,
                   const std::string& done_expected) {
  const auto send = [](const std::string& peer, const std::string& row, const std::string& what) {
    return "pld.system.notify(cells, peer=" + peer + ", offsets=[" + row + ", 0], value=" + what +
           ", op=pld.NotifyOp.AtomicAdd)";
  };
  const auto wait_for = [](const std::string& row, const std::string& what) {
    return "pld.system.wait(cells, offsets=[" + row + ", 0], expected=" + what +
           ", cmp=pld.WaitCmp.Ge)";
  };
  return edge_kernel(inside(
      "for k in pl.range(4):",
      joined(
          {inside("if me == 0:", {"win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)",
                                  send("1", "0", value), wait_for("1", done_expected)}),
           inside("if me == 1:", {wait_for("0", expected),
                                  "y = pl.store(pld.tile.remote_load(win, peer=0, offsets=[0, 0], "
                                  "shape=[1, 64]), [0, 0], y)",
                                  send("0", "1", "1")})})));
}

const Body kFinishedRounds{
    "let the notify add the same each time, as value=1, and expect as much more each time as the "
    "notifies to the cell in between add: 1, 2, 3 and so on for one"};

// Scenario 1 of edge_cases.md: the cell holds 0, 1, 3, 6 and the waits ask for 1, 2, 3, 4.
TEST(RaceWaits, CountersThatGrowByMoreEachTime) {
  const std::string text = rounds("k + 1", "k + 1", "k + 1");
  const std::string waits = "pld.system.wait(cells, offsets=[0, 0], expected=k + 1";
  const std::string sends = "pld.system.notify(cells, peer=1, offsets=[0, 0], value=k + 1";
  expect_race(
      text, 2,
      joined({{place(text, waits) +
                   "note: this wait of rank 1 on cells[0, 0] does not wait for the write: a "
                   "signal from before it satisfies it",
               place(text, sends) + "note: the notify that satisfies it (rank 0), before the "
                                    "write",
               "race: rank 1 reads win[0, 0:64] of rank 0 while the write by rank 0"},
              kFinishedRounds}),
      {"a second barrier", "a value of its own"});
  expect_clean(rounds("1", "k + 1", "k + 1"), 2);
}

TEST(RaceWaits, OfTheWriterWhichGoesOnWithTheCreditOfTheReadBefore) {
  const std::string text = rounds("1", "k + 1", "1");
  const std::string waits = "pld.system.wait(cells, offsets=[1, 0], expected=1";
  expect_race(text, 2,
              joined({{place(text, waits) +
                       "note: this wait of rank 0 on cells[1, 0] does not wait for the read: a "
                       "signal from before it satisfies it"},
                      kFinishedRounds}),
              {"a second barrier"});
}

TEST(RaceWaits, AWaitForNothing) {
  const std::string text = rounds("1", "k", "k + 1");
  const std::string waits = "pld.system.wait(cells, offsets=[0, 0], expected=k,";
  expect_race(text, 2,
              {place(text, waits) +
                   "note: this wait of rank 1 on cells[0, 0] does not wait for the write: it asks "
                   "for at least 0, which the cell is from the start",
               "a wait for 0 or less waits for nothing"});
}

TEST(RaceWaits, ACreditThatTheLaunchBeforeLeft) {
  const std::string text = gather(notify("0", "0", 1, "AtomicAdd"), {wait("0", 1, "Ge")});
  expect_race(text, 2,
              {place(text, wait("0", 1, "Ge")) +
                   "note: this wait of rank 0 on cells[0, 0] does not wait for the write: the cell "
                   "was 1 before this launch began",
               "take all credits out again at the end of the kernel"},
              {}, {"--launches", "2", "--persistent"});
}

/// Which side came first in a run does not change what is told of the one that has to wait.
TEST(RaceWaits, WhatWasWaitedOnIsToldOnEveryOrder) {
  const Body body = joined(
      {joined({{kStage},
               joined({inside("for p in pl.range(n):",
                              inside("if p != me:", {notify("p", "me", 1, "AtomicAdd")})),
                       inside("for q in pl.range(n):",
                              inside("if q != me:", {wait("q", 1, "Ge")}))})}),
       inside("for s in pl.range(n):",
              {kStage.substr(0, kStage.size()),
               "y = pl.store(pld.tile.remote_load(win, peer=s, offsets=[s, 0], shape=[1, 64]), [0, "
               "0], y)"})});
  const std::string text = edge_kernel(body);
  expect_race(text, 3, {" had waited on cells["}, {"had waited for nothing"});
}

TEST(RaceWaits, JsonNamesTheWaitAndItsCredits) {
  const ScratchDir scratch;
  const std::string json = scratch.file("card.json");
  const std::string send = notify("0", "0", 1, "AtomicAdd");
  const std::string text = gather(send, {wait("0", 1, "Ge")});
  EXPECT_EQ(run_edge(text, 3, {"--json", json}).status, 4);
  const auto wait = read_json(json)["race_check"]["races"][0]["nearest_wait"];
  EXPECT_EQ(wait["cell"], "cells[0, 0]");
  EXPECT_EQ(wait["expected"], 1);
  EXPECT_EQ(wait["compare"], "Ge");
  EXPECT_EQ(wait["passes_without"], true);
  EXPECT_EQ(wait["sender_ranks"], (std::vector<int>{1, 2}));
  ASSERT_EQ(wait["credits"].size(), 1);
  EXPECT_EQ(wait["credits"][0]["ranks"], (std::vector<int>{2}));
  EXPECT_EQ(wait["credits"][0]["op"], "AtomicAdd");
  EXPECT_EQ(fmt::format("kernel.py:{}:{}: ", wait["credits"][0]["location"]["line"].get<int>(),
                        wait["credits"][0]["location"]["column"].get<int>()),
            place(text, send));
  EXPECT_EQ(run_edge(edge_kernel({kStage,
                                  "y = pl.store(pld.tile.remote_load(win, peer=0, offsets="
                                  "[0, 0], shape=[1, 64]), [0, 0], y)"}),
                     2, {"--json", json})
                .status,
            4);
  EXPECT_TRUE(read_json(json)["race_check"]["races"][0]["nearest_wait"].is_null());
}

}  // namespace
}  // namespace a2a3::test::race_waits_test
