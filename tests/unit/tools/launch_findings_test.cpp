// SPDX-License-Identifier: Apache-2.0
// Races and findings of several launches, each once with the launches that have it.
#include "tools/report/launch_findings.hpp"

#include <gtest/gtest.h>

namespace a2a3::tools::launch_findings_test {
namespace {

ir::SourceLocation line(const ir::SourceFilePtr& file, std::uint32_t number) {
  ir::SourceLocation location;
  location.file = file.get();
  location.line = number;
  location.column = 1;
  location.length = 1;
  return location;
}

Race race_between(const ir::SourceLocation& earlier, const ir::SourceLocation& later) {
  Race race;
  race.earlier.location = earlier;
  race.earlier.kind = isa::AccessKind::write;
  race.later.location = later;
  race.later.rank = 1;
  race.kind = isa::RaceKind::read_before_write;
  race.range = "data[0, 0:64]";
  race.earlier_ranks = {0};
  race.later_ranks = {1};
  race.count = 1;
  return race;
}

Finding stale(const ir::SourceLocation& at, const std::string& place, std::uint64_t count) {
  Finding finding;
  finding.kind = "stale credit";
  finding.place = place;
  finding.diagnostic.location = at;
  finding.diagnostic.message = "stale credit: " + place;
  finding.diagnostic.severity = ir::Severity::error;
  finding.count = count;
  return finding;
}

class LaunchFindings : public testing::Test {
 protected:
  void SetUp() override { launches_.resize(4); }
  void races(std::size_t launch, std::vector<Race> all) {
    launches_[launch].result.race_check.races = std::move(all);
  }
  [[nodiscard]] std::string text() const { return launch_findings(launches_); }
  [[nodiscard]] static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  }

  ir::SourceFilePtr file_ = std::make_shared<ir::SourceFile>("kernel.py", "a\nb\nc\nd\n");
  std::vector<RunReport> launches_;
};

TEST_F(LaunchFindings, NothingGivesNoText) {
  EXPECT_EQ(text(), "");
}

TEST_F(LaunchFindings, ARaceOfEveryLaunchIsToldOnce) {
  for (std::size_t launch = 0; launch < 4; ++launch) {
    // Which of the two came first is a matter of timing.
    races(launch, {launch % 2 == 0 ? race_between(line(file_, 1), line(file_, 2))
                                   : race_between(line(file_, 2), line(file_, 1))});
  }
  EXPECT_EQ(count(text(), "error: race:"), 1u) << text();
  EXPECT_EQ(count(text(), "note: in launches 1-4\n"), 1u) << text();
}

TEST_F(LaunchFindings, ARaceOfTheFirstLaunchAloneIsToldInFull) {
  races(0, {race_between(line(file_, 1), line(file_, 2))});
  EXPECT_EQ(count(text(), "kernel.py:2:1: error: race: rank 1 reads data[0, 0:64]"), 1u) << text();
  EXPECT_EQ(count(text(), "note: in launch 1\n"), 1u) << text();
  EXPECT_EQ(count(text(), "let the writer notify the reader"), 1u) << text();
}

TEST_F(LaunchFindings, DifferentOnesKeepTheirOrderAndLaunches) {
  const Race first = race_between(line(file_, 1), line(file_, 2));
  const Race second = race_between(line(file_, 1), line(file_, 3));
  races(0, {first});
  races(2, {second, first});
  races(3, {first});
  const auto found = grouped_races(launches_);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].launches, (std::vector<std::uint32_t>{1, 3, 4}));
  EXPECT_EQ(found[1].launch, 2u);
  EXPECT_EQ(found[1].index, 0u);
  EXPECT_EQ(found[1].launches, (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(count(text(), "in launches 1,3,4"), 1u) << text();
}

TEST_F(LaunchFindings, FindingsOfOneLineDifferByTheirPlace) {
  launches_[1].result.findings = {stale(line(file_, 1), "signal[0, 0]", 2)};
  launches_[2].result.findings = {stale(line(file_, 1), "signal[1, 0]", 2),
                                  stale(line(file_, 1), "signal[0, 0]", 5)};
  const auto found = grouped_findings(launches_);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].launches, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(found[1].launches, (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(count(text(), "error: stale credit: signal[0, 0]"), 1u) << text();
  EXPECT_EQ(count(text(), "note: in launches 2,3"), 1u) << text();
}

}  // namespace
}  // namespace a2a3::tools::launch_findings_test
