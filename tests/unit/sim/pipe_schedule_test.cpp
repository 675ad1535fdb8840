// SPDX-License-Identifier: Apache-2.0
#include "sim/core/pipe_schedule.hpp"

#include <gtest/gtest.h>

#include "unit/sim/fixture.hpp"

namespace a2a3::sim::pipe_schedule_test {
namespace {

using test::adds;
using test::load;
using test::store;

constexpr Picoseconds kFlag = 7;
constexpr models::InstructionTime kTime{.startup_ps = 100, .transfer_ps = 50, .issue_ps = 60};

class PipeScheduleTest : public testing::Test {
 protected:
  PipeSchedule::Handle issue_and_start(Pipe pipe, const isa::Operation& operation,
                                       Picoseconds issued) {
    pipes_.issue(pipe, operation, kTime, {}, issued);
    const auto handle = pipes_.start_next();
    EXPECT_TRUE(handle.has_value());
    return handle.value_or(0);
  }
  void issue(Pipe pipe, const isa::Operation& operation, Picoseconds issued) {
    pipes_.issue(pipe, operation, kTime, {}, issued);
  }
  void complete(PipeSchedule::Handle handle, Picoseconds end) {
    pipes_.executed(handle, end);
    EXPECT_NE(pipes_.complete_next(), nullptr);
  }

