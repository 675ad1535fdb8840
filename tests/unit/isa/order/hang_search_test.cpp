// SPDX-License-Identifier: Apache-2.0
#include "isa/order/hang_search.hpp"

#include <limits>
#include <optional>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/order/happens_before.hpp"
#include "run_of_events.hpp"
#include "sync_program.hpp"

namespace a2a3::isa::hang_search_test {
namespace {

constexpr auto kAdd = NotifyOp::atomic_add;

/// Two cores take a credit of each of two cells, which hold one, and give it back.
SyncProgram two_semaphores(bool in_one_order) {
  SyncProgram program(3, 2);
  for (const std::uint32_t cell : {0U, 1U})
    program.add(2, SyncProgram::Signal{cell, kAdd, 1});
  for (const Thread thread : {0U, 1U}) {
    const std::uint32_t first = in_one_order ? 0 : thread;
    for (const std::uint32_t cell : {first, 1 - first}) {
      program.add(thread, SyncProgram::Wait{cell, 1, false});
      program.add(thread, SyncProgram::Signal{cell, kAdd, -1});
    }
    for (const std::uint32_t cell : {first, 1 - first})
      program.add(thread, SyncProgram::Signal{cell, kAdd, 1});
  }
  return program;
}

SyncTrace finished_run(const SyncProgram& program) {
  std::mt19937_64 random(7);
  for (;;) {
    if (std::optional<SyncTrace> trace = program.run(random)) return std::move(*trace);
  }
}

TEST(HangSearch, SemaphoresTakenInOppositeOrdersHangTogether) {
  const SyncProgram program = two_semaphores(false);
  const HangSearch search = search_hang(finished_run(program), program.order(), 1'000'000);
  ASSERT_EQ(search.outcome, HangSearch::Outcome::found);
  ASSERT_EQ(search.stuck.size(), 2U);
  EXPECT_EQ(search.stuck[0].thread, 0U);
  EXPECT_EQ(search.stuck[1].thread, 1U);
  for (const HangSearch::Stuck& one : search.stuck)
    EXPECT_LE(one.value, 0);
}

TEST(HangSearch, AWaitAndATakeAreNotOneStep) {
  // Both may see the one credit: what one of them waits for next is 0 then, but comes back.
  const SyncProgram program = two_semaphores(true);
  EXPECT_FALSE(program.can_hang());
  EXPECT_EQ(search_hang(finished_run(program), program.order(), 1'000'000).outcome,
            HangSearch::Outcome::none);
}

TEST(HangSearch, WhatIsStuckBehindALaunchIsNamedByItsWaitOnly) {
  SyncProgram program(4, 1);
  program.add(0, SyncProgram::Signal{0, kAdd, 1});
  program.add(1, SyncProgram::Wait{0, 1, true});
  program.add(2, SyncProgram::Signal{0, kAdd, 1});
  program.add(3, SyncProgram::Signal{0, kAdd, 1});
  program.begin_after(3, 1);
  program.begin_after(2, 0);
  const HangSearch search = search_hang(finished_run(program), program.order(), 1'000'000);
  ASSERT_EQ(search.outcome, HangSearch::Outcome::found);
  ASSERT_EQ(search.stuck.size(), 1U);
  EXPECT_EQ(search.stuck[0].thread, 1U);
  EXPECT_EQ(search.stuck[0].value, 2);
}

TEST(HangSearch, ConditionsOfATaskStandBesideEachOther) {
  for (const std::int32_t taken : {0, -1}) {
    TaskOrder order;
    order.tasks = {{0, 0}, {1, 1}, {0, 2}};
    order.after = {{}, {}, {0}};
    order.device_of_thread = {0, 1};
    SyncTrace trace;
    trace.add(SyncTrace::Begin{0, 1});
    trace.add(SyncTrace::Begin{1, 1});
    trace.add(SyncTrace::Signal{1, 1, 0, kAdd, 1, 0});
    trace.add(SyncTrace::Meet{0, 1, 0, {1, false, true}, 30});
    trace.add(SyncTrace::Signal{1, 2, 1, kAdd, 1, 0});
    trace.add(SyncTrace::Meet{0, 1, 1, {1, false, true}, 31});
    trace.add(SyncTrace::Complete{0, 1});
    trace.add(SyncTrace::Signal{1, 3, 0, kAdd, taken, 1});
    trace.add(SyncTrace::Complete{1, 3});
    trace.add(SyncTrace::Begin{2, 5});
    trace.add(SyncTrace::Complete{2, 5});
    const HangSearch search = search_hang(trace, order, 1'000'000);
    ASSERT_EQ(search.outcome, taken == 0 ? HangSearch::Outcome::none : HangSearch::Outcome::found);
    if (taken == 0) continue;
    ASSERT_EQ(search.stuck.size(), 1U);
    EXPECT_EQ(search.stuck[0].source, 30U);
  }
}

TEST(HangSearch, ALimitLeavesItUndecidedAndAPlainWriteTriesNothing) {
  const SyncProgram program = two_semaphores(true);
  EXPECT_EQ(search_hang(finished_run(program), program.order(), 5).outcome,
            HangSearch::Outcome::undecided);
  SyncTrace trace;
  trace.add(SyncTrace::Begin{0, 1});
  trace.add(SyncTrace::Signal{0, 1, 0, kAdd, 1, 0});
  trace.add(SyncTrace::Signal{0, 2, 0, kAdd, 1, 5});
  trace.add(SyncTrace::Complete{0, 2});
  TaskOrder order;
  order.tasks = {{0, 0}};
  order.after = {{}};
  order.device_of_thread = {0};
  EXPECT_EQ(search_hang(trace, order, 1000).outcome, HangSearch::Outcome::overwritten);
}

// Both lowering adds wrap around to the largest value, which one credit more wraps to the smallest:
// a wait that looks after that never ends.
TEST(HangSearch, ASumThatWrapsDownwardsMayBeTakenAwayByACredit) {
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  SyncTrace trace;
  trace.add(SyncTrace::Begin{0, 1});
  trace.add(SyncTrace::Begin{1, 1});
  trace.add(SyncTrace::Signal{1, 1, 0, kAdd, kLeast, 0});
  trace.add(SyncTrace::Signal{1, 2, 0, kAdd, -1, kLeast});
  trace.add(SyncTrace::Wait{0, 2, 0, {1, false, false}, 30});
  trace.add(SyncTrace::Complete{0, 2});
  trace.add(SyncTrace::Signal{1, 3, 0, kAdd, 1, std::numeric_limits<std::int32_t>::max()});
  trace.add(SyncTrace::Complete{1, 3});
  TaskOrder order;
  order.tasks = {{0, 0}, {1, 1}};
  order.after = {{}, {}};
  order.device_of_thread = {0, 1};
  const HangSearch search = search_hang(trace, order, 1'000'000);
  ASSERT_EQ(search.outcome, HangSearch::Outcome::found);
  ASSERT_EQ(search.stuck.size(), 1U);
  EXPECT_EQ(search.stuck[0].value, kLeast);
}

// The wait has its value from a plain write, which only the wait shows.
TEST(HangSearch, AWaitThatNoSignalSatisfiesShowsAPlainWrite) {
  for (const bool early : {false, true}) {
    SyncTrace trace;
    trace.add(SyncTrace::Begin{0, 1});
    if (early) trace.add(SyncTrace::Wait{0, 1, 0, {5, false, false}, 30});
    trace.add(SyncTrace::Signal{0, 2, 0, kAdd, 1, 0, 11});
    if (!early) trace.add(SyncTrace::Wait{0, 4, 0, {5, false, false}, 30});
    trace.add(SyncTrace::Complete{0, 5});
    TaskOrder order;
    order.tasks = {{0, 0}};
    order.after = {{}};
    order.device_of_thread = {0};
    EXPECT_EQ(search_hang(trace, order, 1'000'000).outcome, HangSearch::Outcome::overwritten);
  }
}

TEST(HangSearch, ManyCoresWithCellsThatGrowAreFollowedOnce) {
  constexpr Thread kThreads = 64;
  SyncProgram program(kThreads, kThreads);
  for (int round = 1; round <= 4; ++round) {
    for (Thread thread = 0; thread < kThreads; ++thread) {
      for (std::uint32_t cell = 0; cell < kThreads; ++cell)
        program.add(thread, SyncProgram::Signal{cell, kAdd, 1});
      program.add(thread, SyncProgram::Wait{thread, round * static_cast<std::int32_t>(kThreads)});
    }
  }
  EXPECT_EQ(search_hang(finished_run(program), program.order(), 10'000'000).outcome,
            HangSearch::Outcome::none);
}

// The whole of it against all interleavings, of runs in a drawn order.
TEST(HangSearch, FindsWhatAllInterleavingsFind) {
  for (const SyncMix& mix : {SyncMix{2, 0, 0, false}, SyncMix{2, 0, 3, true},
                             SyncMix{3, 10, 2, false}, SyncMix{2, 3, 3, true}}) {
    std::mt19937_64 random(20261201);
    int hanging = 0;
    int right = 0;
    while (hanging + right < 2000) {
      const SyncProgram program = draw_program(mix, 4, 5, random);
      const std::optional<SyncTrace> trace = program.run(random);
      if (!trace) continue;
      const HangSearch search = search_hang(*trace, program.order(), 1'000'000);
      const bool can_hang = program.can_hang();
      ++(can_hang ? hanging : right);
      ASSERT_EQ(search.outcome, can_hang ? HangSearch::Outcome::found : HangSearch::Outcome::none)
          << program.text();
      ASSERT_EQ(search.stuck.empty(), !can_hang);
    }
    EXPECT_GT(right, 100);
    EXPECT_EQ(hanging > 0, mix.takes_back || mix.exact_in_ten > 0 || mix.sets_in_ten > 0);
  }
}

}  // namespace
}  // namespace a2a3::isa::hang_search_test
