// SPDX-License-Identifier: Apache-2.0
// The closed forms on the teaching machine, whose figures are round: 1 ns a cycle, 64 bytes a
// cycle, hops of 100 ns, payload at 8 bytes a ns over links.
#include "models/time/modelled_time.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "models/machine_yaml.hpp"
#include "models/time/difference.hpp"
#include "models/time/lower_bound.hpp"
#include "models/time/operation_costs.hpp"

namespace a2a3::models::modelled_time_test {
namespace {

constexpr double kNs = 1e-9;

MachineDescription machine(const std::string& name) {
  const MachineYaml read = read_machine(name, {A2A3_SOURCE_DIR, {}});
  EXPECT_TRUE(read.machine) << name;
  return *read.machine;
}

double nanoseconds(const TimeTerms& terms) {
  return terms.seconds() / kNs;
}

TEST(OperationCosts, AreTheTermsOfTheTimingModel) {
  const MachineDescription teaching = machine("teaching");
  const OperationCosts costs(teaching);
  EXPECT_NEAR(nanoseconds(costs.load(4096, 0)), 200 + 64, 1e-6);
  EXPECT_NEAR(nanoseconds(costs.store(4096, 0)), 100 + 64, 1e-6);
  EXPECT_NEAR(nanoseconds(costs.remote_load(0, 1, 4096, 0)), 200 + 2 * 100 + 512, 1e-6);
  EXPECT_NEAR(nanoseconds(costs.remote_load(1, 1, 4096, 0)), 200 + 64, 1e-6) << "the own memory";
  EXPECT_NEAR(nanoseconds(costs.add(4096)), 16 + 20, 1e-6);
  EXPECT_NEAR(nanoseconds(costs.load_issue(4096, 0)), 64, 1e-6);
  EXPECT_NEAR(nanoseconds(costs.load_issue(64, 0)), 20, 1e-6) << "no faster than it can issue";
}

TEST(OperationCosts, TransfersThatAreNotAlignedTakeTheirShareOfTheRate) {
  const MachineDescription a2 = machine("a2");
  const OperationCosts costs(a2);
  const double aligned = costs.load(16384, 512).memory;
  EXPECT_NEAR(costs.load(16384, 4).memory * a2.core.unaligned_rate, aligned, 1e-15);
}

TEST(OperationCosts, AWaitEndsAtAPollOfItsOwn) {
  MachineDescription teaching = machine("teaching");
  teaching.signal.poll_seconds = 200 * kNs;
  teaching.signal.acquire_seconds = 50 * kNs;
  const OperationCosts costs(teaching);
  EXPECT_NEAR(costs.wait_end(1000 * kNs, 0) / kNs, 1250, 1e-6);
  EXPECT_NEAR(costs.wait_end(1000 * kNs, 1199 * kNs) / kNs, 1250, 1e-6);
  EXPECT_NEAR(costs.wait_end(1000 * kNs, 1201 * kNs) / kNs, 1450, 1e-6);
  teaching.signal.poll_seconds = 0;
  EXPECT_NEAR(costs.wait_end(1000 * kNs, 1201 * kNs) / kNs, 1251, 1e-6);
}

TEST(ModelledTime, MeshByHandOnTheTeachingMachine) {
  const MachineDescription teaching = machine("teaching");
  const Schedule* mesh = find_schedule("allreduce.mesh", ScheduleForm::hand);
  ASSERT_NE(mesh, nullptr);
  const auto time = modelled_time(*mesh, {.ranks = 3, .elements = 4096}, teaching);
  ASSERT_TRUE(time);
  const SignalParameters& signal = teaching.signal;
  const double flag = 10;
  const double copy = (200 + 256) + flag + (100 + 256) + flag;
  const double notify =
      2 * 10 + (2 * signal.clean_seconds + signal.dsb_seconds) / kNs + 2 * 100 + 4 / 8.0;
  const double wait = (signal.poll_seconds + signal.acquire_seconds) / kNs;
  const double barrier = 2 * (notify + wait) + signal.atomic_serial_seconds / kNs;
  const double peer = (200 + 2 * 100 + 2048) + flag + (64 + 20) + flag;
  const double sum = 256 + 2 * peer + (100 + 256) + flag;
  EXPECT_NEAR(nanoseconds(time->terms), copy + barrier + sum, 1e-3);
  EXPECT_NEAR(time->terms.vector / kNs, 2 * 84, 1e-6);
  EXPECT_NEAR(time->terms.hops / kNs, 2 * 200, 1e-6);
  EXPECT_NEAR(time->terms.link / kNs, 2 * 2048, 1e-6);
  EXPECT_NEAR(time->terms.signals / kNs, barrier, 1e-6);
  EXPECT_NEAR(time->terms.alpha() + time->terms.beta() + time->terms.gamma(), time->seconds(),
              1e-15);
}

TEST(ModelledTime, OneRankNeedsNoLinkAndNoSignal) {
  const MachineDescription a2 = machine("a2");
  for (const Schedule& schedule : schedules()) {
    const auto time = modelled_time(schedule, {.ranks = 1, .elements = 4097}, a2);
    if (!time) continue;
    EXPECT_GT(time->seconds(), 0) << schedule.name;
    EXPECT_EQ(time->terms.link, 0) << schedule.name;
    EXPECT_EQ(time->terms.signals, 0) << schedule.name;
  }
}

TEST(ModelledTime, EveryScheduleWithASizeHasOneThatGrowsWithTheSizeAndIsAboveItsBound) {
  const MachineDescription a2 = machine("a2");
  const MachineDescription a3 = machine("a3");
  std::size_t modelled = 0;
  for (const Schedule& schedule : schedules()) {
    for (const std::int64_t ranks : {2, 3, 4, 5, 7, 8}) {
      for (const MachineDescription& one : {a2, a3}) {
        double before = 0;
        for (const std::int64_t elements : {17, 1000, 4097, 100'000}) {
          // The ring of a host function has equal segments.
          const ScheduleSize size{.ranks = ranks, .elements = elements * ranks};
          const auto time = modelled_time(schedule, size, one);
          EXPECT_EQ(time.has_value(),
                    schedule.data != ScheduleData::none && schedule.name != "all_to_all_v");
          const auto bound = lower_bound(schedule, size, one);
          EXPECT_EQ(bound.has_value(), time.has_value()) << schedule.name;
          if (!time) continue;
          ++modelled;
          EXPECT_GT(time->seconds(), before) << schedule.name << ", " << elements;
          EXPECT_LT(bound->seconds(), time->seconds()) << schedule.name << ", " << elements;
          before = time->seconds();
        }
      }
    }
  }
  EXPECT_EQ(modelled, 19u * 6 * 2 * 4);
}

TEST(LowerBound, IsTheLargestOfThreeOnTheTeachingMachine) {
  const MachineDescription teaching = machine("teaching");
  const Schedule* mesh = find_schedule("allreduce.mesh", ScheduleForm::hand);
  const auto large = lower_bound(*mesh, {.ranks = 4, .elements = 1 << 20}, teaching);
  ASSERT_TRUE(large);
  const double n = 4 << 20;
  double rate = 0;
  for (const double one : link_rates(teaching, 0, 1).payload_bytes_per_second)
    rate = std::max(rate, one);
  EXPECT_NEAR(large->bandwidth, 2 * 3.0 / 4 * n / (3 * rate), 1e-12) << "over three links";
  EXPECT_NEAR(large->latency, 100 * kNs, 1e-15);
  EXPECT_EQ(large->binding(), "bandwidth");
  const auto small = lower_bound(*mesh, {.ranks = 4, .elements = 1}, teaching);
  EXPECT_EQ(small->binding(), "latency");
  EXPECT_EQ(small->seconds(), small->latency);
  const auto alone = lower_bound(*mesh, {.ranks = 1, .elements = 1 << 20}, teaching);
  EXPECT_EQ(alone->binding(), "memory");
  EXPECT_EQ(alone->bandwidth, 0);
}

TEST(ExplainDifference, NamesTheTermThatMakesIt) {
  const ModelledTime modelled{{.startup = 1e-6,
                               .hops = 1e-6,
                               .signals = 2e-6,
                               .link = 4e-6,
                               .memory = 1e-6,
                               .vector = 1e-6}};
  const SimulatedParts same{.chunk_latency = 2e-6, .signals = 2e-6, .bytes = 5e-6, .vector = 1e-6};
  EXPECT_EQ(explain_difference(same, modelled),
            "simulated 10.000 us, modelled 10.000 us (+0.0 %): the model holds");
  const auto with = [&](double SimulatedParts::*part, double more) {
    SimulatedParts parts = same;
    parts.*part += more;
    return explain_difference(parts, modelled);
  };
  EXPECT_EQ(with(&SimulatedParts::contention, 2.5e-6),
            "simulated 12.500 us, modelled 10.000 us (-20.0 %): contention takes 2.500 us more");
  EXPECT_EQ(with(&SimulatedParts::skew, 10e-6),
            "simulated 20.000 us, modelled 10.000 us (-50.0 %): skew takes 10.000 us more");
  EXPECT_TRUE(
      with(&SimulatedParts::chunk_latency, 2e-6).ends_with("chunk latency takes 2.000 us more"));
  EXPECT_TRUE(with(&SimulatedParts::signals, 2e-6).ends_with("signals take 2.000 us more"));
  EXPECT_TRUE(
      with(&SimulatedParts::signals, -2e-6).ends_with("(+25.0 %): signals take 2.000 us less"));
  EXPECT_TRUE(with(&SimulatedParts::bytes, -4e-6).ends_with("bytes take 4.000 us less"));
  EXPECT_TRUE(with(&SimulatedParts::skew, 1.1e-6).ends_with("the model holds"));
}

}  // namespace
}  // namespace a2a3::models::modelled_time_test
