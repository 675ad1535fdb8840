// SPDX-License-Identifier: Apache-2.0
#include "isa/order/happens_before.hpp"

#include <gtest/gtest.h>

#include "run_of_events.hpp"

namespace a2a3::isa::happens_before_test {
namespace {

constexpr GlobalAddress kData0{0, 0};
constexpr GlobalAddress kData1{1, 0};

TEST(HappensBefore, NotifyAndWaitOrderAWriteBeforeARead) {
  RunOfEvents run(2);
  run.write(0, 10, kData0);
  run.notify(0, 1, 0);
  run.wait(1, 0);
  run.read(1, 20, kData0);
  EXPECT_EQ(run.races(), "");
}

TEST(HappensBefore, AReadThatWaitsForNothingRacesAlsoWhenItCameInTime) {
  RunOfEvents run(2);
  run.write(0, 10, kData0);
  run.notify(0, 1, 0);
  run.read(1, 20, kData0);  // before the wait
  run.wait(1, 0);
  EXPECT_EQ(run.races(), "read-before-write 0:10 1:20");
}

TEST(HappensBefore, WhatComesAfterTheNotifyIsNotOrdered) {
  RunOfEvents run(2);
  run.notify(0, 1, 0);
  run.write(0, 10, kData0);
  run.wait(1, 0);
  run.read(1, 20, kData0);
  EXPECT_EQ(run.races(), "read-before-write 0:10 1:20");
}

TEST(HappensBefore, TheOrderOfTheRunDoesNotMatter) {
  RunOfEvents run(2);
  run.read(1, 20, kData0);
  run.write(0, 10, kData0);
  EXPECT_EQ(run.races(), "read-before-write 1:20 0:10");
}

TEST(HappensBefore, OrderPassesOnThroughAThirdRank) {
  RunOfEvents run(3);
  run.write(0, 10, kData0);
  run.notify(0, 1, 0);
  run.wait(1, 0);
  run.notify(1, 2, 0);
  run.wait(2, 0);
  run.read(2, 20, kData0);
  EXPECT_EQ(run.races(), "");
}

TEST(HappensBefore, ReadsDoNotRace) {
  RunOfEvents run(2);
  run.read(0, 10, kData0);
  run.read(1, 20, kData0);
  EXPECT_EQ(run.races(), "");
}

TEST(HappensBefore, WritesOfTwoRanksRace) {
  RunOfEvents run(2);
  run.write(0, 10, kData0);
  run.write(1, 20, kData0);
  EXPECT_EQ(run.races(), "write-write 0:10 1:20");
}

TEST(HappensBefore, OnlyBytesInCommonRace) {
  RunOfEvents run(2);
  run.write(0, 10, {0, 0}, 64);
  run.write(1, 20, {0, 64}, 64);
  run.write(1, 30, {1, 0}, 64);
  EXPECT_EQ(run.races(), "");
  run.read(1, 40, {0, 60}, 8);
  ASSERT_EQ(run.races(), "read-before-write 0:10 1:40");
  const RaceFinding race = run.check().findings().front();
  EXPECT_EQ(race.address, (GlobalAddress{0, 60}));
  EXPECT_EQ(race.bytes, 4);
}

TEST(HappensBefore, AtomicAddsDoNotRaceWithEachOther) {
  RunOfEvents run(3);
  run.add(1, 10, kData0);
  run.add(2, 10, kData0);
  EXPECT_EQ(run.races(), "");
}

TEST(HappensBefore, AnAtomicAddRacesWithAPlainAccess) {
  RunOfEvents run(3);
  run.write(0, 10, kData0);
  run.add(1, 20, kData0);
  run.read(2, 30, kData0);
  EXPECT_EQ(run.races(),
            "plain-atomic 0:10 1:20, read-before-write 0:10 2:30, plain-atomic 1:20 2:30");
}

// edge_cases.md, scenario 1: the cell holds 0, 1, 3, 6 on entry to tile 0, 1, 2, 3.
class ThirdTile : public testing::TestWithParam<bool> {};

TEST_P(ThirdTile, PassesOnStaleCredit) {
  const bool all_credits_first = GetParam();
  RunOfEvents run(2);
  const auto send = [&](int k) {
    run.write(0, 10, {0, static_cast<std::uint64_t>(k) * 64});
    run.notify(0, 1, 0, k + 1);
  };
  const auto receive = [&](int k) {
    run.wait(1, 0, k + 1);
    run.read(1, 20, {0, static_cast<std::uint64_t>(k) * 64});
  };
  if (all_credits_first) {
    for (int k = 0; k < 4; ++k)
      send(k);
    for (int k = 0; k < 4; ++k)
      receive(k);
  } else {
    send(0), receive(0), send(1), receive(1), send(2), receive(2), send(3), receive(3);
  }
  EXPECT_EQ(run.races(), "read-before-write 0:10 1:20");
  const RaceFinding race = run.check().findings().front();
  EXPECT_EQ(race.count, 2);  // tiles 2 and 3
  EXPECT_EQ(race.address, (GlobalAddress{0, 128}));
}

INSTANTIATE_TEST_SUITE_P(Orders, ThirdTile, testing::Bool());

TEST(HappensBefore, CreditsOfOneEachAreNotStale) {
  for (const bool all_credits_first : {false, true}) {
    RunOfEvents run(2);
    for (std::uint64_t k = 0; k < 4; ++k) {
      run.write(0, 10, {0, k * 64});
      run.notify(0, 1, 0);
      if (all_credits_first) continue;
      run.wait(1, 0, static_cast<std::int32_t>(k) + 1);
      run.read(1, 20, {0, k * 64});
    }
    for (std::uint64_t k = 0; k < 4 && all_credits_first; ++k) {
      run.wait(1, 0, static_cast<std::int32_t>(k) + 1);
      run.read(1, 20, {0, k * 64});
    }
    EXPECT_EQ(run.races(), "");
  }
}

// Scenario 9. Rank 0's store comes while slow rank 2 has still to read.
std::string in_place_sum(bool second_barrier, bool slow_reader) {
  RunOfEvents run(3);
  const auto barrier = [&](std::int32_t round) {
    for (std::uint32_t r = 0; r < 3; ++r)
      for (std::uint32_t p = 0; p < 3; ++p)
        if (p != r) run.notify(r, p, r);
    for (std::uint32_t r = 0; r < 3; ++r)
      for (std::uint32_t p = 0; p < 3; ++p)
        if (p != r) run.wait(r, p, round);
  };
  const auto load_all = [&](std::uint32_t r) {
    for (std::uint32_t p = 0; p < 3; ++p)
      run.read(r, 20, {p, 0});
  };
  for (std::uint32_t r = 0; r < 3; ++r)
    run.write(r, 10, {r, 0});
  barrier(1);
  for (std::uint32_t r = 0; r < 3; ++r)
    if (r != 2 || !slow_reader || second_barrier) load_all(r);
  if (second_barrier) barrier(2);
  for (std::uint32_t r = 0; r < 3; ++r) {
    if (r == 2 && slow_reader && !second_barrier) load_all(r);
    run.write(r, 30, {r, 0});
  }
  return run.races();
}

TEST(HappensBefore, InPlaceSumWithoutReadDoneBarrier) {
  EXPECT_EQ(in_place_sum(false, false), "write-after-read 1:20 0:30");
  EXPECT_EQ(in_place_sum(false, true), "write-after-read 1:20 0:30");
  EXPECT_EQ(in_place_sum(true, false), "");
}

// Scenario 10.
TEST(HappensBefore, CountsChangedEarly) {
  RunOfEvents run(2);
  run.write(1, 10, kData1, 8);
  run.notify(1, 0, 1);
  run.notify(0, 1, 0);
  run.wait(0, 1);
  run.wait(1, 0);
  run.write(1, 10, kData1, 8);  // the next iteration's
  run.read(0, 20, kData1, 8);
  EXPECT_EQ(run.races(), "write-after-read 1:10 0:20");
}

TEST(HappensBefore, ASecondBarrierThatWaitsForTheFirstOnesCreditIsNone) {
  for (const std::int32_t expected : {1, 2}) {
    RunOfEvents run(2);
    run.notify(0, 1, 0);
    run.wait(1, 0, 1);
    run.write(0, 10, kData0);
    run.notify(0, 1, 0);
    run.wait(1, 0, expected);
    run.read(1, 20, kData0);
    EXPECT_EQ(run.races(), expected == 1 ? "read-before-write 0:10 1:20" : "");
  }
}

TEST(HappensBefore, CellsTakenBackServeAgain) {
  for (const bool early : {false, true}) {
    RunOfEvents run(2);
    for (int call = 0; call < 3; ++call) {
      if (call > 0 && !early) run.notify(0, 0, 1, -1), run.notify(1, 1, 0, -1);
      for (std::uint32_t r = 0; r < 2; ++r) {
        run.write(r, 10, {r, static_cast<std::uint64_t>(call) * 64});
        run.notify(r, 1 - r, r);
      }
      // A fast peer's credit may come before the own one is taken back.
      if (call > 0 && early) run.notify(0, 0, 1, -1), run.notify(1, 1, 0, -1);
      for (std::uint32_t r = 0; r < 2; ++r)
        run.wait(r, 1 - r, 1);
      for (std::uint32_t r = 0; r < 2; ++r)
        run.read(r, 20, {1 - r, static_cast<std::uint64_t>(call) * 64});
    }
    EXPECT_EQ(run.races(), "") << early;
  }
}

TEST(HappensBefore, GenerationsSetByOneRankOrderOnlyTheOneWaitedFor) {
  RunOfEvents run(2);
  for (std::int32_t generation = 1; generation <= 3; ++generation) {
    run.write(0, static_cast<SourceId>(generation),
              {0, static_cast<std::uint64_t>(generation) * 64});
    run.notify(0, 1, 0, generation, NotifyOp::set);
  }
  run.wait(1, 0, 2);
  run.read(1, 21, {0, 64});
  run.read(1, 22, {0, 128});
  EXPECT_EQ(run.races(), "");
  run.read(1, 23, {0, 192});
  EXPECT_EQ(run.races(), "read-before-write 0:3 1:23");
}

TEST(HappensBefore, NotifiesRaceWithPlainAccessesOfTheirCell) {
  const GlobalAddress cell = RunOfEvents::cell_of(1, 0);
  for (const bool read_first : {false, true}) {
    RunOfEvents run(2);
    if (read_first) run.read(1, 20, cell, 4);
    run.notify(0, 1, 0, 1, NotifyOp::atomic_add, 10);
    if (!read_first) run.read(1, 20, cell, 4);
    EXPECT_EQ(run.races(), read_first ? "plain-atomic 1:20 0:10" : "plain-atomic 0:10 1:20");
  }
  RunOfEvents run(2);
  run.notify(0, 1, 0, 7, NotifyOp::set, 10);
  run.notify(0, 1, 1);
  run.wait(1, 1);
  run.read(1, 20, cell, 4);
  EXPECT_EQ(run.races(), "");
  run.notify(0, 1, 0, 8, NotifyOp::set, 11);  // the reader may not have read yet
  EXPECT_EQ(run.races(), "plain-atomic 1:20 0:11");
}

TEST(HappensBefore, APlainWriteSatisfiesAWaitWithoutOrder) {
  RunOfEvents run(2);
  run.write(0, 10, kData0);
  run.write(0, 11, RunOfEvents::cell_of(1, 0), 4);
  run.wait(1, 0);
  run.read(1, 20, kData0);
  EXPECT_EQ(run.races(), "read-before-write 0:10 1:20");
}

TEST(HappensBefore, FindingsOfOnePairOfLinesAreOne) {
  RunOfEvents run(4);
  run.wait(3, 5, 0);
  for (std::uint32_t r = 0; r < 3; ++r)
    run.write(r, 10, {r, 0});
  for (std::uint32_t r = 0; r < 3; ++r)
    run.read(3, 20, {r, 0});
  run.read(2, 20, {0, 0});
  const auto findings = run.check().findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].count, 4);
  EXPECT_EQ(findings[0].earlier_devices, (std::set<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(findings[0].later_devices, (std::set<std::uint32_t>{2, 3}));
  EXPECT_EQ(findings[0].waited, std::vector<GlobalAddress>{RunOfEvents::cell_of(3, 5)});
}

TEST(HappensBefore, TheSameLinesTheOtherWayRoundAreTheSameFinding) {
  RunOfEvents run(3);
  run.write(0, 10, kData0);
  run.read(1, 20, kData0);
  run.read(2, 20, kData1);
  run.write(1, 10, kData1);
  const auto findings = run.check().findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].count, 2);
  EXPECT_EQ(findings[0].earlier.record.source, 10);
  EXPECT_EQ(findings[0].earlier_devices, (std::set<std::uint32_t>{0, 1}));
  EXPECT_EQ(findings[0].later_devices, (std::set<std::uint32_t>{1, 2}));
}

