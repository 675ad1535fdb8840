// SPDX-License-Identifier: Apache-2.0
#include "a2a3/wait_graph.hpp"

#include <deque>
#include <map>

#include <gtest/gtest.h>

namespace a2a3::wait_graph_test {
namespace {

using Kind = interp::RemainingSignal::Kind;
using Numbers = std::vector<std::uint32_t>;

isa::GlobalAddress cell(std::uint32_t device, std::uint64_t number) {
  return {device, 4 * number};
}

/// Cores of one device each, all cells 0 unless said.
class Stuck {
 public:
  /// A core of the next device waits for cell `number` to be at least `expected`.
  interp::RemainingWork& core(std::uint64_t number, std::int32_t expected = 1) {
    const auto device = static_cast<std::uint32_t>(works_.size());
    works_.emplace_back();
    stuck_.push_back({device, isa::TWait{cell(device, number), expected}, {&works_.back()}});
    return works_.back();
  }
  [[nodiscard]] WaitGraph graph() const {
    return wait_graph(stuck_,
                      {[&](isa::GlobalAddress at) {
                         return values.contains(at.offset_bytes) ? values.at(at.offset_bytes) : 0;
                       },
                       [](isa::GlobalAddress) { return 0; }});
  }
  [[nodiscard]] std::vector<StuckWork>& stuck() { return stuck_; }
  std::map<std::uint64_t, std::int32_t> values;  ///< by offset, on every device

