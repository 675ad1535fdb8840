// SPDX-License-Identifier: Apache-2.0
#include "tools/report/launch_findings.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "interp/id_list.hpp"
#include "tools/report/race_report.hpp"

namespace a2a3::tools {
namespace {

using LinePlace = std::tuple<std::uint32_t, std::uint32_t>;

LinePlace line_place(const ir::SourceLocation& location) {
  return {location.line, location.column};
}

/// The entries of `list_of(launch)` with equal keys together, in the order of the first of each.
template <typename List, typename Key>
std::vector<FoundInLaunches> grouped(std::span<const RunReport> launches, const List& list_of,
                                     const Key& key_of) {
  using KeyType = decltype(key_of(list_of(launches.front()).front()));
  std::vector<FoundInLaunches> found;
  std::map<KeyType, std::size_t> known;
  for (std::size_t launch = 0; launch < launches.size(); ++launch) {
    const auto& list = list_of(launches[launch]);
    for (std::size_t index = 0; index < list.size(); ++index) {
      const auto [entry, is_new] = known.try_emplace(key_of(list[index]), found.size());
      if (is_new) found.push_back({launch, index, {}});
      auto& numbers = found[entry->second].launches;
      const auto number = static_cast<std::uint32_t>(launch + 1);
      if (numbers.empty() || numbers.back() != number) numbers.push_back(number);
    }
  }
  return found;
}

}  // namespace

std::vector<FoundInLaunches> grouped_races(std::span<const RunReport> launches) {
  return grouped(
      launches,
      [](const RunReport& report) -> const std::vector<Race>& {
        return report.result.race_check.races;
      },
      [](const Race& race) {
        return std::tuple(race.kind, std::minmax({line_place(race.earlier.location),
                                                  line_place(race.later.location)}));
      });
}

std::vector<FoundInLaunches> grouped_findings(std::span<const RunReport> launches) {
  return grouped(
      launches,
      [](const RunReport& report) -> const std::vector<Finding>& { return report.result.findings; },
      [](const Finding& finding) {
        return std::tuple(finding.kind, finding.diagnostic.severity,
                          line_place(finding.diagnostic.location), finding.place);
      });
}

std::string launches_text(const std::vector<std::uint32_t>& launches) {
  return fmt::format("in launch{} {}", launches.size() == 1 ? "" : "es",
                     interp::format_ids(launches));
}

std::string launch_findings(std::span<const RunReport> launches) {
  RaceCheck races;
  std::vector<std::string> when;
  for (const FoundInLaunches& found : grouped_races(launches)) {
    const RaceCheck& check = launches[found.launch].result.race_check;
    races.unfenced = check.unfenced;
    races.set_line_bytes = check.set_line_bytes;
    races.races.push_back(check.races[found.index]);
    when.push_back(launches_text(found.launches));
  }
  std::vector<Finding> findings;
  std::vector<std::string> findings_when;
  for (const FoundInLaunches& found : grouped_findings(launches)) {
    findings.push_back(launches[found.launch].result.findings[found.index]);
    findings_when.push_back(launches_text(found.launches));
  }
  return race_report(races, when) + finding_report(findings, findings_when);
}

}  // namespace a2a3::tools