TEST(HappensBefore, ABoundThatIsHitLeavesItUndecided) {
  RunOfEvents run(2, 8);
  for (std::uint64_t i = 0; i < 6; ++i)
    run.write(0, 10, {0, i * 128});
  EXPECT_TRUE(run.check().is_complete());
  for (std::uint64_t i = 6; i < 9; ++i)
    run.write(0, 10, {0, i * 128});
  EXPECT_FALSE(run.check().is_complete());
}

TEST(HappensBefore, TheClocksOfManyThreadsCountToo) {
  const auto is_complete = [](std::uint32_t threads) {
    TaskOrder order;
    order.device_of_thread.resize(threads);
    return HappensBefore(order, 100'000).is_complete();
  };
  EXPECT_TRUE(is_complete(1000));
  EXPECT_FALSE(is_complete(2000));
}

/// As long as a waiter may learn from it.
TEST(HappensBefore, TheClockOfASignalCountsUntilItIsWaitedFor) {
  for (const bool third_waits : {true, false}) {
    RunOfEvents run(400, 9000);
    for (std::int32_t round = 1; round <= 200; ++round) {
      run.notify(0, 2, 0);
      run.notify(0, 1, 0);
      run.wait(1, 0, round);
      run.notify(1, 0, 0);
      run.wait(0, 0, round);
      if (third_waits) run.wait(2, 0, round);
    }
    EXPECT_EQ(run.check().is_complete(), third_waits);
  }
}

TEST(HappensBefore, ASenderMayRunAheadOfItsWaiter) {
  constexpr std::int32_t kSignals = 1000;
  RunOfEvents run(2);
  for (std::int32_t n = 0; n < kSignals; ++n) {
    run.write(0, 10, {1, 64 * static_cast<std::uint64_t>(n)});
    run.notify(0, 1, 0);
  }
  for (std::int32_t n = 0; n < kSignals; ++n) {
    run.wait(1, 0, n + 1);
    run.read(1, 20, {1, 64 * static_cast<std::uint64_t>(n)});
  }
  EXPECT_EQ(run.races(), "");
  run.write(0, 11, {1, 0});
  run.notify(0, 1, 0);
  run.wait(1, 0, kSignals);
  run.read(1, 21, {1, 0});
  EXPECT_EQ(run.races(), "write-after-read 1:20 0:11, read-before-write 0:11 1:21");
}

TEST(HappensBefore, LaunchesAreOrderedByTheirDependences) {
  // On device 0: launch 0, then 1 and 2 after it; 3 after nothing on device 1.
  for (const bool after_both : {false, true}) {
    TaskOrder order;
    order.tasks = {{0, 0}, {0, 1}, {1, 2}, {0, 3}};
    order.after = {{}, {0}, {0}, {1}};
    if (after_both) order.after[3].push_back(2);
    order.device_of_thread = {0, 0};
    HappensBefore check(order, 1000);
    const auto run = [&](std::uint32_t task, AccessKind kind, std::uint64_t at) {
      check.on_begin({task, task, 0, 0});
      check.on_access({task, task, 0, task}, kind, {0, at}, 4);
      check.on_complete(task);
    };
    run(0, AccessKind::write, 0);
    check.on_begin({1, 1, 0, 0});
    check.on_begin({2, 2, 0, 0});
    check.on_access({1, 1, 0, 1}, AccessKind::read, {0, 0}, 4);
    check.on_access({2, 2, 0, 2}, AccessKind::read, {0, 0}, 4);
    EXPECT_TRUE(check.findings().empty());
    check.on_complete(1);
    check.on_complete(2);
    run(3, AccessKind::write, 0);
    EXPECT_EQ(check.findings().size(), after_both ? 0 : 1);
  }
}

TEST(HappensBefore, ConditionsOfATaskOrderWhatComesAfterIt) {
  for (const bool deferred : {false, true}) {
    TaskOrder order;
    order.tasks = {{0, 0}, {0, 1}, {1, 2}};
    order.after = {{}, {0}, {}};
    order.device_of_thread = {0, 1};
    HappensBefore check(order, 1000);
    check.on_begin({0, 0, 0, 0});
    check.on_begin({2, 2, 0, 0});
    check.on_access({2, 2, 0, 20}, AccessKind::write, {1, 0}, 4);
    check.on_notify({2, 2, 0, 21}, {{0, 64}, 1, NotifyOp::atomic_add}, {0, 1});
    if (deferred) check.on_meet({0, 0, 0, 0}, {{0, 64}, 1}, 1);
    check.on_complete(0);
    check.on_begin({1, 1, 0, 0});
    check.on_access({1, 1, 0, 10}, AccessKind::read, {1, 0}, 4);
    EXPECT_EQ(check.findings().size(), deferred ? 0 : 1);
  }
}

}  // namespace
}  // namespace a2a3::isa::happens_before_test
