// SPDX-License-Identifier: Apache-2.0
#include "isa/hints/signal_record.hpp"

#include <gtest/gtest.h>

namespace a2a3::isa::signal_record_test {
namespace {

using State = WaitRecord::State;

/// Task r runs on device r; all signals go to one cell of device 0. Lines: notifies 10 + sender,
/// waits 20.
class Signals : public testing::Test {
 protected:
  explicit Signals(std::uint64_t max_records = 1000, std::uint64_t max_signals = 1000)
      : record_(order(), max_records, max_signals) {}

  static const TaskOrder& order() {
    static const TaskOrder order{{{0, 0}, {1, 1}, {2, 2}, {3, 3}}, {{}, {}, {}, {}}, {0, 1, 2, 0}};
    return order;
  }
  void notify(std::uint32_t sender, std::int32_t value, NotifyOp op = NotifyOp::atomic_add) {
    const std::int32_t before = value_;
    value_ = op == NotifyOp::set ? value : value_ + value;
    record_.on_notify({sender, sender, 0, 10 + sender}, {kCell, value, op}, {before, value_});
  }
  const WaitRecord& wait(std::int32_t expected, std::uint32_t task = 0) {
    record_.on_wait({task, 0, 0, 20}, {kCell, expected, WaitCmp::ge}, value_);
    return record_.waits().back();
  }
  static std::vector<std::uint32_t> senders(const WaitRecord& wait) {
    std::vector<std::uint32_t> all;
    for (const CountedSignal& signal : wait.signals)
      all.push_back(signal.device);
    return all;
  }
  [[nodiscard]] std::vector<std::int32_t> uncounted() const {
    std::vector<std::int32_t> values;
    for (const UncountedSignal& one : record_.uncounted())
      values.push_back(one.value);
    return values;
  }

