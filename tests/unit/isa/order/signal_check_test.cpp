// SPDX-License-Identifier: Apache-2.0
#include "isa/order/signal_check.hpp"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "run_of_events.hpp"

namespace a2a3::isa::signal_check_test {
namespace {

constexpr auto kSet = NotifyOp::set;
constexpr auto kAdd = NotifyOp::atomic_add;

/// "lost 0:10 1:20": kind, device and line of both sides, of each finding.
std::string faults(const RunOfEvents& run, bool finished = false) {
  static constexpr const char* kNames[] = {"lost",   "missed", "stale",  "before",
                                           "excess", "sets",   "cleared"};
  std::string text;
  for (const SignalFinding& one : run.check().signal_findings(finished)) {
    text += fmt::format("{}{} {}:{} {}:{}", text.empty() ? "" : ", ",
                        kNames[static_cast<int>(one.fault)], one.subject.device, one.subject.source,
                        one.other.device, one.other.source);
  }
  return text;
}

TEST(SignalCheck, ASetMayWipeOutAnAddInAnyOrderOfTheRun) {
  RunOfEvents add_first(2);
  add_first.notify(1, 0, 0, 1, kAdd, 20);
  add_first.notify(0, 0, 0, 0, kSet, 10);
  EXPECT_EQ(faults(add_first), "lost 0:10 1:20");
  RunOfEvents set_first(2);
  set_first.notify(0, 0, 0, 0, kSet, 10);
  set_first.notify(1, 0, 0, 1, kAdd, 20);
  EXPECT_EQ(faults(set_first), "lost 0:10 1:20");
}

TEST(SignalCheck, AWaitPutsASetBehindTheAdd) {
  RunOfEvents run(2);
  run.notify(1, 0, 0, 1, kAdd, 20);
  run.wait(0, 0);
  run.notify(0, 0, 0, 0, kSet, 10);
  EXPECT_EQ(faults(run), "");
  run.notify(0, 1, 5);
  run.wait(1, 5);
  run.notify(1, 0, 0, 1, kAdd, 21);
  EXPECT_EQ(faults(run), "");
}

TEST(SignalCheck, AddsOfSeveralRanksAreInNoOrderAndNoFault) {
  RunOfEvents run(3);
  run.notify(1, 0, 0);
  run.notify(2, 0, 0);
  run.wait(0, 0, 2);
  EXPECT_EQ(faults(run, true), "");
}

TEST(SignalCheck, AnExactValueMayBeMissed) {
  RunOfEvents run(2);
  run.notify(1, 0, 0, 1, kAdd, 20);
  run.wait(0, 0, 1, WaitCmp::eq);
  run.notify(1, 0, 0, 1, kAdd, 21);
  EXPECT_EQ(faults(run), "missed 0:901 1:21");
}

TEST(SignalCheck, AnExactValueMayBeMissedThoughTheCellIsLoweredInBetween) {
  RunOfEvents run(2);
  run.notify(1, 0, 0, 1, kAdd, 20);
  run.wait(0, 0, 1, WaitCmp::eq);
  run.notify(0, 0, 0, -1, kAdd, 10);
  run.notify(1, 0, 0, 1, kAdd, 21);
  EXPECT_EQ(faults(run), "missed 0:901 1:21");
  EXPECT_EQ(run.check().signal_findings(false)[0].cell_value, 2);
}

TEST(SignalCheck, ASignalBehindTheWaitTakesNothingAway) {
  RunOfEvents run(2);
  run.notify(1, 0, 0, 1, kAdd, 20);
  run.wait(0, 0, 1, WaitCmp::eq);
  run.notify(0, 1, 0);
  run.wait(1, 0);
  run.notify(1, 0, 0, 1, kAdd, 21);
  run.wait(0, 0, 2, WaitCmp::eq);
  EXPECT_EQ(faults(run, true), "");
}

TEST(SignalCheck, OnlyWhatLowersACellTakesFromAWaitForAtLeast) {
  RunOfEvents more(2);
  more.notify(1, 0, 0, 2, kAdd, 20);
  more.wait(0, 0, 2);
  more.notify(0, 0, 0, -2, kAdd, 10);
  more.notify(1, 0, 0, 1, kAdd, 21);
  EXPECT_EQ(faults(more), "");
  RunOfEvents less(2);
  less.notify(1, 0, 0, 1, kAdd, 20);
  less.wait(0, 0);
  less.notify(1, 0, 0, -1, kAdd, 21);
  EXPECT_EQ(faults(less), "missed 0:901 1:21");
}

TEST(SignalCheck, ASecondWaitForTheSameIsStale) {
  RunOfEvents run(2);
  run.notify(1, 0, 0);
  run.wait(0, 0);
  run.notify(1, 0, 0);
  run.wait(0, 0);
  EXPECT_EQ(faults(run), "stale 0:901 0:901");
}

TEST(SignalCheck, ASecondWaitForMoreOrBehindAResetIsNot) {
  RunOfEvents more(2);
  more.notify(1, 0, 0);
  more.wait(0, 0, 1);
  more.notify(1, 0, 0);
  more.wait(0, 0, 2);
  EXPECT_EQ(faults(more, true), "");
  RunOfEvents reset(2);
  reset.notify(1, 0, 0);
  reset.wait(0, 0);
  reset.notify(0, 0, 0, -1);
  reset.notify(1, 0, 0);
  reset.wait(0, 0);
  EXPECT_EQ(faults(reset, true), "");
}

TEST(SignalCheck, WhatIsLeftOfTheCreditsIsCountedAtTheEnd) {
  RunOfEvents run(2);
  run.notify(1, 0, 0, 1, kAdd, 20);
  run.notify(1, 0, 0, 1, kAdd, 21);
  run.wait(0, 0);
  EXPECT_EQ(faults(run), "");
  EXPECT_EQ(faults(run, true), "excess 1:21 1:20");
  const auto found = run.check().signal_findings(true);
  EXPECT_EQ(found[0].cell_value, 2);
  EXPECT_EQ(found[0].other.value, 1);
}

// What is left of flow control: each credit says something that the one before did not.
TEST(SignalCheck, CreditsWithAWaitOrAnAccessBetweenThemAreNoExcess) {
  RunOfEvents waits(2);
  waits.notify(1, 0, 0, 1, kAdd, 20);
  waits.wait(0, 0);
  waits.notify(0, 1, 1);
  waits.wait(1, 1);
  waits.notify(1, 0, 0, 1, kAdd, 20);
  EXPECT_EQ(faults(waits, true), "");
  RunOfEvents reads(2);
  reads.notify(1, 0, 0, 1, kAdd, 20);
  reads.read(1, 30, {1, 0});
  reads.notify(1, 0, 0, 1, kAdd, 20);
  reads.wait(0, 0);
  EXPECT_EQ(faults(reads, true), "");
  RunOfEvents other(2);
  other.notify(1, 0, 0, 1, kAdd, 20);
  other.notify(1, 0, 1, 1, kAdd, 21);
  other.notify(1, 0, 0, 1, kAdd, 20);
  other.wait(0, 0);
  EXPECT_EQ(faults(other, true), "excess 1:20 1:20") << "signals of other cells tell nothing";
}

TEST(SignalCheck, SetsOfDifferentValuesInNoOrderCompete) {
  for (const bool turned : {false, true}) {
    RunOfEvents run(3);
    run.notify(turned ? 2 : 1, 0, 0, turned ? 2 : 1, kSet, turned ? 20 : 10);
    run.notify(turned ? 1 : 2, 0, 0, turned ? 1 : 2, kSet, turned ? 10 : 20);
    EXPECT_EQ(faults(run), "sets 1:10 2:20");
  }
  RunOfEvents equal(3);
  equal.notify(1, 0, 0, 1, kSet, 10);
  equal.notify(2, 0, 0, 1, kSet, 20);
  EXPECT_EQ(faults(equal), "") << "the same, whichever comes last";
}

TEST(SignalCheck, SetsThatAWaitPutsInOrderDoNot) {
  RunOfEvents run(3);
  run.notify(1, 0, 0, 1, kSet, 10);
  run.notify(1, 2, 1);
  run.wait(2, 1);
  run.notify(2, 0, 0, 2, kSet, 20);
  run.wait(0, 0, 2);
  run.notify(0, 0, 0, 0, kSet, 30);
  EXPECT_EQ(faults(run, true), "");
}

TEST(SignalCheck, AWaitThatNoSignalCameForWasSatisfiedBefore) {
  RunOfEvents run(1);
  run.set_cell(0, 0, 1);
  run.wait(0, 0);
  EXPECT_EQ(faults(run), "before 0:901 0:0");
  RunOfEvents at_once(1);
  at_once.wait(0, 0, 0);
  EXPECT_EQ(faults(at_once), "");
}

TEST(SignalCheck, AReadOfACellWithNoCreditLeft) {
  RunOfEvents run(2);
  run.notify(1, 0, 0, 1, kAdd, 20);
  run.wait(0, 0);
  run.read(0, 29, RunOfEvents::cell_of(0, 0), 4);
  EXPECT_EQ(faults(run), "") << "the credit is there";
  run.notify(0, 0, 0, -1, kAdd, 30);
  run.read(0, 31, RunOfEvents::cell_of(0, 1), 4);
  EXPECT_EQ(faults(run), "") << "another cell";
  run.read(0, 32, RunOfEvents::cell_of(0, 0), 64);
  EXPECT_EQ(faults(run), "cleared 0:32 0:30");
}

TEST(SignalCheck, AReadOfACellThatHasAValueAgain) {
  RunOfEvents signalled(2);
  signalled.notify(0, 0, 0, 1, kAdd, 20);
  signalled.notify(0, 0, 0, -1, kAdd, 21);
  signalled.notify(0, 0, 0, 1, kAdd, 22);
  signalled.read(0, 32, RunOfEvents::cell_of(0, 0), 4);
  EXPECT_EQ(faults(signalled), "");
  RunOfEvents written(2);
  written.notify(0, 0, 0, 1, kAdd, 20);
  written.notify(0, 0, 0, -1, kAdd, 21);
  written.write(0, 30, RunOfEvents::cell_of(0, 0), 4);
  written.read(0, 32, RunOfEvents::cell_of(0, 0), 4);
  EXPECT_EQ(faults(written), "");
}

}  // namespace
}  // namespace a2a3::isa::signal_check_test
