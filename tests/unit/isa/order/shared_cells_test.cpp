// SPDX-License-Identifier: Apache-2.0
// HappensBefore on cells that several threads signal or wait on.
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "run_of_events.hpp"

namespace a2a3::isa::shared_cells_test {
namespace {

constexpr GlobalAddress kData0{0, 0};
constexpr GlobalAddress kData1{1, 0};

TEST(SharedCells, ACounterOfSeveralRanksIsABarrierWhenAllMustAdd) {
  for (const std::int32_t expected : {2, 3}) {
    RunOfEvents run(4);
    for (std::uint32_t r = 1; r < 4; ++r) {
      run.write(r, 10, {r, 0});
      run.notify(r, 0, 0);
    }
    run.wait(0, 0, expected);
    for (std::uint32_t r = 1; r < 4; ++r)
      run.read(0, 20, {r, 0});
    EXPECT_EQ(run.races(), expected == 2 ? "read-before-write 1:10 0:20" : "");
  }
}

TEST(SharedCells, CreditThatNeedsAnothersCreditBringsItAlong) {
  RunOfEvents run(3);
  run.write(1, 10, kData1);
  run.notify(1, 0, 0);
  run.notify(1, 2, 0);
  run.wait(2, 0);
  run.notify(2, 0, 0);  // comes after rank 1's credit always
  run.wait(0, 0, 1);
  run.read(0, 20, kData1);
  EXPECT_EQ(run.races(), "");
}

TEST(SharedCells, AnySetThatIsEnoughMayEndAWait) {
  for (const std::int32_t expected : {1, 2}) {
    RunOfEvents run(3);
    run.write(1, 10, kData1);
    run.notify(1, 0, 0, 1, NotifyOp::set);
    run.write(2, 11, {2, 0});
    run.notify(2, 0, 0, 2, NotifyOp::set);
    run.wait(0, 0, expected);
    run.read(0, 20, {2, 0});
    EXPECT_EQ(run.races(), expected == 1 ? "read-before-write 2:11 0:20" : "");
    run.read(0, 21, kData1);
    EXPECT_NE(run.races().find("read-before-write 1:10 0:21"), std::string::npos);
  }
}

TEST(SharedCells, ACreditThatCameLaterMayStandInForAnother) {
  for (const std::int32_t expected : {1, 2}) {
    RunOfEvents run(3);
    run.write(2, 10, {2, 0});
    run.notify(2, 0, 0);
    if (expected == 2) run.notify(1, 0, 0);
    run.wait(0, 0, expected);
    run.read(0, 20, {2, 0});
    run.notify(1, 0, 0);
    EXPECT_EQ(run.races(), "read-before-write 2:10 0:20");
  }
}

TEST(SharedCells, CreditsThatEachComeBehindTheWriteAreAsGoodAsOne) {
  // Rank 0 tells all, and all tell each other.
  RunOfEvents run(4);
  run.write(0, 10, kData0);
  for (std::uint32_t r = 1; r < 4; ++r)
    run.notify(0, r, 0);
  for (std::uint32_t r = 1; r < 4; ++r) {
    run.wait(r, 0);
    for (std::uint32_t p = 1; p < 4; ++p)
      if (p != r) run.notify(r, p, 0);
    run.read(r, 20, kData0);
  }
  EXPECT_EQ(run.races(), "");
}

TEST(SharedCells, TwoThatWaitOnOneCellNeedEachTheirOwn) {
  TaskOrder order;
  order.tasks = {{0, 0}, {1, 1}, {2, 2}};
  order.after = {{}, {}, {}};
  order.device_of_thread = {0, 1, 1};
  std::optional<SolvedOrder> solved;
  const auto run = [&](std::int32_t expected) {
    HappensBefore check(order, 1000, solved ? &*solved : nullptr);
    for (std::uint32_t task = 0; task < 3; ++task)
      check.on_begin({task, task, 0, 0});
    check.on_notify({0, 0, 0, 10}, {{1, 64}, 1, NotifyOp::atomic_add}, {0, 1});
    check.on_access({0, 0, 1, 11}, AccessKind::write, {0, 0}, 4);
    check.on_notify({0, 0, 1, 12}, {{1, 64}, 1, NotifyOp::atomic_add}, {1, 2});
    check.on_wait({1, 1, 1, 20}, {{1, 64}, 2}, 2);
    check.on_wait({2, 2, 1, 21}, {{1, 64}, expected}, 2);
    check.on_access({2, 2, 1, 22}, AccessKind::read, {0, 0}, 4);
    return check;
  };
  for (const std::int32_t expected : {1, 2}) {
    solved.reset();
    const HappensBefore first = run(expected);
    EXPECT_TRUE(first.needs_solving());
    EXPECT_FALSE(first.is_complete());
    solved = first.solve();
    ASSERT_TRUE(solved);
    const HappensBefore second = run(expected);
    EXPECT_TRUE(second.is_complete());
    EXPECT_EQ(second.findings().size(), expected == 1 ? 1U : 0U);
  }
}

TEST(SharedCells, CellsOfOneSenderNeedNoSolving) {
  RunOfEvents run(3);
  run.notify(1, 0, 1);
  run.notify(0, 0, 1, -1);  // the own signals come in program order
  run.notify(2, 0, 2);
  run.notify(1, 0, 3);  // nobody waits on it
  run.notify(2, 0, 3);
  run.wait(0, 1, 0);
  run.wait(0, 2);
  EXPECT_TRUE(run.told(nullptr).is_complete());
  run.wait(0, 3);
  EXPECT_TRUE(run.told(nullptr).needs_solving());
}

TEST(SharedCells, ASetMayWipeOutTheCreditsThatAWaitDoesNotNeed) {
  for (const std::int32_t expected : {1, 2}) {
    RunOfEvents run(3);
    run.notify(1, 0, 0, 1, NotifyOp::atomic_add, 20);
    run.notify(2, 0, 0, 1, NotifyOp::atomic_add, 21);
    run.wait(0, 0, expected);
    run.notify(0, 0, 0, 0, NotifyOp::set, 10);
    // Any of the two may be the one that is late.
    EXPECT_EQ(run.check().signal_findings(true).size(), expected == 1 ? 2U : 0U);
  }
}

TEST(SharedCells, ResetsByASetThatAllKnowOfBeginANewCount) {
  // Rank 0 counts the others, takes the count back and lets them go on.
  for (const std::int32_t expected : {2, 1}) {
    RunOfEvents run(3);
    for (std::uint64_t round = 0; round < 3; ++round) {
      for (std::uint32_t r = 1; r < 3; ++r) {
        run.write(r, 10, {r, round * 64});
        run.notify(r, 0, 0);
      }
      run.wait(0, 0, expected);
      for (std::uint32_t r = 1; r < 3; ++r)
        run.read(0, 20, {r, round * 64});
      run.notify(0, 0, 0, 0, NotifyOp::set);
      for (std::uint32_t r = 1; r < 3; ++r)
        run.notify(0, r, 0);
      for (std::uint32_t r = 1; r < 3; ++r)
        run.wait(r, 0, static_cast<std::int32_t>(round) + 1);
    }
    EXPECT_EQ(run.races(), expected == 2 ? "" : "read-before-write 1:10 0:20");
    EXPECT_EQ(run.check().signal_findings(false).empty(), expected == 2);
  }
}

TEST(SharedCells, AnExactValueOfSeveralNeedsAllUpToIt) {
  for (const std::int32_t expected : {2, 1}) {
    RunOfEvents run(3);
    for (std::uint32_t r = 1; r < 3; ++r) {
      run.write(r, 10, {r, 0});
      run.notify(r, 0, 0);
      if (static_cast<std::int32_t>(r) == expected) run.wait(0, 0, expected, WaitCmp::eq);
    }
    for (std::uint32_t r = 1; r < 3; ++r)
      run.read(0, 20, {r, 0});
    EXPECT_EQ(run.races(), expected == 2 ? "" : "read-before-write 1:10 0:20");
  }
}

TEST(SharedCells, WhatAPlainWriteLeftOfTheSignalsBeforeItIsNotTold) {
  // The cell is counted twice, and in between rank 0 writes it as data.
  RunOfEvents run(3);
  const auto count = [&](std::uint64_t place) {
    for (std::uint32_t r = 1; r < 3; ++r) {
      run.write(r, 10, {r, place});
      run.notify(r, 0, 0);
    }
    run.wait(0, 0, 2);
    for (std::uint32_t r = 1; r < 3; ++r)
      run.read(0, 20, {r, place});
  };
  count(0);
  run.write(0, 30, RunOfEvents::cell_of(0, 0), 4);
  run.set_cell(0, 0, 0);
  for (std::uint32_t r = 1; r < 3; ++r)
    run.notify(0, r, 0);
  for (std::uint32_t r = 1; r < 3; ++r)
    run.wait(r, 0);
  count(64);
  EXPECT_EQ(run.races(), "");
}

TEST(SharedCells, ConditionsOfTasksNeedNotEachOther) {
  // Task 0 of thread 0 ends with two conditions on one cell that threads 1 and 2 signal; task 1
  // comes after it.
  for (const std::int32_t expected : {2, 1}) {
    TaskOrder order;
    order.tasks = {{0, 0}, {0, 1}, {1, 2}, {2, 3}};
    order.after = {{}, {0}, {}, {}};
    order.device_of_thread = {0, 1, 2};
    std::optional<SolvedOrder> solved;
    const auto run = [&] {
      HappensBefore check(order, 1000, solved ? &*solved : nullptr);
      for (const std::uint32_t task : {0U, 2U, 3U})
        check.on_begin({task, task, 0, 0});
      for (const std::uint32_t task : {2U, 3U}) {
        check.on_access({task, task, 0, task}, AccessKind::write, {task, 0}, 4);
        check.on_notify({task, task, 0, 9}, {{0, 64}, 1, NotifyOp::atomic_add},
                        {static_cast<std::int32_t>(task) - 2, static_cast<std::int32_t>(task) - 1});
      }
      check.on_meet({0, 0, 0, 0}, {{0, 64}, 1}, 2);
      check.on_meet({0, 0, 0, 0}, {{0, 64}, expected}, 2);
      check.on_complete(0);
      check.on_begin({1, 1, 0, 0});
      for (const std::uint32_t task : {2U, 3U})
        check.on_access({1, 1, 0, 1}, AccessKind::read, {task, 0}, 4);
      return check;
    };
    ASSERT_TRUE(run().needs_solving());
    solved = run().solve();
    ASSERT_TRUE(solved);
    EXPECT_EQ(run().findings().size(), expected == 2 ? 0U : 2U);
  }
}

TEST(SharedCells, AnotherRunThanTheSolvedOneIsNotDecided) {
  RunOfEvents solved_run(3);
  RunOfEvents run(3);
  for (RunOfEvents* one : {&solved_run, &run}) {
    one->notify(1, 0, 0);
    one->notify(2, 0, 0);
    one->wait(0, 0);
  }
  const std::optional<SolvedOrder> solved = solved_run.told(nullptr).solve();
  ASSERT_TRUE(solved);
  EXPECT_TRUE(run.told(&*solved).is_complete());
  run.wait(0, 0);
  EXPECT_FALSE(run.told(&*solved).is_complete());
}

TEST(SharedCells, TheirTraceCountsForTheBound) {
  for (const std::uint64_t max_records : {30U, 1000U}) {
    RunOfEvents run(3, max_records);
    for (int round = 0; round < 40; ++round) {
      run.notify(1, 0, 0);
      run.notify(2, 0, 0);
      run.wait(0, 0, 2 * (round + 1));
    }
    EXPECT_EQ(run.check().is_complete(), max_records == 1000);
  }
}

}  // namespace
}  // namespace a2a3::isa::shared_cells_test
