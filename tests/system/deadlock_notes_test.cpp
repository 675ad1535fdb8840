// SPDX-License-Identifier: Apache-2.0
// Which lines the report of a deadlock names, and that its advice fits what went wrong.
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::deadlock_notes_test {
namespace {

void expect_deadlock(const std::string& text, int ranks, const Body& said,
                     const Body& unsaid = {}) {
  for (const Body& engine : {Body{}, {"--engine", "untimed"}}) {
    const Finished run = run_edge(text, ranks, engine);
    EXPECT_EQ(run.status, 3) << run.err;
    for (const std::string& part : said)
      EXPECT_TRUE(contains(run.err, part)) << part << "\n" << run.err;
    for (const std::string& part : unsaid)
      EXPECT_FALSE(contains(run.err, part)) << part << "\n" << run.err;
  }
}

TEST(DeadlockCredits, OfEachLineStandAtTheirLine) {
  const std::string one = notify("0", "1", 1, "AtomicAdd");
  const std::string five = notify("0", "2", 5, "AtomicAdd");
  const std::string text =
      edge_kernel(joined({inside("if me == 0:", {wait("0", 1, "Ge")}),
                          joined({inside("if me == 1:", {one}), inside("if me == 2:", {five})})}));
  expect_deadlock(text, 3,
                  {place(text, one) + "note: on rank 0, cells[1, 0] got +1 from rank 1\n",
                   place(text, five) + "note: on rank 0, cells[2, 0] got +5 from rank 2\n"});

  const std::string set = notify("0", "0", 1, "Set");
  const std::string add = notify("0", "0", 1, "AtomicAdd");
  const std::string mixed =
      edge_kernel(joined({inside("if me == 0:", {wait("0", 9, "Ge")}),
                          joined({inside("if me == 1:", {set}), inside("if me == 2:", {add})})}));
  expect_deadlock(mixed, 3,
                  {place(mixed, set) + "note: ", "cells[0, 0] was set to 1 by rank 1",
                   place(mixed, add) + "note: ", "cells[0, 0] got +1 from rank 2"});
}

TEST(DeadlockCredits, ThoseOfFurtherWaitsAreNotDroppedSilently) {
  const std::string send = notify("(me + n) % n", "me", 1, "AtomicAdd");
  const std::string text = edge_kernel({send, wait("(me + n - 1) % n", 1, "Ge")});
  const std::string more = "note: and so on for the others; --json has all credits";
  expect_deadlock(text, 8, {more});
  expect_deadlock(text, 4, {}, {more});
}

TEST(DeadlockAdvice, SetsOfOneRankDoNotAddUp) {
  const std::string first = notify("0", "0", 1, "Set") + "  # first";
  const std::string second = notify("0", "0", 1, "Set") + "  # second";
  const std::string text = edge_kernel(joined(
      {inside("if me == 0:", {wait("0", 2, "Ge")}), inside("if me == 1:", {first, second})}));
  expect_deadlock(text, 3,
                  {place(text, first) + "note: on rank 0, cells[0, 0] was set to 1 by rank 1\n",
                   place(text, second) + "note: on rank 0, cells[0, 0] was set to 1 by rank 1\n",
                   "a Set puts its value in the place of the one before, it adds nothing: use "
                   "NotifyOp.AtomicAdd, or let the last Set be to 2"},
                  {"several writers", "finished without a notify"});
}

// Rows 3 and 21 of edge_cases.md, with equal values.
TEST(DeadlockAdvice, SetsOfSeveralRanksAreNamed) {
  const std::string one = notify("0", "0", 1, "Set") + "  # one";
  const std::string other = notify("0", "0", 1, "Set") + "  # other";
  const std::string text =
      edge_kernel(joined({inside("if me == 0:", {wait("0", 2, "Ge")}),
                          joined({inside("if me == 1:", {one}), inside("if me == 2:", {other})})}));
  expect_deadlock(text, 3,
                  {place(text, one) + "note: ", place(text, other) + "note: ",
                   "ranks 1,2 both Set this cell, and a Set puts its value in the place of the one "
                   "before: use NotifyOp.AtomicAdd, or a cell for each rank"},
                  {"finished without a notify"});
}

const Body kWaits = inside("for q in pl.range(n):", inside("if q != me:", {wait("q", 1, "Ge")}));

TEST(DeadlockAdvice, ANotifyThatOneRankAloneComesTo) {
  const std::string send = notify("p", "me", 1, "AtomicAdd");
  for (const std::string guard : {"if me == 0 and p != me:", "if me == 0:"}) {
    const std::string text =
        edge_kernel(joined({inside("for p in pl.range(n):", inside(guard, {send})), kWaits}));
    for (const int ranks : {3, 5})
      expect_deadlock(
          text, ranks,
          {place(text, send),
           ranks == 3 ? "rank 0 signals other cells of this window from here; ranks 1,2 "
                        "do not"
                      : "rank 0 signals other cells of this window from here; ranks 1-4 "
                        "do not",
           "let every rank that others wait for come to its notify, whichever branch it "
           "takes"},
          {"nobody ever signalled", "make the offsets of the notify"});
  }
}

TEST(DeadlockAdvice, ARankThatDoesNotSignalOneOfTheOthers) {
  const std::string send = notify("p", "me", 1, "AtomicAdd");
  const std::string text = edge_kernel(
      joined({inside("for p in pl.range(1, n):", inside("if p != me:", {send})), kWaits}));
  expect_deadlock(
      text, 3,
      {place(text, send) + "note: ranks 0-2 signal other cells of this window from here",
       "rank 1 finished without a notify to cells[1, 0] of rank 0"});
}

TEST(DeadlockAdvice, AWaitOnTheOwnCell) {
  const std::string send = notify("p", "me", 1, "AtomicAdd");
  const std::string waits = wait("q", 1, "Ge");
  const std::string text =
      edge_kernel(joined({inside("for p in pl.range(n):", inside("if p != me:", {send})),
                          inside("for q in pl.range(n):", {waits})}));
  for (const int ranks : {3, 5})
    expect_deadlock(
        text, ranks,
        {place(text, waits) + "error: deadlock: ",
         "note: cells[0, 0] of rank 0 is the cell for its own notify, and it sends none "
         "to itself: leave the own rank out of the wait, as `if src != my_rank`"});
  expect_deadlock(edge_kernel({wait("0", 1, "Ge")}), 2, {}, {"leave the own rank out"});
}

TEST(DeadlockAdvice, AnExactValueThatSeveralRanksPassTogether) {
  const std::string text = edge_kernel(joined(
      {inside("if me == 0:",
              {"for q in pl.range(1, n):", "    " + wait("q", 1, "Ge"), wait("0", 1, "Eq")}),
       inside("else:", {notify("0", "0", 1, "AtomicAdd"), notify("0", "me", 1, "AtomicAdd")})}));
  expect_deadlock(text, 3,
                  {"the cell is 2, waiting for Eq 1",
                   ": wait with WaitCmp.Ge, and for 2, what all "
                   "notifies bring together"});
}

}  // namespace
}  // namespace a2a3::test::deadlock_notes_test
