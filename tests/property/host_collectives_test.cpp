// SPDX-License-Identifier: Apache-2.0
// Every collective of host functions: results and traffic against their closed forms, on both
// engines, and the lowered program against itself after it was printed and read again.
#include <algorithm>

#include <gtest/gtest.h>

#include "collectives/host_schedules.hpp"
#include "ir/printer.hpp"

namespace a2a3::collectives {
namespace {

constexpr std::int64_t kSizes[] = {1, 17, 64, 256, 1000};

double input(const std::string& name, std::int64_t rank, std::int64_t i) {
  return name == "counts" ? static_cast<double>(sent_rows(rank, i)) : element(rank, i);
}

void expect_result(const HostSchedule& schedule, const Size& at, const ProgramRun& run) {
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

class HostCollectives : public testing::TestWithParam<std::tuple<std::size_t, int>> {
 protected:
  [[nodiscard]] static const HostSchedule& schedule() {
    return host_schedules()[std::get<0>(GetParam())];
  }

  template <class Check>
  void for_each_size(Check check) const {
    for (const isa::DType dtype : schedule().dtypes) {
      for (const std::int64_t size : kSizes) {
        const Size at{std::get<1>(GetParam()), size, dtype};
        SCOPED_TRACE(testing::Message() << "SIZE " << size << " " << isa::name(dtype));
        check(at, schedule().program(at));
        if (HasFatalFailure()) return;
      }
    }
  }
};

TEST_P(HostCollectives, GiveTheResultAndMoveWhatTheClosedFormSays) {
  for_each_size([](const Size& at, const std::string& text) {
    const ProgramRun timed = run(text, at.ranks, input, Engine::timed);
    ASSERT_TRUE(timed.finished()) << timed.text() << text;
    expect_result(schedule(), at, timed);
    for (std::int64_t rank = 0; rank < at.ranks; ++rank) {
      EXPECT_EQ(to_string(traffic(timed, rank)), to_string(schedule().traffic(at, rank)))
          << "rank " << rank;
    }
  });
}

TEST_P(HostCollectives, GiveTheSameInAnyOrderOfTheCores) {
  for_each_size([](const Size& at, const std::string& text) {
    if (at.size > 64) return;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const ProgramRun untimed = run(text, at.ranks, input, Engine::untimed, seed);
      ASSERT_TRUE(untimed.finished()) << untimed.text() << text;
      expect_result(schedule(), at, untimed);
    }
  });
}

TEST_P(HostCollectives, RunTheSameWhenPrintedAndReadAgain) {
  for_each_size([](const Size& at, const std::string& text) {
    if (at.size != 17 && at.size != 1000) return;
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
  return host_schedules()[std::get<0>(tested.param)].name + "_p" +
         std::to_string(std::get<1>(tested.param));
}

INSTANTIATE_TEST_SUITE_P(Schedules, HostCollectives,
                         testing::Combine(testing::Range(std::size_t{0}, host_schedules().size()),
                                          testing::Values(1, 2, 3, 4, 5, 7, 8)),
                         case_name);

/// 4097 elements: many tiles and a last one of a single element.
TEST(HostCollectivesLarge, CrossManyTiles) {
  for (const HostSchedule& schedule : host_schedules()) {
    const Size at{3, 4097, schedule.dtypes.back()};
    SCOPED_TRACE(schedule.name);
    const ProgramRun timed = run(schedule.program(at), at.ranks, input, Engine::timed);
    ASSERT_TRUE(timed.finished()) << timed.text();
    expect_result(schedule, at, timed);
    for (std::int64_t rank = 0; rank < at.ranks; ++rank)
      EXPECT_EQ(to_string(traffic(timed, rank)), to_string(schedule.traffic(at, rank)));
  }
}

}  // namespace
}  // namespace a2a3::collectives