 private:
  std::deque<interp::RemainingWork> works_;
  std::vector<StuckWork> stuck_;
};

interp::RemainingSignal add(std::uint32_t device, std::uint64_t number, std::int32_t value = 1) {
  return {cell(device, number), value, Kind::add, 10};
}
interp::RemainingSignal wait(std::uint32_t device, std::uint64_t number) {
  return {cell(device, number), 1, Kind::wait_ge, 20};
}

TEST(WaitGraph, ARingIsACycleInTheOrderOfItsWaits) {
  Stuck run;
  for (std::uint32_t rank = 0; rank < 5; ++rank)
    run.core(0).signals = {add((rank + 1) % 5, 0)};
  const WaitGraph graph = run.graph();
  ASSERT_EQ(graph.cycles.size(), 1);
  EXPECT_TRUE(graph.cycles[0].is_ring);
  EXPECT_EQ(graph.cycles[0].work, (Numbers{0, 4, 3, 2, 1}));
  EXPECT_EQ(graph.senders[0].size(), 1);
  EXPECT_TRUE(graph.senders[0][0].certain);
}

TEST(WaitGraph, ATailIsNoPartOfTheCycle) {
  Stuck run;
  run.core(0).signals = {add(1, 0)};
  run.core(0).signals = {add(0, 0), add(2, 0)};
  run.core(0).signals = {add(3, 0)};
  run.core(0).signals = {};
  const WaitGraph graph = run.graph();
  ASSERT_EQ(graph.cycles.size(), 1);
  EXPECT_EQ(graph.cycles[0].work, (Numbers{0, 1}));
  EXPECT_EQ(graph.cycle_of, (std::vector<std::int32_t>{0, 0, -1, -1}));
  EXPECT_EQ(graph.waits_for[3], (Numbers{2}));
}

// Each waits for all others before its first notify: only the first wait is the one that it is in.
TEST(WaitGraph, WaitsInFrontOfANeededNotifyCount) {
  constexpr std::uint32_t kRanks = 4;
  Stuck run;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    interp::RemainingWork& work = run.core(rank == 0 ? 1 : 0);
    for (std::uint32_t other = rank == 0 ? 2 : 1; other < kRanks; ++other)
      if (other != rank) work.signals.push_back(wait(rank, other));
    for (std::uint32_t other = 0; other < kRanks; ++other)
      if (other != rank) work.signals.push_back(add(other, rank));
  }
  const WaitGraph graph = run.graph();
  ASSERT_EQ(graph.cycles.size(), 1);
  EXPECT_EQ(graph.cycles[0].work, (Numbers{0, 1, 2, 3}));
  EXPECT_FALSE(graph.cycles[0].is_ring);
}

TEST(WaitGraph, WaitsBehindTheNeededNotifyOrThatHoldAlreadyDoNot) {
  Stuck run;
  run.values[4 * 7] = 1;
  run.core(0).signals = {wait(0, 7), add(1, 0), wait(0, 2)};
  run.core(0).signals = {add(0, 0)};
  run.core(0).signals = {add(0, 2), add(0, 7)};
  const WaitGraph graph = run.graph();
  EXPECT_EQ(graph.waits_for[0], (Numbers{1}));
  EXPECT_EQ(graph.cycles[0].work, (Numbers{0, 1}));
}

TEST(WaitGraph, AWaitThatOnlyItsOwnRankCanEndIsACycleOfOne) {
  Stuck run;
  run.core(0).signals = {add(0, 0)};
  const WaitGraph graph = run.graph();
  ASSERT_EQ(graph.cycles.size(), 1);
  EXPECT_EQ(graph.cycles[0].work, (Numbers{0}));
}

TEST(WaitGraph, WhatNobodyCanEndHasNoSenders) {
  Stuck run;
  run.core(0).signals = {add(1, 0)};
  run.core(0).signals = {add(2, 0)};
  const WaitGraph graph = run.graph();
  EXPECT_TRUE(graph.senders[0].empty());
  EXPECT_TRUE(graph.cycles.empty());
  EXPECT_EQ(graph.waits_for[1], (Numbers{0}));
}

TEST(WaitGraph, DataThatDecideMakeASenderUncertain) {
  Stuck run;
  run.core(0).possible = {{true, 30, 0}, {true, 31, 1}, {true, 32, -1}, {false, 33, 0}};
  run.core(0).signals = {add(0, 0)};
  const WaitGraph graph = run.graph();
  ASSERT_EQ(graph.senders[1].size(), 2);  // window 0, and the one that may be any
  EXPECT_EQ(graph.senders[1][0].source, 30U);
  EXPECT_FALSE(graph.senders[1][0].certain);
  EXPECT_EQ(graph.senders[1][1].source, 32U);
  EXPECT_EQ(graph.waits_for[0], (Numbers{0, 1})) << "it may signal itself, too";
  EXPECT_EQ(graph.cycles.size(), 1);
}

TEST(WaitGraph, WorkThatHasNotBegunWaitsForItsDevice) {
  interp::RemainingWork later;
  later.signals = {add(1, 0)};
  Stuck run;
  run.core(0).signals = {};
  run.core(0).signals = {add(0, 0)};
  run.stuck().push_back({0, std::nullopt, {&later}});
  const WaitGraph graph = run.graph();
  ASSERT_EQ(graph.cycles.size(), 1);
  EXPECT_EQ(graph.cycles[0].work, (Numbers{0, 1, 2}));
}

TEST(WaitGraph, ManyRanksTakeNoRecursion) {
  constexpr std::uint32_t kRanks = 20'000;
  Stuck run;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank)
    run.core(0).signals = {add((rank + 1) % kRanks, 0)};
  EXPECT_EQ(run.graph().cycles[0].work.size(), kRanks);
}

TEST(WaitGraph, HelpsWhatBringsTheCellNearer) {
  const isa::TWait least{{}, 3, isa::WaitCmp::ge};
  const isa::TWait exactly{{}, 3, isa::WaitCmp::eq};
  const auto notify = [](Kind kind, std::int32_t value) {
    return interp::RemainingSignal{{}, value, kind, 0};
  };
  EXPECT_TRUE(helps(notify(Kind::add, 1), least, 0));
  EXPECT_FALSE(helps(notify(Kind::add, -1), least, 0));
  EXPECT_TRUE(helps(notify(Kind::set, 2), least, 1));
  EXPECT_FALSE(helps(notify(Kind::set, 1), least, 1));
  EXPECT_FALSE(helps(notify(Kind::set, 4), exactly, 0));
  EXPECT_FALSE(helps(notify(Kind::add, 1), exactly, 4)) << "no remaining writer lowers it";
  EXPECT_TRUE(helps(notify(Kind::add, -1), exactly, 4));
  EXPECT_TRUE(helps(notify(Kind::set, 3), exactly, 4));
}

}  // namespace
}  // namespace a2a3::wait_graph_test
