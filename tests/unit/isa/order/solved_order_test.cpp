// SPDX-License-Identifier: Apache-2.0
#include "isa/order/solved_order.hpp"

#include <functional>

#include <gtest/gtest.h>

#include "run_of_events.hpp"
#include "sync_program.hpp"

namespace a2a3::isa::solved_order_test {
namespace {

constexpr std::uint64_t kEnough = 1'000'000;
using Signal = SyncProgram::Signal;
using Wait = SyncProgram::Wait;

/// How many orders there are, and how many the solver leaves out.
struct Count {
  int programs = 0;
  int orders = 0;
  int left_out = 0;
};

using Oracle = std::set<SyncProgram::WaitId> (SyncProgram::*)(Thread, std::uint32_t) const;

/// Compares the orders of drawn programs that come to an end with what trying gives: the solver
/// must claim none that is not.
Count compare(const SyncMix& mix, std::size_t most_threads, std::size_t most_operations,
              int programs, Oracle can_end) {
  std::mt19937_64 random(20261130);
  Count count;
  while (count.programs < programs) {
    const SyncProgram program = draw_program(mix, most_threads, most_operations, random);
    const std::optional<SyncTrace> trace = program.run(random);
    if (!trace || program.waits().empty()) continue;
    ++count.programs;
    const std::optional<SolvedOrder> solved = solve_order(*trace, program.order(), kEnough);
    if (!solved) {
      ADD_FAILURE() << program.text();
      return count;
    }
    for (Thread stopped = 0; stopped < program.threads().size(); ++stopped) {
      for (std::uint32_t index = 1; index < program.indices(stopped); ++index) {
        const auto ended = (program.*can_end)(stopped, index);
        for (const SyncProgram::WaitId& wait : program.waits()) {
          if (wait.first == stopped) continue;
          const bool claimed = solved->behind_wait(wait.first, wait.second)->covers(stopped, index);
          if (!ended.contains(wait)) {
            ++count.orders;
            count.left_out += claimed ? 0 : 1;
          } else if (claimed) {
            ADD_FAILURE() << program.text() << "wait " << wait.second << " of thread " << wait.first
                          << " does not need operation " << index << " of thread " << stopped;
            return count;
          }
        }
      }
    }
  }
  return count;
}

TEST(SolvedOrder, IsExactForAddsAndWaitsForAtLeast) {
  for (const std::int32_t most_added : {1, 2}) {
    const Count count =
        compare({.most_added = most_added}, 4, 5, 3000, &SyncProgram::can_end_greedily);
    EXPECT_GT(count.orders, 1000);
    EXPECT_EQ(count.left_out, 0);
  }
}

TEST(SolvedOrder, TryingAllRunsGivesTheSameAsTheGreedyOne) {
  std::mt19937_64 random(7);
  for (int n = 0; n < 300; ++n) {
    const SyncProgram program = draw_program({.most_added = 2}, 3, 4, random);
    for (Thread stopped = 0; stopped < program.threads().size(); ++stopped) {
      for (std::uint32_t index = 1; index < program.indices(stopped); ++index)
        EXPECT_EQ(program.can_end(stopped, index), program.can_end_greedily(stopped, index));
    }
  }
}

TEST(SolvedOrder, ClaimsNoOrderThatIsNotAndLeavesFewOut) {
  struct Case {
    const char* name;
    SyncMix mix;
    int most_left_out_in_thousand;
  };
  for (const Case& one :
       {Case{"exact", {.exact_in_ten = 10}, 0}, Case{"sets", {.sets_in_ten = 10}, 5},
        Case{"sets and adds", {.sets_in_ten = 4}, 10}, Case{"taken back", {.takes_back = true}, 5},
        Case{"all", {2, 3, 3, true}, 40}}) {
    SCOPED_TRACE(one.name);
    const Count count = compare(one.mix, 3, 5, 2000, &SyncProgram::can_end);
    EXPECT_GT(count.orders, 1000);
    EXPECT_LE(count.left_out * 1000, one.most_left_out_in_thousand * count.orders)
        << count.left_out << " of " << count.orders;
  }
}

/// Device 0 waits on its cells, each of which one other device signals; every other device waits on
/// a cell that device 0 signals.
SyncProgram draw_of_one_sender(const SyncMix& mix, std::mt19937_64& random) {
  const std::size_t threads = 2 + random() % 2;
  SyncProgram program(threads, 2 * threads);
  for (Thread thread = 0; thread < threads; ++thread) {
    for (std::size_t n = 1 + random() % 6; n > 0; --n) {
      const auto other = static_cast<std::uint32_t>(1 + random() % (threads - 1));
      const auto from_first = static_cast<std::uint32_t>(threads) + (thread == 0 ? other : thread);
      const std::uint32_t to_first = thread == 0 ? other : thread;
      if (random() % 2 == 0) {
        program.add(thread, Wait{thread == 0 ? to_first : from_first,
                                 static_cast<std::int32_t>(1 + random() % 3),
                                 static_cast<int>(random() % 10) < mix.exact_in_ten});
      } else {
        const bool is_set = static_cast<int>(random() % 10) < mix.sets_in_ten;
        const auto value =
            static_cast<std::int32_t>(1 + random() % static_cast<std::size_t>(mix.most_added));
        program.add(thread, Signal{thread == 0 ? from_first : to_first,
                                   is_set ? NotifyOp::set : NotifyOp::atomic_add, value});
      }
    }
  }
  return program;
}

/// The races of a run in which every thread writes a place of its own before each signal, and reads
/// all such places behind each wait.
RunOfEvents with_accesses(const SyncProgram& program, const SyncTrace& trace) {
  const auto devices = static_cast<std::uint32_t>(program.threads().size());
  RunOfEvents run(devices);
  const auto place = [](Thread thread, std::uint32_t index) {
    return GlobalAddress{thread, std::uint64_t{index} * 64};
  };
  const auto owner = [&](std::uint32_t cell) { return cell < devices ? 0 : cell - devices; };
  for (const SyncTrace::Event& event : trace.events()) {
    if (const auto* signal = std::get_if<SyncTrace::Signal>(&event)) {
      run.write(signal->thread, signal->index, place(signal->thread, signal->index));
      run.notify(signal->thread, owner(signal->cell), signal->cell, signal->value, signal->op);
    } else if (const auto* wait = std::get_if<SyncTrace::Wait>(&event)) {
      run.wait(wait->thread, wait->cell, wait->condition.expected,
               wait->condition.exactly ? WaitCmp::eq : WaitCmp::ge);
      for (Thread thread = 0; thread < devices; ++thread) {
        for (std::uint32_t index = 1; index < program.indices(thread); ++index)
          run.read(wait->thread, 100 + wait->index, place(thread, index));
      }
    }
  }
  return run;
}

TEST(SolvedOrder, IsThatOfHappensBeforeForCellsOfOneSender) {
  std::mt19937_64 random(3);
  int runs = 0;
  int races = 0;
  for (const SyncMix& mix :
       {SyncMix{.most_added = 2}, SyncMix{.sets_in_ten = 5}, SyncMix{.exact_in_ten = 5},
        SyncMix{.most_added = 2, .sets_in_ten = 3, .exact_in_ten = 3}}) {
    for (int n = 0; n < 500; ++n) {
      const SyncProgram program = draw_of_one_sender(mix, random);
      const std::optional<SyncTrace> trace = program.run(random);
      if (!trace) continue;
      const RunOfEvents run = with_accesses(program, *trace);
      ASSERT_FALSE(run.told(nullptr).needs_solving());
      ASSERT_EQ(RunOfEvents::races(run.told(nullptr)), RunOfEvents::races(run.check_solved()))
          << program.text();
      ++runs;
      races += run.races().empty() ? 0 : 1;
    }
  }
  EXPECT_GT(runs, 200);
  EXPECT_GT(races, 100);
}

TEST(SolvedOrder, IsGivenUpWhenItTakesTooMuch) {
  constexpr std::int32_t kWaits = 300;
  SyncProgram program(3, 1);
  for (std::int32_t n = 0; n < kWaits; ++n) {
    program.add(1, Signal{});
    program.add(2, Signal{});
    program.add(0, Wait{.expected = n + 1});
  }
  std::mt19937_64 random;
  const std::optional<SyncTrace> trace = program.run(random);
  ASSERT_TRUE(trace);
  const auto is_solved = [&](std::uint64_t max_records) {
    return solve_order(*trace, program.order(), max_records).has_value();
  };
  EXPECT_FALSE(is_solved(kWaits - 1));   // memory
  EXPECT_FALSE(is_solved(kWaits + 10));  // steps
  EXPECT_TRUE(is_solved(100 * kWaits));
}

TEST(SolvedOrder, SignalsCountForWhatItTakes) {
  SyncProgram program(3, 1);
  for (int n = 0; n < 10'000; ++n)
    program.add(1, Signal{});
  program.add(2, Signal{});
  program.add(0, Wait{.expected = 1});
  std::mt19937_64 random;
  const std::optional<SyncTrace> trace = program.run(random);
  ASSERT_TRUE(trace);
  EXPECT_FALSE(solve_order(*trace, program.order(), 1000));
  EXPECT_TRUE(solve_order(*trace, program.order(), 10'000));
}

}  // namespace
}  // namespace a2a3::isa::solved_order_test
