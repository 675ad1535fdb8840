// SPDX-License-Identifier: Apache-2.0
// Which waits can hang: the cases one by one, and drawn programs of which every order is tried.
#include "isa/order/cell_waits.hpp"

#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/order/happens_before.hpp"
#include "run_of_events.hpp"
#include "sync_program.hpp"

namespace a2a3::isa::cell_waits_test {
namespace {

constexpr auto kSet = NotifyOp::set;
constexpr auto kAdd = NotifyOp::atomic_add;
constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();

/// "0:901 1:20 left 0": device and line of the wait and of the signal, of each wait that can hang.
std::string missed(const RunOfEvents& run) {
  std::string text;
  for (const SignalFinding& one : run.check().signal_findings(false)) {
    if (one.fault != SignalFault::missed_value) continue;
    text += fmt::format("{}{}:{} {}:{} left {}", text.empty() ? "" : ", ", one.subject.device,
                        one.subject.source, one.other.device, one.other.source, one.cell_value);
  }
  return text;
}

TEST(CellWaits, EveryWaitOfAThreadCounts) {
  RunOfEvents run(2);
  run.notify(1, 0, 0, 1, kAdd, 20);
  run.wait(0, 0, 1, WaitCmp::eq, 30);
  run.wait(0, 0, 1, WaitCmp::ge, 31);
  run.notify(1, 0, 0, 1, kAdd, 21);
  EXPECT_EQ(missed(run), "0:30 1:21 left 2");
}

TEST(CellWaits, WhatComesBehindTheWaitDoesNotMakeUpForASignal) {
  RunOfEvents run(3);
  run.notify(1, 0, 0, 1, kAdd, 20);
  run.wait(0, 0);
  run.notify(0, 1, 0);
  run.wait(1, 0);
  run.notify(1, 0, 0, 1, kAdd, 21);
  run.notify(2, 0, 0, -1, kAdd, 22);
  EXPECT_EQ(missed(run), "0:901 2:22 left 0") << "though the cell is 1 in this run";
}

TEST(CellWaits, CreditsOfASemaphoreAreEnoughForAll) {
  for (const std::int32_t credits : {5, 4}) {
    RunOfEvents run(3);
    run.notify(1, 0, 0, credits, kAdd, 20);
    run.wait(0, 0, 3);
    run.notify(0, 0, 0, -3, kAdd, 30);
    run.notify(2, 0, 0, -2, kAdd, 22);
    EXPECT_EQ(missed(run), credits == 5 ? "" : "0:901 2:22 left 2");
  }
}

TEST(CellWaits, ASumWrapsAround) {
  RunOfEvents run(2);
  run.notify(1, 0, 0, kMost, kAdd, 20);
  run.wait(0, 0, kMost);
  run.notify(1, 0, 0, 1, kAdd, 21);
  EXPECT_EQ(missed(run),
            fmt::format("0:901 1:21 left {}", std::numeric_limits<std::int32_t>::min()));
}

TEST(CellWaits, AnySetThatNoOtherComesAfterMayBeTheLast) {
  for (const bool own_first : {true, false}) {
    RunOfEvents run(2);
    if (own_first) run.notify(0, 0, 0, 0, kSet, 30);
    run.notify(1, 0, 0, 1, kSet, 20);
    run.wait(0, 0);
    if (!own_first) run.notify(1, 0, 0, 0, kSet, 21);
    EXPECT_EQ(missed(run), own_first ? "0:901 0:30 left 0" : "0:901 1:21 left 0");
  }
}

TEST(CellWaits, SetsInOrderLeaveTheLastAndTheAddsBehindIt) {
  RunOfEvents run(2);
  run.notify(1, 0, 0, 3, kSet, 20);
  run.notify(1, 0, 0, 1, kSet, 21);
  run.notify(1, 0, 0, 1, kAdd, 22);
  run.wait(0, 0, 2);
  EXPECT_EQ(missed(run), "");
  run.notify(1, 0, 0, -1, kAdd, 23);
  EXPECT_EQ(missed(run), "0:901 1:21 left 1");
}

TEST(CellWaits, AResetThatTheNextSetComesAfterTakesNothingAway) {
  for (const bool reset_first : {true, false}) {
    RunOfEvents run(2);
    for (int round = 0; round < 3; ++round) {
      run.notify(1, 0, 0, 1, kSet, 20);
      run.wait(0, 0);
      if (reset_first) run.notify(0, 0, 0, 0, kSet, 30);
      run.notify(0, 1, 0, 1, kAdd, 31);
      if (!reset_first) run.notify(0, 0, 0, 0, kSet, 30);
      run.wait(1, 0, round + 1);
    }
    EXPECT_EQ(missed(run), reset_first ? "" : "0:901 0:30 left 0");
  }
}

TEST(CellWaits, CountTheSetsThatTheyKeepForWaits) {
  const VectorClock nothing(6);
  CellWaits waits;
  for (Thread thread = 1; thread < 6; ++thread)
    waits.land({{thread, 1, 10}, thread, kSet, 1}, nothing);
  waits.end({{0, 1, 30}, 0, {1, false, false}}, 1);
  EXPECT_EQ(waits.records(), 1U + (1 + 5));
  waits.end({{0, 3, 31}, 0, {1, false, false}}, 1);
  EXPECT_EQ(waits.records(), 2U + (1 + 5)) << "the same Sets";
  VectorClock first_wait = nothing;
  first_wait.add(0, 1);
  waits.land({{5, 2, 11}, 5, kSet, 2}, first_wait);
  EXPECT_EQ(waits.records(), 2U + 2 * (1 + 5)) << "others for the second wait";
  VectorClock all_sets = nothing;
  for (Thread thread = 1; thread < 6; ++thread)
    all_sets.add(thread, 2);
  waits.land({{1, 5, 12}, 1, kSet, 3}, all_sets);
  EXPECT_EQ(waits.records(), 2U + (1 + 1)) << "the same one for both";
}

TEST(CellWaits, ConditionsOfTasksCountToo) {
  for (const bool behind : {false, true}) {
    TaskOrder order;
    order.tasks = {{0, 0}, {1, 1}, {0, 2}};
    order.after = {{}, {}, {0}};
    order.device_of_thread = {0, 1};
    HappensBefore check(order, 1000);
    check.on_begin({0, 0, 0, 0});
    check.on_begin({1, 1, 0, 0});
    check.on_notify({1, 1, 0, 20}, {{0, 64}, 1, kAdd}, {0, 1});
    check.on_meet({0, 0, 0, 30}, {{0, 64}, 1}, 1);
    check.on_complete(0);
    check.on_begin({2, 0, 0, 0});
    check.on_notify({behind ? 2U : 1U, behind ? 0U : 1U, 1, 21}, {{0, 64}, -1, kAdd}, {1, 0});
    const auto found = check.signal_findings(false);
    ASSERT_EQ(found.size(), behind ? 0U : 1U);
    if (behind) continue;
    EXPECT_EQ(found[0].subject.source, 30U);
    EXPECT_EQ(found[0].other.source, 21U);
  }
}

/// All cells lie on device 0; sources are indices.
HappensBefore told(const SyncProgram& program, const SyncTrace& trace, const SolvedOrder* solved) {
  HappensBefore check(program.order(), 1'000'000, solved);
  std::map<std::uint32_t, std::int32_t> values;
  const auto at = [](std::uint32_t cell) { return GlobalAddress{0, 64 + 4 * cell}; };
  const auto event = [](Thread thread, std::uint32_t index) {
    return RunEvent{thread, thread, index - 1, index};
  };
  for (const SyncTrace::Event& one : trace.events()) {
    if (const auto* begin = std::get_if<SyncTrace::Begin>(&one)) {
      check.on_begin({begin->task, begin->task, 0, 0});
    } else if (const auto* complete = std::get_if<SyncTrace::Complete>(&one)) {
      check.on_complete(complete->task);
    } else if (const auto* signal = std::get_if<SyncTrace::Signal>(&one)) {
      check.on_notify(event(signal->thread, signal->index),
                      {at(signal->cell), signal->value, signal->op},
                      {signal->before, signal->after()});
      values[signal->cell] = signal->after();
    } else if (const auto* wait = std::get_if<SyncTrace::Wait>(&one)) {
      check.on_wait(event(wait->thread, wait->index),
                    {at(wait->cell), wait->condition.expected,
                     wait->condition.exactly ? WaitCmp::eq : WaitCmp::ge},
                    values[wait->cell]);
    }
  }
  return check;
}

struct Verdict {
  bool missed = false;
  bool lost = false;
};
Verdict verdict(const SyncProgram& program, const SyncTrace& trace) {
  HappensBefore check = told(program, trace, nullptr);
  std::optional<SolvedOrder> solved;
  if (check.needs_solving()) {
    solved = check.solve();
    check = told(program, trace, &*solved);
  }
  Verdict verdict;
  const SignalVerdict found = check.judge_signals();
  EXPECT_TRUE(found.hang_is_decided);
  for (const SignalFinding& one : found.findings) {
    verdict.missed = verdict.missed || one.fault == SignalFault::missed_value ||
                     one.fault == SignalFault::joint_hang;
    verdict.lost = verdict.lost || one.fault == SignalFault::lost_credit;
  }
  return verdict;
}

struct Count {
  int hanging = 0;
  int right = 0;
  int not_found = 0;  ///< programs that can hang, with no finding
  int false_alarms = 0;
  int changing = 0;  ///< programs with other verdicts in other orders
};

/// Drawn programs, in orders that come to an end.
Count compare(const SyncMix& mix, int programs) {
  constexpr int kOrders = 4;
  std::mt19937_64 random(20261130);
  Count count;
  while (count.hanging + count.right < programs) {
    const SyncProgram program = draw_program(mix, 3, 5, random);
    if (program.waits().empty()) continue;
    std::optional<Verdict> first;
    bool changes = false;
    for (int order = 0; order < kOrders; ++order) {
      const std::optional<SyncTrace> trace = program.run(random);
      if (!trace) continue;
      const Verdict now = verdict(program, *trace);
      if (!first) first = now;
      changes = changes || now.missed != first->missed || now.lost != first->lost;
    }
    if (!first) continue;
    const bool can_hang = program.can_hang();
    ++(can_hang ? count.hanging : count.right);
    count.not_found += can_hang && !first->missed && !first->lost ? 1 : 0;
    count.false_alarms += !can_hang && first->missed ? 1 : 0;
    count.changing += changes ? 1 : 0;
  }
  return count;
}

// With other orders tried where the rule alone does not tell (search_hang), nothing is left to
// doubt.
TEST(CellWaits, FindsTheProgramsThatCanHang) {
  struct Case {
    const char* name;
    SyncMix mix;
  };
  for (const Case& one :
       {Case{"adds", {.most_added = 2}}, Case{"exact", {.exact_in_ten = 10}},
        Case{"taken back", {.takes_back = true}}, Case{"sets", {.sets_in_ten = 10}},
        Case{"sets and adds", {.sets_in_ten = 4}}, Case{"all", {2, 3, 3, true}}}) {
    SCOPED_TRACE(one.name);
    const Count count = compare(one.mix, 2000);
    EXPECT_GT(count.right, 200);
    EXPECT_EQ(count.not_found, 0) << "of " << count.hanging;
    EXPECT_EQ(count.false_alarms, 0) << "of " << count.right;
    EXPECT_EQ(count.changing, 0);
  }
}

}  // namespace
}  // namespace a2a3::isa::cell_waits_test
