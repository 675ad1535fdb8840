// SPDX-License-Identifier: Apache-2.0
#include "sim/observers/critical_path.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "fixture.hpp"

namespace a2a3::sim::test::critical_path_test {
namespace {

constexpr std::uint64_t kMany = 1'000'000;

struct Explained {
  std::unique_ptr<Run> run;
  std::vector<PathSegment> path;  ///< that ends with the last core
  Picoseconds end = 0;

  [[nodiscard]] Picoseconds time(TimeUse use) const {
    Picoseconds sum = 0;
    for (const PathSegment& segment : path)
      if (segment.use == use) sum += segment.to - segment.from;
    return sum;
  }
  [[nodiscard]] std::vector<TimeUse> uses() const {
    std::vector<TimeUse> uses;
    for (const PathSegment& segment : path)
      uses.push_back(segment.use);
    return uses;
  }
};

Explained explained(const std::vector<Program>& programs,
                    const models::MachineDescription& machine = round_machine(),
                    const std::vector<Picoseconds>& start = {}) {
  Explained result;
  CauseLog log(kMany);
  result.run = make_run(programs, machine, start);
  result.run->machine->attach_causes(log);
  result.run->report = result.run->machine->run();
  const auto& ends = result.run->report.core_end;
  const auto last = std::ranges::max_element(ends);
  result.end = *last;
  result.path =
      critical_path(log, {static_cast<std::uint32_t>(last - ends.begin()), 0}, result.end);
  Picoseconds at = 0;
  for (const PathSegment& segment : result.path) {
    EXPECT_EQ(segment.from, at);
    EXPECT_GT(segment.to, segment.from);
    at = segment.to;
  }
  EXPECT_EQ(at, result.end);
  EXPECT_EQ(run_programs(programs, machine, start)->report.core_end, ends);
  return result;
}

/// 64 int32: 256 bytes, one vector repeat of 2 cycles after 30; flags of 8 ns.
TEST(CriticalPath, FollowsDependencesAcrossPipes) {
  const Explained all = explained({{load(0, 0, 0, 64), adds(0, 1, 64), store(0, 0, 4096, 64)}});
  EXPECT_EQ(all.uses(),
            (std::vector<TimeUse>{TimeUse::startup, TimeUse::stream, TimeUse::flag, TimeUse::vector,
                                  TimeUse::flag, TimeUse::startup, TimeUse::stream}));
  EXPECT_EQ(all.time(TimeUse::startup), (200 + 150) * kNs);
  EXPECT_EQ(all.time(TimeUse::stream), (256 / 64 + 256 / 32) * kNs);
  EXPECT_EQ(all.time(TimeUse::vector), (2 + 30) * kNs);
  EXPECT_EQ(all.time(TimeUse::flag), 16 * kNs);
}

TEST(CriticalPath, GoesToTheRankThatSignalsLate) {
  const Explained all =
      explained({{wait(0, 64)}, {notify(0, 64)}}, round_machine(), {0, 10'000 * kNs});
  ASSERT_FALSE(all.path.empty());
  EXPECT_EQ(all.path.front().use, TimeUse::launch_skew);
  EXPECT_EQ(all.path.front().device, 1u);
  EXPECT_EQ(all.time(TimeUse::launch_skew), 10'000 * kNs);
  EXPECT_GE(all.time(TimeUse::hop), 100 * kNs);
}

TEST(CriticalPath, SplitsAWaitIntoFlightPollAndAcquire) {
  Program waiter{wait(0, 64)};
  for (int i = 0; i < 20; ++i)
    waiter.add(adds(0, 1, 64));
  const Explained all = explained({waiter, {notify(0, 64)}}, round_machine(), {0, 1'000 * kNs});
  EXPECT_EQ(all.time(TimeUse::launch_skew), 1'000 * kNs);
  EXPECT_EQ(all.time(TimeUse::acquire), 50 * kNs);
  EXPECT_LT(all.time(TimeUse::poll), 200 * kNs);
  EXPECT_EQ(all.path.back().use, TimeUse::vector);
}

TEST(CriticalPath, SplitsARemoteLoadIntoStartupLinkAndHops) {
  // 64 KiB at 10 GB/s; the request is one hop away, and so is the reply.
  const Explained all = explained({{load(1, 0, 0, 16384)}, {}});
  EXPECT_EQ(all.time(TimeUse::link), 6'553'600u);
  EXPECT_EQ(all.time(TimeUse::hop), 200 * kNs);
  EXPECT_EQ(all.time(TimeUse::startup), 200 * kNs);
}

TEST(CriticalPath, NamesTheEgressOfACore) {
  models::MachineDescription machine = round_machine();
  machine.link.aiv_egress_bytes_per_second = 1e9;
  const Explained all = explained({{store(0, 1, 0, 1024), store(0, 1, 4096, 1024)}, {}}, machine);
  EXPECT_GT(all.time(TimeUse::core_egress), all.end * 8 / 10);
}

TEST(CriticalPath, NamesTheDmaEngine) {
  const isa::TGetAsync get{.dst = box(0, 4096, 1, 1024), .src = box(1, 0, 1, 1024), .event = 1};
  const Explained all = explained({{get, isa::TWaitEvent{.event = 1}}, {}});
  EXPECT_GT(all.time(TimeUse::dma), 2'000 * kNs);
}

TEST(CauseLog, SaysWhenItHasToForget) {
  CauseLog log(3);
  auto run = make_run({{load(0, 0, 0, 64), adds(0, 1, 64), store(0, 0, 4096, 64)}});
  run->machine->attach_causes(log);
  EXPECT_EQ(run->machine->run().outcome, Outcome::finished);
  EXPECT_FALSE(log.complete());
}

}  // namespace
}  // namespace a2a3::sim::test::critical_path_test
