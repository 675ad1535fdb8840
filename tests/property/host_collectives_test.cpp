// SPDX-License-Identifier: Apache-2.0
// Every collective of host functions: results and traffic against their closed forms, on both
// engines, and the lowered program against itself after it was printed and read again.
#include <gtest/gtest.h>

#include "collectives/checks.hpp"
#include "collectives/host_schedules.hpp"

namespace a2a3::collectives::host_collectives_test {
namespace {

constexpr std::int64_t kSizes[] = {1, 17, 64, 256, 1000};

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
    check_result_and_traffic(schedule(), at, text);
  });
}

TEST_P(HostCollectives, GiveTheSameInAnyOrderOfTheCores) {
  for_each_size([](const Size& at, const std::string& text) {
    if (at.size <= 64) check_orders(schedule(), at, text);
  });
}

TEST_P(HostCollectives, RunTheSameWhenPrintedAndReadAgain) {
  for_each_size([](const Size& at, const std::string& text) {
    if (at.size == 17 || at.size == 1000) check_reread(schedule(), at, text);
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
    check_result_and_traffic(schedule, at, schedule.program(at));
  }
}

}  // namespace
}  // namespace a2a3::collectives::host_collectives_test