  static constexpr GlobalAddress kCell{0, 64};
  SignalRecord record_;
  std::int32_t value_ = 0;
};

TEST_F(Signals, AWaitCountsTheFewestInTheOrderInWhichTheyLanded) {
  notify(2, 1);
  notify(1, 1);
  notify(2, 1);
  const WaitRecord& one = wait(2);
  EXPECT_EQ(one.state, State::fresh);
  EXPECT_EQ(senders(one), (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(one.signals[0].source, 12U);
  EXPECT_EQ(one.signals[0].generation, 1U);
  EXPECT_EQ(one.value, 3);
  EXPECT_EQ(uncounted(), std::vector<std::int32_t>{1});
}

/// Scenario 1 of edge_cases.md: the cell holds 0, 1, 3, 6 against 1, 2, 3, 4.
TEST_F(Signals, TheThirdTilePassesOnCreditOfTheSecond) {
  notify(1, 1);
  EXPECT_EQ(wait(1).state, State::fresh);
  notify(1, 2);
  const WaitRecord second = wait(2);
  EXPECT_EQ(second.state, State::fresh);
  EXPECT_EQ(second.counted_before, 1U);
  const WaitRecord third = wait(3);
  EXPECT_EQ(third.state, State::stale);
  ASSERT_EQ(third.signals.size(), 1U);
  EXPECT_EQ(third.signals[0].generation, 2U);
  EXPECT_TRUE(third.signals[0].counted_before);
  EXPECT_EQ(third.counted_before, 1U);
  notify(1, 3);
  const WaitRecord fourth = wait(4);
  EXPECT_EQ(fourth.state, State::earlier_round);
  EXPECT_EQ(fourth.generation, 4U);
  EXPECT_EQ(fourth.signals[0].generation, 3U);
}

TEST_F(Signals, CreditThatIsTakenOutIsNotCountedAgain) {
  for (std::uint32_t round = 1; round <= 3; ++round) {
    notify(1, 1);
    const WaitRecord& one = wait(1);
    EXPECT_EQ(one.state, State::fresh);
    EXPECT_EQ(one.generation, round);
    EXPECT_EQ(one.signals.at(0).generation, round);
    EXPECT_EQ(one.counted_before, 0U);
    notify(0, -1);
  }
  EXPECT_TRUE(uncounted().empty());
}

TEST_F(Signals, TheNextRoundMayLandBeforeTheFirstIsTakenOut) {
  notify(1, 1);
  notify(1, 1);
  EXPECT_EQ(wait(1).signals.at(0).generation, 1U);
  notify(0, -1);
  EXPECT_EQ(wait(1).signals.at(0).generation, 2U);
}

TEST_F(Signals, TakenOutBeforeItCameIsNoCredit) {
  notify(0, -1);
  notify(1, 1);
  notify(1, 1);
  EXPECT_EQ(wait(1).signals.at(0).generation, 2U);
}

TEST_F(Signals, TheRestOfACreditIsNew) {
  notify(1, 2);
  EXPECT_EQ(wait(1).state, State::fresh);
  notify(0, -1);
  const WaitRecord second = wait(1);
  EXPECT_NE(second.state, State::stale);
  EXPECT_FALSE(second.signals.at(0).counted_before);
}

TEST_F(Signals, ASetBeginsAnew) {
  notify(1, 5);
  notify(2, 1, NotifyOp::set);
  const WaitRecord& one = wait(1);
  EXPECT_EQ(senders(one), std::vector<std::uint32_t>{2});
  EXPECT_EQ(one.signals[0].op, NotifyOp::set);
  EXPECT_EQ(uncounted(), std::vector<std::int32_t>{5});
}

TEST_F(Signals, WhatANegativeAddTakesOutCameToSomething) {
  notify(1, 3);
  notify(1, 5);
  notify(0, -2);
  EXPECT_EQ(uncounted(), std::vector<std::int32_t>{5});
  notify(0, -2);
  EXPECT_TRUE(uncounted().empty());
}

TEST_F(Signals, AnAddOfNothingUsesNoCredit) {
  notify(1, 1);
  notify(1, 0);
  EXPECT_EQ(uncounted(), std::vector<std::int32_t>{1});
}

TEST_F(Signals, AreCountedBySource) {
  notify(1, 1);
  notify(2, 1);
  notify(1, -1);
  EXPECT_EQ(record_.sent(), (std::map<SourceId, std::uint64_t>{{11, 2}, {12, 1}}));
}

TEST_F(Signals, WhatASetThrewAwayIsNotTakenOut) {
  notify(1, 5);
  notify(2, 1, NotifyOp::set);
  notify(0, -1);
  EXPECT_EQ(uncounted(), std::vector<std::int32_t>{5});
}

TEST_F(Signals, OfACellThatAWaitAsksForAnExactValueNothingIsKnown) {
  notify(1, 1);
  EXPECT_EQ(uncounted().size(), 1U);
  record_.on_wait({0, 0, 0, 20}, {kCell, 0, WaitCmp::eq}, 0);
  notify(1, 1);
  EXPECT_TRUE(uncounted().empty());
}

TEST_F(Signals, WaitersOfOneCellCountForThemselves) {
  notify(1, 1);
  EXPECT_EQ(wait(1, 0).state, State::fresh);
  EXPECT_EQ(wait(1, 3).state, State::fresh);
  EXPECT_EQ(wait(1, 3).state, State::stale);
}

TEST_F(Signals, AWaitForNothingCountsNothing) {
  EXPECT_EQ(wait(0).state, State::at_once);
  EXPECT_EQ(wait(-3).state, State::at_once);
  EXPECT_TRUE(record_.waits().back().signals.empty());
}

TEST_F(Signals, ContentsThatNoSignalMadeAreFound) {
  value_ = 4;
  const WaitRecord& one = wait(3);
  ASSERT_EQ(one.signals.size(), 1U);
  EXPECT_TRUE(one.signals[0].is_found);
  EXPECT_EQ(one.signals[0].value, 4);
  EXPECT_TRUE(uncounted().empty());
}

TEST_F(Signals, AConditionIsUnsigned) {
  value_ = -2;
  record_.on_meet({0, 0, 0, 20}, {kCell, 7}, value_);
  EXPECT_TRUE(record_.waits().back().deferred);
  EXPECT_TRUE(record_.waits().back().signals.empty());
}

TEST_F(Signals, WhatIsReadIsOfUse) {
  notify(1, 1);
  EXPECT_EQ(uncounted().size(), 1U);
  record_.on_access({0, 0, 0, 30}, AccessKind::read, kCell, 4);
  EXPECT_TRUE(uncounted().empty());
}

class FewSignals : public Signals {
 protected:
  FewSignals() : Signals(4) {}
};

TEST_F(FewSignals, WhatIsBeyondTheBoundIsCounted) {
  for (int i = 0; i < 5; ++i) {
    notify(1, 1);
    record_.on_wait({0, 0, 0, 20}, {kCell, i + 1, WaitCmp::ge}, value_);
  }
  EXPECT_EQ(record_.waits().size(), 2U);
  EXPECT_EQ(record_.left_out(), 3U);
}

/// A latch that counts up: its owner goes below 0, and who comes brings it back.
TEST_F(Signals, CreditsThatBringACellBackAboveZeroAreNeeded) {
  notify(0, -2);
  for (int i = 0; i < 3; ++i)
    notify(1, 1);
  EXPECT_EQ(uncounted().size(), 1U) << "it is 1, and nobody asks for that";
  wait(1);
  EXPECT_TRUE(uncounted().empty());
  notify(1, 1);
  EXPECT_EQ(uncounted().size(), 1U);
}

/// On a timing where the Set comes before the wait, the credit behind the Set is what ends it.
TEST_F(Signals, OfTheAddsBehindASetNoneIsKnownToBeOneTooMany) {
  notify(1, 2);
  wait(2);
  notify(1, 1, NotifyOp::set);
  EXPECT_EQ(uncounted().size(), 1U);
  notify(1, 1);
  EXPECT_EQ(uncounted().size(), 1U);
}

class FewCredits : public Signals {
 protected:
  FewCredits() : Signals(1000, 3) {}
};

TEST_F(FewCredits, WhatIsFoundInCellsCountsToo) {
  for (std::int32_t found = 1; found <= 4; ++found) {
    EXPECT_TRUE(record_.is_complete());
    value_ = found;
    record_.on_wait({0, 0, 0, 20}, {kCell, 1, WaitCmp::ge}, value_);
  }
  EXPECT_FALSE(record_.is_complete());
  EXPECT_TRUE(record_.sent().empty());
}

TEST_F(FewCredits, NothingIsFollowedWhenTheSignalsAreTooMany) {
  notify(1, 1);
  notify(1, 1);
  wait(1);
  notify(1, 1);
  EXPECT_TRUE(record_.is_complete());
  EXPECT_EQ(uncounted().size(), 2U);
  notify(2, 1);
  record_.on_wait({0, 0, 0, 20}, {kCell, 4, WaitCmp::ge}, value_);
  EXPECT_FALSE(record_.is_complete());
  EXPECT_TRUE(uncounted().empty());  // a wait that nobody followed may have counted them
  EXPECT_EQ(record_.waits().size(), 1U);
  EXPECT_EQ(record_.left_out(), 1U);
}

}  // namespace
}  // namespace a2a3::isa::signal_record_test
