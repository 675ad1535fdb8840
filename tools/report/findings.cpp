// SPDX-License-Identifier: Apache-2.0
#include "tools/report/findings.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/report/deadlock_report.hpp"
#include "tools/report/golden_check.hpp"
#include "tools/report/race_report.hpp"
#include "tools/report/traffic_report.hpp"

namespace a2a3::tools {
namespace {

std::string place_text(const ir::SourceLocation& location) {
  if (!location.known()) return "an unknown place";
  return fmt::format("{}:{}:{}", location.file->path(), location.line, location.column);
}

std::vector<std::string> error_findings(const RunReport& report) {
  std::set<std::string> found;
  for (const ir::Diagnostic& one : report.diagnostics.all()) {
    if (one.severity != ir::Severity::error) continue;
    found.insert(report.verdict() +
                 (one.location.known() ? " at " + place_text(one.location) : ": " + one.message));
  }
  return {found.begin(), found.end()};
}

std::string deadlock_finding(const Result& result) {
  std::set<std::string> places;
  for (const BlockedRank& blocked : result.blocked)
    places.insert(place_text(blocked.location));
  for (const UnstartedLaunch& launch : result.unstarted)
    places.insert(place_text(launch.location));
  return fmt::format("deadlock at {}", fmt::join(places, ", "));
}

/// The findings that are errors.
std::vector<Finding> wrong_of(const Result& result) {
  std::vector<Finding> wrong;
  std::ranges::copy_if(result.findings, std::back_inserter(wrong), [](const Finding& finding) {
    return finding.diagnostic.severity == ir::Severity::error;
  });
  return wrong;
}

}  // namespace

std::string failure_text(const RunReport& report) {
  std::string text;
  for (const ir::Diagnostic& one : report.diagnostics.all()) {
    if (one.severity == ir::Severity::error) text += ir::format(one);
  }
  if (report.result.outcome == Outcome::deadlock)
    text += deadlock_report(report.result, report.device_ids.size());
  return text + race_report(report.result.race_check) + finding_report(wrong_of(report.result)) +
         mismatch_report(report.goldens) + traffic_mismatches(report);
}

std::vector<std::string> findings_of(const RunReport& report) {
  std::vector<std::string> found = error_findings(report);
  if (report.result.outcome == Outcome::deadlock) found.push_back(deadlock_finding(report.result));
  std::set<std::string> races;
  for (const Race& race : report.result.race_check.races) {
    // Which of the two came first is chance.
    const std::set<std::string> places{place_text(race.later.location),
                                       place_text(race.earlier.location)};
    races.insert(fmt::format("race at {}", fmt::join(places, " and ")));
  }
  found.insert(found.end(), races.begin(), races.end());
  for (const Finding& finding : wrong_of(report.result))
    found.push_back(finding.kind + " at " + place_text(finding.diagnostic.location));
  // What is wrong because of a race comes and goes with the order of the cores.
  if (!report.result.race_check.races.empty()) return found;
  for (const GoldenCheck& golden : report.goldens) {
    if (!golden.right()) found.push_back("wrong result " + golden.output);
  }
  for (const TrafficPart& part : report.parts) {
    if (part.right()) continue;
    found.push_back(part.location.known() ? "wrong traffic at " + place_text(part.location)
                                          : std::string("wrong traffic, claimed"));
  }
  return found;
}

}  // namespace a2a3::tools
