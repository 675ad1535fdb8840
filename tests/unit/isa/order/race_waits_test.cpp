// SPDX-License-Identifier: Apache-2.0
#include "isa/order/race_waits.hpp"

#include <gtest/gtest.h>

#include "run_of_events.hpp"

namespace a2a3::isa::race_waits_test {
namespace {

using Bond = RaceWait::Bond;

const GlobalAddress kData{0, 0};

/// The only race of the run.
RaceFinding only_race(const RunOfEvents& run) {
  const std::vector<RaceFinding> found = run.check().findings();
  EXPECT_EQ(found.size(), 1U);
  return found.empty() ? RaceFinding{} : found.front();
}

TEST(RaceWaits, AnotherSenderIsEnoughWhicheverLandsFirst) {
  for (const bool writer_first : {false, true}) {
    RunOfEvents run(3);
    run.write(1, 10, kData);
    run.notify(writer_first ? 1 : 2, 0, 0, 1, NotifyOp::atomic_add, writer_first ? 11 : 21);
    run.notify(writer_first ? 2 : 1, 0, 0, 1, NotifyOp::atomic_add, writer_first ? 21 : 11);
    run.wait(0, 0, 1, WaitCmp::ge, 30);
    run.read(0, 31, kData);
    const RaceFinding race = only_race(run);
    EXPECT_EQ(race.kind, RaceKind::read_before_write);
    EXPECT_FALSE(race.is_turned);
    ASSERT_TRUE(race.wait);
    EXPECT_EQ(race.wait->bond, Bond::meant);
    EXPECT_EQ(race.wait->source, 30U);
    ASSERT_EQ(race.wait->credits.size(), 1U);
    EXPECT_EQ(race.wait->credits[0].device, 2U);
    EXPECT_EQ(race.wait->credits[0].source, 21U);
    EXPECT_EQ(race.wait->senders, (std::set<std::uint32_t>{1, 2}));
    EXPECT_EQ(race.wait->a_time, 2);
    EXPECT_FALSE(race.wait->has_set);
  }
}

// The cell holds 1, 3, 6 where the waits ask for 1, 2, 3: the third one is satisfied by the first
// two signals, though its writer signals behind the write.
TEST(RaceWaits, SignalsFromBeforeAreEnough) {
  RunOfEvents run(2);
  for (std::int32_t k = 0; k < 3; ++k) {
    run.write(1, 10, kData);
    run.notify(1, 0, 0, k + 1, NotifyOp::atomic_add, 11);
    run.wait(0, 0, k + 1, WaitCmp::ge, 30);
    run.read(0, 31, kData);
    run.notify(0, 1, 1, 1, NotifyOp::atomic_add, 32);
    run.wait(1, 1, k + 1, WaitCmp::ge, 12);
  }
  const RaceFinding race = only_race(run);
  EXPECT_EQ(race.kind, RaceKind::read_before_write);
  ASSERT_TRUE(race.wait);
  EXPECT_EQ(race.wait->bond, Bond::meant);
  ASSERT_EQ(race.wait->credits.size(), 1U);
  EXPECT_EQ(race.wait->credits[0].device, 1U);
  EXPECT_EQ(race.wait->credits[0].count, 2U);
  EXPECT_EQ(race.wait->credits[0].sum, 3);
  EXPECT_EQ(race.wait->waits, 3U);
  EXPECT_FALSE(race.wait->a_time);
}

TEST(RaceWaits, ASignalBeforeTheAccessOrdersNothing) {
  RunOfEvents run(2);
  run.notify(1, 0, 0, 1, NotifyOp::atomic_add, 11);
  run.write(1, 10, kData);
  run.wait(0, 0, 1, WaitCmp::ge, 30);
  run.read(0, 31, kData);
  const RaceFinding race = only_race(run);
  ASSERT_TRUE(race.wait);
  EXPECT_EQ(race.wait->bond, Bond::before);
  ASSERT_EQ(race.wait->credits.size(), 1U);
  EXPECT_EQ(race.wait->credits[0].source, 11U);
  EXPECT_EQ(race.second_waited, (std::vector<GlobalAddress>{RunOfEvents::cell_of(0, 0)}));
}

TEST(RaceWaits, SignalsOfOthersOnAllCellsThatWereWaitedOn) {
  RunOfEvents run(4);
  run.write(1, 10, kData);
  run.notify(2, 0, 2, 1, NotifyOp::set, 21);
  run.notify(3, 0, 3, 1, NotifyOp::atomic_add, 22);
  run.notify(3, 0, 4, 1, NotifyOp::atomic_add, 23);  // nobody waits on it
  run.wait(0, 2, 1, WaitCmp::ge, 30);
  run.wait(0, 3, 1, WaitCmp::ge, 30);
  run.read(0, 31, kData);
  const RaceFinding race = only_race(run);
  ASSERT_TRUE(race.wait);
  EXPECT_EQ(race.wait->bond, Bond::stranger);
  ASSERT_EQ(race.wait->credits.size(), 2U);
  EXPECT_EQ(race.wait->credits[0].source, 21U);
  EXPECT_EQ(race.wait->credits[0].op, NotifyOp::set);
  EXPECT_EQ(race.wait->credits[1].source, 22U);
}

TEST(RaceWaits, WithoutAWaitThereIsNone) {
  RunOfEvents run(2);
  run.write(1, 10, kData);
  run.read(0, 31, kData);
  run.notify(1, 0, 0);
  run.wait(0, 0);  // behind the read
  const RaceFinding race = only_race(run);
  EXPECT_FALSE(race.wait);
  EXPECT_TRUE(race.second_waited.empty());
}

// As builtin collectives do: which signal a wait is for cannot be counted any more.
TEST(RaceWaits, OfACellWithCreditsTakenOutNoneIsMeant) {
  RunOfEvents run(2);
  run.write(1, 9, kData);
  run.notify(1, 0, 0, 1, NotifyOp::atomic_add, 11);
  run.wait(0, 0, 1, WaitCmp::ge, 30);
  run.notify(0, 0, 0, -1, NotifyOp::atomic_add, 33);
  run.wait(0, 0, 0, WaitCmp::ge, 34);
  run.read(0, 31, kData);
  run.write(1, 10, kData);
  run.notify(1, 0, 0, 1, NotifyOp::atomic_add, 12);
  const RaceFinding race = only_race(run);
  EXPECT_EQ(race.kind, RaceKind::write_after_read);
  EXPECT_FALSE(race.idle);
}

// The reader comes first in this run, the writer in another one: the wait is the reader's in both.
TEST(RaceWaits, AreThoseOfTheSideThatHasToWait) {
  for (const bool read_first : {false, true}) {
    RunOfEvents run(3);
    run.notify(2, 0, 0, 1, NotifyOp::atomic_add, 21);
    run.notify(2, 1, 0, 1, NotifyOp::atomic_add, 22);
    run.wait(0, 0, 1, WaitCmp::ge, 30);
    run.wait(1, 0, 1, WaitCmp::ge, 12);
    if (read_first) run.read(0, 31, kData);
    run.write(1, 10, kData);
    if (!read_first) run.read(0, 31, kData);
    const RaceFinding race = only_race(run);
    EXPECT_EQ(race.is_turned, read_first);
    EXPECT_EQ(race.second().record.source, 31U);
    ASSERT_TRUE(race.wait);
    EXPECT_EQ(race.wait->source, 30U);
    EXPECT_EQ(race.second_waited, (std::vector<GlobalAddress>{RunOfEvents::cell_of(0, 0)}));
  }
}

// Two waits for the first credit, and one for both: the second one repeats the first. Without the
// wait for both, it is the one that was meant for the second credit.
TEST(RaceWaits, ARepeatedWaitIsNotMeantForACreditThatALaterOneAsksFor) {
  for (const bool asks_for_both : {true, false}) {
    RunOfEvents run(2);
    run.write(1, 10, kData);
    run.notify(1, 0, 0, 1, NotifyOp::atomic_add, 11);
    run.wait(0, 0, 1, WaitCmp::ge, 30);
    run.wait(0, 0, 1, WaitCmp::ge, 30);
    run.read(0, 31, kData);
    run.write(1, 12, kData);
    run.notify(1, 0, 0, 1, NotifyOp::atomic_add, 13);
    if (asks_for_both) run.wait(0, 0, 2, WaitCmp::ge, 32);
    const RaceFinding race = only_race(run);
    EXPECT_EQ(race.kind, asks_for_both ? RaceKind::write_after_read : RaceKind::read_before_write);
    EXPECT_EQ(race.idle.has_value(), !asks_for_both);
  }
}

TEST(RaceWaits, AValueThatTheCellHadFromTheStart) {
  RunOfEvents run(2);
  run.set_cell(0, 0, 5);
  run.write(1, 10, kData);
  run.wait(0, 0, 1, WaitCmp::ge, 30);
  run.read(0, 31, kData);
  run.notify(1, 0, 0, 1, NotifyOp::atomic_add, 11);
  const RaceFinding race = only_race(run);
  ASSERT_TRUE(race.wait);
  EXPECT_EQ(race.wait->bond, Bond::meant);
  EXPECT_TRUE(race.wait->credits.empty());
  EXPECT_EQ(race.wait->initial, 5);
}

}  // namespace
}  // namespace a2a3::isa::race_waits_test
