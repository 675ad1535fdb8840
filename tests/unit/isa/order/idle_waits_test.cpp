// SPDX-License-Identifier: Apache-2.0
#include "isa/order/idle_waits.hpp"

#include <gtest/gtest.h>

namespace a2a3::isa::idle_waits_test {
namespace {

/// Thread 0 waits, thread 1 signals. Cells 0 and 1 have the same sender, cell 2 another one.
class Waits : public testing::Test {
 protected:
  void wait(std::uint32_t index, std::uint32_t cell, std::int32_t expected, bool learned) {
    idle_.wait({{0, index, 100 + index}, cell, {expected, false, false}, learned}, clock_,
               [](std::uint32_t a, std::uint32_t b) { return (a == 2) == (b == 2); });
  }
  void lower(std::uint32_t cell, Thread by, std::uint32_t index) {
    idle_.lower(cell, {by, index, 7});
  }
  /// The line of the idle wait before an access of thread 0; 0: none.
  [[nodiscard]] SourceId before(std::uint32_t index, std::uint32_t cell = 0) const {
    const auto found =
        idle_.before({0, index, 1}, [cell](std::uint32_t number) { return number == cell; });
    return found ? found->source : 0;
  }

  VectorClock clock_{3};
  IdleWaits idle_;
};

TEST_F(Waits, WhatTheCreditOfAnEarlierOneSatisfiesIsIdle) {
  wait(1, 0, 1, true);
  EXPECT_EQ(before(1), 0U);
  wait(3, 0, 1, false);
  EXPECT_EQ(before(2), 0U);
  EXPECT_EQ(before(3), 103U);
  EXPECT_EQ(before(9), 103U);
  EXPECT_EQ(before(9, 1), 0U);  // of another cell
}

TEST_F(Waits, OneThatLearnsNothingForAnotherReasonIsNot) {
  wait(1, 0, 1, false);  // the first one on the cell
  wait(3, 0, 2, false);  // for more than the one before
  wait(5, 0, 0, false);  // for nothing
  EXPECT_EQ(before(9), 0U);
}

TEST_F(Waits, OneThatLearnsFromTheSameSenderEndsIt) {
  wait(1, 0, 1, true);
  wait(3, 0, 1, false);
  wait(5, 2, 1, true);
  EXPECT_EQ(before(6), 103U);
  wait(7, 1, 1, true);
  EXPECT_EQ(before(6), 103U);
  EXPECT_EQ(before(7), 0U);
}

/// Behind a lowering that the thread knows of it asks for a new signal.
TEST_F(Waits, OneBehindAKnownLoweringIsNot) {
  wait(1, 0, 1, true);
  lower(0, 0, 2);
  wait(3, 0, 1, false);
  EXPECT_EQ(before(4), 0U);
  lower(0, 1, 5);  // thread 0 does not know of it
  wait(6, 0, 1, false);
  EXPECT_EQ(before(7), 106U);
}

}  // namespace
}  // namespace a2a3::isa::idle_waits_test
