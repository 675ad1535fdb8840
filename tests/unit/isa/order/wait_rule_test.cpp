// SPDX-License-Identifier: Apache-2.0
#include "isa/order/wait_rule.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include <gtest/gtest.h>

namespace a2a3::isa::wait_rule_test {
namespace {

constexpr std::size_t kThreads = 4;
constexpr std::uint32_t kLast = 100;  ///< of the waiting thread 0

/// A cell and the clocks of those who signal it.
class SignalledCell {
 public:
  /// Operation `index` of a thread that has waited for these operations, thread and index each.
  void signal(Thread sender, std::uint32_t index, NotifyOp op, std::int32_t value,
              std::initializer_list<std::pair<Thread, std::uint32_t>> behind = {}) {
    VectorClock& clock = stages_.emplace_back(kThreads);
    for (const auto& [thread, operation] : behind)
      clock.add(thread, operation);
    auto chain = std::ranges::find(cell_.chains, sender, &SignalChain::sender);
    if (chain == cell_.chains.end()) {
      cell_.chains.push_back({sender, {}, {}, {}});
      chain = std::prev(cell_.chains.end());
    }
    chain->signals.push_back(
        {index, static_cast<std::uint32_t>(stages_.size() - 1), landed_++, op, value});
    chain->enter_sums();
  }
  void add(Thread sender, std::uint32_t index, std::int32_t value = 1,
           std::initializer_list<std::pair<Thread, std::uint32_t>> behind = {}) {
    signal(sender, index, NotifyOp::atomic_add, value, behind);
  }
  void set(Thread sender, std::uint32_t index, std::int32_t value) {
    signal(sender, index, NotifyOp::set, value);
  }

  /// The components of threads 1 to 3 behind a wait of thread 0 that knows of these operations;
  /// empty when nothing can end it.
  [[nodiscard]] std::vector<std::uint32_t> behind(
      const SignalHistory::Condition& condition,
      std::initializer_list<std::pair<Thread, std::uint32_t>> known = {}) const {
    VectorClock before(kThreads);
    for (const auto& [thread, operation] : known)
      before.add(thread, operation);
    const auto clock = WaitRule(cell_, stages_, {0, kLast, kLast, condition}, before).clock();
    if (!clock) return {};
    return {(*clock)[1], (*clock)[2], (*clock)[3]};
  }

 private:
  CellSignals cell_;
  std::vector<VectorClock> stages_;
  std::uint32_t landed_ = 0;
};

using Clock = std::vector<std::uint32_t>;

TEST(WaitRule, OfSeveralAddsTheLeastOfEachThread) {
  SignalledCell cell;
  cell.add(1, 4);
  cell.add(2, 6);
  cell.add(3, 8);
  EXPECT_EQ(cell.behind({1}), (Clock{0, 0, 0}));
  EXPECT_EQ(cell.behind({2}), (Clock{0, 0, 0}));
  EXPECT_EQ(cell.behind({3}), (Clock{5, 7, 9}));
  EXPECT_EQ(cell.behind({4}), Clock{});
  EXPECT_EQ(cell.behind({2}, {{1, 4}}), (Clock{5, 0, 0}));
}

TEST(WaitRule, WhatAllThatWouldDoComeAfterIsNeeded) {
  SignalledCell cell;
  cell.add(1, 4, 1, {{3, 2}});
  cell.add(2, 6, 1, {{3, 5}});
  EXPECT_EQ(cell.behind({1}), (Clock{0, 0, 3}));
  EXPECT_EQ(cell.behind({2}), (Clock{5, 7, 6}));
}

TEST(WaitRule, SignalsThatComeAfterTheWaitDoNotEndIt) {
  SignalledCell cell;
  cell.add(1, 4);
  cell.add(2, 6, 1, {{0, kLast}});
  cell.add(3, 6, 1, {{0, kLast - 1}});
  EXPECT_EQ(cell.behind({1}), (Clock{0, 0, 0}));
  EXPECT_EQ(cell.behind({2}), (Clock{5, 0, 7}));
}

TEST(WaitRule, AKnownSetEndsWhatCameBeforeIt) {
  SignalledCell cell;
  cell.add(1, 4, 5);
  cell.set(1, 6, 0);
  cell.add(2, 6);
  cell.add(2, 7);
  EXPECT_EQ(cell.behind({2}), (Clock{0, 0, 0}));
  EXPECT_EQ(cell.behind({2}, {{1, 6}}), (Clock{7, 8, 0}));
}

TEST(WaitRule, AnExactValueOfOneSenderMustBeOneOfItsSums) {
  SignalledCell cell;
  cell.add(1, 4, 2);
  cell.add(1, 6, 2);
  cell.add(1, 8, -1);
  EXPECT_EQ(cell.behind({1, true}), Clock{});
  EXPECT_EQ(cell.behind({3, true}), (Clock{9, 0, 0}));
  cell.add(2, 3, 1);
  EXPECT_EQ(cell.behind({3, true}), (Clock{5, 0, 0}));
}

TEST(WaitRule, ConditionsOfTasksCompareUnsigned) {
  SignalledCell cell;
  cell.add(1, 4, -1);
  cell.add(2, 4, 1);
  EXPECT_EQ(cell.behind({2}), Clock{});
  EXPECT_EQ(cell.behind({2, false, true}), (Clock{5, 0, 0}));
}

}  // namespace
}  // namespace a2a3::isa::wait_rule_test
