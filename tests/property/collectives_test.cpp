// SPDX-License-Identifier: Apache-2.0
// Every collective of kernels: results and traffic against their closed forms, on both engines, and
// the lowered program against itself after it was printed and read again.
#include <algorithm>

#include <gtest/gtest.h>

#include "collectives/schedules.hpp"
#include "ir/printer.hpp"

namespace a2a3::collectives {
namespace {

constexpr std::int64_t kSizes[] = {1, 17, 64, 1000, 4097};
constexpr isa::DType kDtypes[] = {isa::DType::fp32, isa::DType::fp16};

double input(const std::string& name, std::int64_t rank, std::int64_t i) {
  return name == "counts" ? static_cast<double>(sent_rows(rank, i)) : element(rank, i);
}

void expect_result(const Schedule& schedule, const Size& at, const ProgramRun& run) {
  const auto x = [&](std::int64_t rank, std::int64_t row, std::int64_t col) {
    return element(rank, row * at.size + col);
  };
  const std::int64_t part = run.result.outputs.at("y").elements() / at.ranks;
  for (std::int64_t rank = 0; rank < at.ranks; ++rank) {
    for (std::int64_t i = 0; i < part; ++i) {
      ASSERT_EQ(run.at("y", rank, i), schedule.expected(at, x, rank, i / at.size, i % at.size))
          << "rank " << rank << " element " << i;
    }
    if (schedule.name != "allToAllV") continue;
    for (std::int64_t q = 0; q < at.ranks; ++q) {
      ASSERT_EQ(run.at("received", rank, q),
                static_cast<double>(std::clamp<std::int64_t>(sent_rows(q, rank), 0, kCapacity)));
    }
  }
}

void expect_traffic(const Schedule& schedule, const Size& at, const ProgramRun& run) {
  for (std::int64_t rank = 0; rank < at.ranks; ++rank) {
    EXPECT_EQ(to_string(traffic(run, rank)), to_string(schedule.traffic(at, rank)))
        << "rank " << rank;
    const sim::Traffic& counted = run.result.cost.ranks[static_cast<std::size_t>(rank)].traffic;
    EXPECT_EQ(counted.signals_received, counted.signals_sent);
  }
}

class Collectives : public testing::TestWithParam<std::tuple<std::size_t, int>> {
 protected:
  [[nodiscard]] static const Schedule& schedule() { return schedules()[std::get<0>(GetParam())]; }

  template <class Check>
  void for_each_size(Check check) const {
    for (const isa::DType dtype : kDtypes) {
      for (const std::int64_t size : kSizes) {
        const Size at{std::get<1>(GetParam()), size, dtype};
        SCOPED_TRACE(testing::Message() << "SIZE " << size << " " << isa::name(dtype));
        check(at, program(schedule().parameters(at), schedule().body(at)));
        if (HasFatalFailure()) return;
      }
    }
  }
};

TEST_P(Collectives, GiveTheResultAndMoveWhatTheClosedFormSays) {
  for_each_size([](const Size& at, const std::string& text) {
    const ProgramRun timed = run(text, at.ranks, input, Engine::timed);
    ASSERT_TRUE(timed.finished()) << timed.text() << text;
    expect_result(schedule(), at, timed);
    expect_traffic(schedule(), at, timed);
  });
}

TEST_P(Collectives, GiveTheSameInAnyOrderOfTheCores) {
  for_each_size([](const Size& at, const std::string& text) {
    if (at.size > 64) return;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const ProgramRun untimed = run(text, at.ranks, input, Engine::untimed, seed);
      ASSERT_TRUE(untimed.finished()) << untimed.text() << text;
      expect_result(schedule(), at, untimed);
    }
  });
}

TEST_P(Collectives, RunTheSameWhenPrintedAndReadAgain) {
  for_each_size([](const Size& at, const std::string& text) {
    if (at.size != 17 && at.size != 4097) return;
    const ProgramRun first = run(text, at.ranks, input, Engine::timed);
    ASSERT_TRUE(first.finished()) << first.text();
    const std::string printed = ir::print(*first.module);
    const ProgramRun second = run(printed, at.ranks, input, Engine::timed);
    ASSERT_TRUE(second.finished()) << second.text() << printed;
    EXPECT_EQ(ir::print(*second.module), printed);
    expect_result(schedule(), at, second);
    EXPECT_EQ(second.result.end, first.result.end);
    for (std::int64_t rank = 0; rank < at.ranks; ++rank)
      EXPECT_EQ(traffic(second, rank), traffic(first, rank));
  });
}

std::string case_name(const testing::TestParamInfo<std::tuple<std::size_t, int>>& tested) {
  return schedules()[std::get<0>(tested.param)].name + "_p" +
         std::to_string(std::get<1>(tested.param));
}

INSTANTIATE_TEST_SUITE_P(Schedules, Collectives,
                         testing::Combine(testing::Range(std::size_t{0}, schedules().size()),
                                          testing::Values(1, 2, 4, 8)),
                         case_name);

// Rank counts that are no powers of two (edge_cases.md, part 2, case 22).
INSTANTIATE_TEST_SUITE_P(EdgeCase22, Collectives,
                         testing::Combine(testing::Range(std::size_t{0}, schedules().size()),
                                          testing::Values(3, 5, 6, 7)),
                         case_name);

}  // namespace
}  // namespace a2a3::collectives
