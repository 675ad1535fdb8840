// SPDX-License-Identifier: Apache-2.0
#include "models/traffic/reduction_order.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace a2a3::models::reduction_order_test {
namespace {

using enum ScheduleForm;
using isa::DType;

const std::vector<std::string> kNames = {"allreduce.mesh", "allreduce.two_phase", "allreduce.ring",
                                         "reduce_scatter"};

TEST(ReductionOrder, EveryElementTakesInEveryRankOnce) {
  for (const std::string& name : kNames) {
    for (const ScheduleForm form : {hand, in_core, host}) {
      for (const DType dtype : {DType::fp32, DType::fp16}) {
        const auto order = reduction_order(name, form, dtype);
        EXPECT_EQ(order.has_value(), name != "allreduce.two_phase" || form == hand) << name;
        if (!order) continue;
        for (const std::int64_t ranks : {1, 2, 3, 4, 5, 7, 8}) {
          for (const std::int64_t elements : {0, 1, 5, 17, 64, 1000, 4097}) {
            std::int64_t at = 0;
            for (const auto& segment : reduction_segments(*order, elements, ranks, ranks - 1)) {
              EXPECT_EQ(segment.begin, at);
              EXPECT_LT(segment.begin, segment.end);
              at = segment.end;
              std::vector<std::int64_t> sorted = segment.ranks;
              std::ranges::sort(sorted);
              std::vector<std::int64_t> all(static_cast<std::size_t>(ranks));
              std::iota(all.begin(), all.end(), 0);
              EXPECT_EQ(sorted, all);
            }
            EXPECT_EQ(at, elements) << name << " P=" << ranks;
          }
        }
      }
    }
  }
}

TEST(ReductionOrder, SchedulesThatAddNothingHaveNone) {
  for (const Schedule& schedule : schedules()) {
    EXPECT_EQ(reduction_order(schedule.name, schedule.form, DType::fp32).has_value(),
              std::ranges::find(kNames, schedule.name) != kNames.end())
        << schedule.name;
  }
  EXPECT_EQ(reduction_names(), kNames);
}

struct Choice {
  std::optional<ReductionOrder> order;
  std::string error;
};
Choice choose(const std::vector<ReductionUse>& uses, const std::string& named = "",
              DType dtype = DType::fp32) {
  ir::Diagnostics diagnostics;
  Choice choice{choose_reduction_order(uses, named, dtype, {}, diagnostics), {}};
  choice.error = format(diagnostics);
  EXPECT_EQ(choice.order.has_value(), choice.error.empty());
  return choice;
}

TEST(ReductionOrder, TheOneScheduleOfTheProgram) {
  EXPECT_EQ(choose({{"allreduce.ring", in_core, 64, {}}}).order->elements, 64);
  EXPECT_EQ(choose({{"allreduce.ring", in_core, 64, {}}}, "", DType::fp16).order->grain, 16);
  // Two calls of one kind on targets of any size add in one order, element by element.
  const auto mesh =
      choose({{"allreduce.mesh", hand, 64, {}}, {"allreduce.mesh", in_core, 100, {}}});
  EXPECT_EQ(mesh.order->elements, 100);
  EXPECT_EQ(choose({{"allreduce.mesh", hand, 64, {}}, {"allreduce.mesh", in_core, 0, {}}})
                .order->elements,
            0);
  EXPECT_TRUE(choose({{"reduce_scatter", hand, 64, {}}, {"allreduce.mesh", host, 64, {}}}).order);
}

TEST(ReductionOrder, NoneIsAnErrorUnlessNamed) {
  const auto none = choose({});
  EXPECT_NE(none.error.find("it claims no schedule that adds, and calls none"), std::string::npos);
  EXPECT_NE(none.error.find("allreduce.two_phase"), std::string::npos);
  EXPECT_EQ(choose({}, "allreduce.ring").order->form, hand);
  EXPECT_EQ(choose({{"allreduce.mesh", in_core, 64, {}}}, "allreduce.two_phase").order->kind,
            ReductionOrder::Kind::owner_first);
}

TEST(ReductionOrder, SeveralAreAnErrorUnlessNamed) {
  const std::vector<ReductionUse> both = {{"allreduce.mesh", hand, 64, {}},
                                          {"allreduce.ring", in_core, 64, {}}};
  const auto unknown = choose(both);
  EXPECT_NE(unknown.error.find("the program adds in several orders"), std::string::npos);
  EXPECT_NE(unknown.error.find("allreduce.mesh (hand) of 64 elements, claimed"), std::string::npos);
  EXPECT_NE(unknown.error.find("allreduce.ring (builtin) of 64 elements"), std::string::npos);
  EXPECT_EQ(choose(both, "allreduce.ring").order->form, in_core);
  EXPECT_EQ(choose(both, "allreduce.mesh").order->form, hand);
  // One name, two ways to cut.
  const std::vector<ReductionUse> rings = {{"allreduce.ring", hand, 64, {}},
                                           {"allreduce.ring", in_core, 64, {}}};
  EXPECT_TRUE(choose(rings).order);
  EXPECT_NE(choose(rings, "allreduce.ring", DType::fp16).error.find("in several ways"),
            std::string::npos);
}

}  // namespace
}  // namespace a2a3::models::reduction_order_test