  PipeSchedule pipes_{2, kFlag};
};

TEST_F(PipeScheduleTest, OperationsOfOnePipeFollowAtTheIssueInterval) {
  const auto first = issue_and_start(Pipe::mte2, load(0, 0, 0, 8), 1000);
  const auto second = issue_and_start(Pipe::mte2, load(0, 64, 64, 8), 1000);
  EXPECT_EQ(pipes_.at(first).begin, 1000u);
  EXPECT_EQ(pipes_.at(second).begin, 1000u + kTime.issue_ps);
}

TEST_F(PipeScheduleTest, IndependentPipesOverlap) {
  const auto first = issue_and_start(Pipe::mte2, load(0, 0, 0, 8), 1000);
  const auto second = issue_and_start(Pipe::vector, adds(64, 1, 8), 1000);
  EXPECT_EQ(pipes_.at(first).begin, pipes_.at(second).begin);
}

TEST_F(PipeScheduleTest, ReadAfterWriteStartsAFlagAfterTheEndOfTheWrite) {
  const auto first = issue_and_start(Pipe::mte2, load(0, 0, 0, 8), 0);
  issue(Pipe::vector, adds(0, 1, 8), 0);
  EXPECT_FALSE(pipes_.start_next()) << "the load's end is not known";
  pipes_.executed(first, 777);
  EXPECT_FALSE(pipes_.start_next()) << "not before it is complete";
  ASSERT_NE(pipes_.complete_next(), nullptr);
  const auto second = pipes_.start_next();
  ASSERT_TRUE(second);
  EXPECT_EQ(pipes_.at(*second).begin, 777u + kFlag);
}

TEST_F(PipeScheduleTest, WriteAfterReadAndWriteAfterWriteWait) {
  const auto read = issue_and_start(Pipe::mte3, store(0, 0, 0, 8), 0);
  issue(Pipe::vector, test::fill(28, 1, 1), 0);  // the last element of the tile being stored
  EXPECT_FALSE(pipes_.start_next());
  complete(read, 500);
  const auto fill = pipes_.start_next();
  ASSERT_TRUE(fill);
  EXPECT_EQ(pipes_.at(*fill).begin, 500u + kFlag);
  complete(*fill, 600);
  const auto second = issue_and_start(Pipe::mte2, load(0, 0, 0, 8), 0);
  EXPECT_EQ(pipes_.at(second).begin, 600u + kFlag);
}

TEST_F(PipeScheduleTest, WithinAPipeNoFlagIsNeeded) {
  const auto first = issue_and_start(Pipe::vector, adds(0, 1, 8), 0);
  complete(first, 500);
  const auto second = issue_and_start(Pipe::vector, adds(0, 2, 8), 0);
  EXPECT_EQ(pipes_.at(second).begin, 500u);
}

TEST_F(PipeScheduleTest, AFlagIsRememberedBeyondTheEndOfItsOperation) {
  // Issued when the write is over but its flag is not seen yet, and just when it is.
  for (const Picoseconds late : {kFlag - 1, kFlag, kFlag + 1}) {
    PipeSchedule pipes(2, kFlag);
    pipes.issue(Pipe::mte2, load(0, 0, 0, 8), kTime, {}, 0);
    pipes.executed(*pipes.start_next(), 300);
    ASSERT_NE(pipes.complete_next(), nullptr);
    pipes.issue(Pipe::vector, adds(0, 1, 8), kTime, {}, 300 + late);
    EXPECT_EQ(pipes.at(*pipes.start_next()).begin, 300 + std::max(late, kFlag)) << late;
  }
}

TEST_F(PipeScheduleTest, NeighbouringRangesDoNotConflict) {
  static_cast<void>(issue_and_start(Pipe::mte2, load(0, 0, 0, 8), 0));
  const auto next = issue_and_start(Pipe::vector, adds(32, 1, 8), 0);
  EXPECT_EQ(pipes_.at(next).begin, 0u);
}

TEST_F(PipeScheduleTest, GlobalMemoryOrdersTooAndPerDevice) {
  const auto first = issue_and_start(Pipe::mte3, store(0, 1, 0, 8), 0);
  const auto other_device = issue_and_start(Pipe::mte2, load(0, 0, 64, 8), 0);
  EXPECT_EQ(pipes_.at(other_device).begin, 0u);
  issue(Pipe::mte2, load(1, 28, 128, 1), 0);
  EXPECT_FALSE(pipes_.start_next());
  complete(first, 900);
  const auto same_bytes = pipes_.start_next();
  ASSERT_TRUE(same_bytes);
  EXPECT_EQ(pipes_.at(*same_bytes).begin, 900u + kFlag);
}

TEST_F(PipeScheduleTest, APipeCompletesInOrder) {
  const auto first = issue_and_start(Pipe::mte2, load(1, 0, 0, 8), 0);
  const auto second = issue_and_start(Pipe::mte2, load(0, 0, 64, 8), 0);
  pipes_.executed(second, 300);
  EXPECT_EQ(pipes_.complete_next(), nullptr) << "the first one is under way";
  pipes_.executed(first, 1000);
  EXPECT_EQ(pipes_.complete_next()->end, 1000u);
  EXPECT_EQ(pipes_.complete_next()->end, 1000u) << "not before the first one";
}

TEST_F(PipeScheduleTest, TheQueueHoldsItsDepth) {
  const auto blocked_by = issue_and_start(Pipe::mte2, load(0, 0, 0, 8), 0);
  EXPECT_EQ(pipes_.room(Pipe::vector), 0u);
  issue(Pipe::vector, adds(0, 1, 8), 0);
  EXPECT_EQ(pipes_.room(Pipe::vector), 0u);
  issue(Pipe::vector, adds(0, 2, 8), 0);
  EXPECT_EQ(pipes_.room(Pipe::vector), std::nullopt) << "two wait";
  complete(blocked_by, 400);
  const auto first = pipes_.start_next();
  ASSERT_TRUE(first);
  EXPECT_EQ(pipes_.room(Pipe::vector), 400u + kFlag) << "when the first of them started";
}

TEST_F(PipeScheduleTest, DrainedWhenAllIsComplete) {
  EXPECT_EQ(pipes_.drained(true), 0u);
  const auto first = issue_and_start(Pipe::mte2, load(0, 0, 0, 8), 0);
  const auto second = issue_and_start(Pipe::mte3, store(64, 0, 256, 8), 0);
  complete(second, 250);
  EXPECT_EQ(pipes_.drained(false), std::nullopt);
  complete(first, 450);
  EXPECT_EQ(pipes_.drained(false), 450u);
}

TEST_F(PipeScheduleTest, SignalsLeaveOneAfterTheOther) {
  const auto first = issue_and_start(Pipe::scalar, test::notify(1, 0), 100);
  issue(Pipe::scalar, test::notify(2, 0), 200);
  EXPECT_FALSE(pipes_.start_next()) << "the first is not acknowledged";
  EXPECT_EQ(pipes_.drained(false), 0u) << "barriers do not wait for signals";
  EXPECT_EQ(pipes_.drained(true), std::nullopt);
  complete(first, 350);
  const auto second = pipes_.start_next();
  ASSERT_TRUE(second);
  EXPECT_EQ(pipes_.at(*second).begin, 350u);
}

TEST_F(PipeScheduleTest, ClearOfConflictsOnly) {
  const auto first = issue_and_start(Pipe::mte2, load(0, 0, 0, 8), 0);
  const auto tile_read =
      isa::operand_ranges(isa::TStore{test::tile(0, 1, 1), test::box(0, 512, 1, 1)});
  const auto other =
      isa::operand_ranges(isa::TStore{test::tile(64, 1, 1), test::box(0, 512, 1, 1)});
  EXPECT_EQ(pipes_.clear_of(other), 0u);
  EXPECT_EQ(pipes_.clear_of(tile_read), std::nullopt);
  complete(first, 123);
  EXPECT_EQ(pipes_.clear_of(tile_read), 123u);
}

TEST_F(PipeScheduleTest, LongRunsReuseTheirSlots) {
  for (Picoseconds t = 0; t < 1000; ++t)
    complete(issue_and_start(Pipe::vector, adds(0, 1, 8), t * 1000), t * 1000 + 100);
  EXPECT_EQ(pipes_.drained(true), 999u * 1000 + 100);
}

}  // namespace
}  // namespace a2a3::sim::pipe_schedule_test
