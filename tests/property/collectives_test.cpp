// SPDX-License-Identifier: Apache-2.0
// Every collective of kernels: results and traffic against their closed forms, on both engines, and
// the lowered program against itself after it was printed and read again.
#include <gtest/gtest.h>

#include "collectives/checks.hpp"
#include "collectives/schedules.hpp"

namespace a2a3::collectives::collectives_test {
namespace {

constexpr std::int64_t kSizes[] = {1, 17, 64, 1000, 4097};
constexpr isa::DType kDtypes[] = {isa::DType::fp32, isa::DType::fp16};

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
    check_result_and_traffic(schedule(), at, text);
  });
}

TEST_P(Collectives, GiveTheSameInAnyOrderOfTheCores) {
  for_each_size([](const Size& at, const std::string& text) {
    if (at.size <= 64) check_orders(schedule(), at, text);
  });
}

TEST_P(Collectives, RunTheSameWhenPrintedAndReadAgain) {
  for_each_size([](const Size& at, const std::string& text) {
    if (at.size == 17 || at.size == 4097) check_reread(schedule(), at, text);
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
}  // namespace a2a3::collectives::collectives_test
