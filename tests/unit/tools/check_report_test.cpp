// SPDX-License-Identifier: Apache-2.0
#include "tools/check/check_report.hpp"

#include <gtest/gtest.h>

namespace a2a3::tools::check_report_test {
namespace {

PointResult result(const char* verdict, ExitStatus status, std::vector<std::string> findings) {
  PointResult one;
  one.status = verdict;
  one.exit_status = status;
  one.findings = std::move(findings);
  return one;
}

CheckReport sample() {
  CheckReport report;
  report.options.base.file = "a&b.py";
  report.plan.seeds = {0, 1};
  report.plan.sizes = {{"SIZE", {"8"}}};
  GroupResult good{{1, {{"SIZE", "8"}}}, {}, {}};
  good.cases = {{1, good.group.settings, 0, {}}, {1, good.group.settings, 1, {}}};
  good.results = {result("ok", ExitStatus::ok, {}), result("ok", ExitStatus::ok, {})};
  GroupResult bad{{2, {{"SIZE", "8"}}}, {}, {}};
  bad.cases = {{2, bad.group.settings, 0, {}}, {2, bad.group.settings, 1, {}}};
  bad.results = {result("race", ExitStatus::finding, {"race at a:1:1"}),
                 result("ok", ExitStatus::ok, {})};
  report.groups = {good, bad};
  Failure failure;
  failure.findings = {"race at a:1:1"};
  failure.verdict = "race";
  failure.status = ExitStatus::finding;
  failure.runs = 1;
  failure.ranks = {2};
  failure.smallest = bad.cases[0];
  failure.text = "error: 1 < 2\n";
  report.failures = {failure};
  return report;
}

TEST(CheckReport, TheWorstRunCounts) {
  EXPECT_EQ(sample().status(), ExitStatus::finding);
  EXPECT_EQ(sample().runs(), 4);
  EXPECT_EQ(sample().unchecked(), 0);
}

TEST(CheckReport, RowsSayHowManyRunsFailed) {
  const std::string table = check_table(sample());
  EXPECT_NE(table.find("race in 1 of 2, ok in 1"), std::string::npos) << table;
  EXPECT_NE(check_failures(sample()).find("failure 1 of 1: race, in 1 of 4 runs, on 2 ranks; the "
                                          "smallest: 2 ranks, SIZE=8, order 0x0\nerror: 1 < 2\n"),
            std::string::npos)
      << check_failures(sample());
}

/// Both failures come in one run.
TEST(CheckReport, SaysWhenRunsHaveSeveralFailures) {
  CheckReport report = sample();
  EXPECT_EQ(report.failed(), 1);
  EXPECT_EQ(check_failures(report).find("several"), std::string::npos);
  report.groups[1].results[0].findings.emplace_back("finding at a:2:1");
  report.failures.push_back(report.failures[0]);
  report.failures[1].findings = {"finding at a:2:1"};
  const std::string text = check_failures(report);
  EXPECT_NE(text.find("\n1 of 4 runs failed, some with several of these failures\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(check_json(report)["failed_runs_count"], 1);
}

TEST(CheckReport, JUnitSaysWhatWasNotChecked) {
  CheckReport report = sample();
  EXPECT_EQ(check_junit(report).find("system-out"), std::string::npos);
  for (PointResult& one : report.groups[0].results)
    one.status = "not checked";
  EXPECT_NE(check_junit(report).find(
                "name=\"1 rank, SIZE=8\">\n      <system-out>no golden given: results are not "
                "checked, only faults, deadlocks and races (give --golden 'y: ...')\n"
                "</system-out>\n    </testcase>\n"),
            std::string::npos)
      << check_junit(report);
}

TEST(CheckReport, JUnitEscapesMarkup) {
  const std::string xml = check_junit(sample());
  EXPECT_NE(xml.find("<testsuite name=\"a2a3sim check a&amp;b.py\" tests=\"2\" failures=\"1\" "
                     "errors=\"0\">"),
            std::string::npos)
      << xml;
  EXPECT_NE(xml.find("<testcase classname=\"a&amp;b.py\" name=\"1 rank, SIZE=8\"/>"),
            std::string::npos);
  EXPECT_NE(xml.find("error: 1 &lt; 2\nreplay: a2a3sim check"), std::string::npos);
}

TEST(CheckReport, NamesOfAFailureThatDiedAreItsError) {
  PointResult died;
  died.status = PointResult::kKilled;
  died.error = "killed by signal 11";
  EXPECT_EQ(failure_names(died), std::vector<std::string>{"killed: killed by signal 11"});
  EXPECT_TRUE(failure_names(result("ok", ExitStatus::ok, {})).empty());
}

}  // namespace
}  // namespace a2a3::tools::check_report_test
