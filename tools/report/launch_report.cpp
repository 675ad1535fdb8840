// SPDX-License-Identifier: Apache-2.0
#include "tools/report/launch_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/report/launch_findings.hpp"
#include "tools/report/rank_rows.hpp"
#include "tools/report/run_json.hpp"
#include "tools/report/table.hpp"

namespace a2a3::tools {
namespace {

sim::Traffic traffic_of(const RunReport& launch) {
  sim::Traffic sum;
  for (const RankCost& rank : launch.result.cost.ranks)
    sum += rank.traffic;
  return sum;
}

std::vector<std::string> launch_cells(sim::Picoseconds end, const sim::Traffic& traffic) {
  return {microseconds(end), std::to_string(traffic.payload_received_bytes),
          std::to_string(traffic.local_bytes), std::to_string(traffic.signals_received),
          std::to_string(traffic.clears)};
}

std::string launches_heading(const LaunchesReport& report) {
  return fmt::format("{} of {} launches, {} windows, all ranks together:\n", report.launches.size(),
                     report.asked_for, report.persistent ? "persistent" : "fresh");
}

}  // namespace

ExitStatus LaunchesReport::status() const {
  ExitStatus worst = ExitStatus::ok;
  for (const RunReport& launch : launches)
    worst = worse(worst, launch.status);
  return worst;
}

std::string LaunchesReport::verdict() const {
  if (status() == ExitStatus::ok) return launches.back().verdict();
  return std::ranges::find(launches, status(), &RunReport::status)->verdict();
}

std::string launch_table(const LaunchesReport& report) {
  if (!report.launches.front().result.timed) {
    Table verdicts({{"launch", ""}, {"verdict", ""}}, 2);
    for (std::size_t i = 0; i < report.launches.size(); ++i)
      verdicts.add_row({std::to_string(i + 1), report.launches[i].verdict()});
    return launches_heading(report) + verdicts.text();
  }
  Table table({{"launch", ""},
               {"verdict", ""},
               {"total", "us"},
               {"received", "bytes"},
               {"local", "bytes"},
               {"signals", "count"},
               {"self", "count"}},
              2);
  sim::Traffic sum;
  sim::Picoseconds end = 0;
  for (std::size_t i = 0; i < report.launches.size(); ++i) {
    const RunReport& launch = report.launches[i];
    const sim::Traffic traffic = traffic_of(launch);
    std::vector<std::string> cells{std::to_string(i + 1), launch.verdict()};
    for (std::string& cell : launch_cells(launch.result.end, traffic))
      cells.push_back(std::move(cell));
    table.add_row(std::move(cells));
    sum += traffic;
    end += launch.result.end;
  }
  std::vector<std::string> last{"total", ""};
  for (std::string& cell : launch_cells(end, sum))
    last.push_back(std::move(cell));
  table.add_rule();
  table.add_row(std::move(last));
  return launches_heading(report) + table.text();
}

nlohmann::ordered_json launches_json(const LaunchesReport& report) {
  using Json = nlohmann::ordered_json;
  sim::Traffic sum;
  sim::Picoseconds end = 0;
  Json launches = Json::array();
  for (const RunReport& launch : report.launches) {
    sum += traffic_of(launch);
    end += launch.result.end;
    launches.push_back(run_json(launch));
  }
  // Each once, with the launches that have it.
  Json races = Json::array();
  for (const FoundInLaunches& found : grouped_races(report.launches)) {
    races.push_back(launches.at(found.launch).at("race_check").at("races").at(found.index));
    races.back()["launches"] = found.launches;
  }
  Json findings = Json::array();
  for (const FoundInLaunches& found : grouped_findings(report.launches)) {
    findings.push_back(launches.at(found.launch).at("findings").at(found.index));
    findings.back()["launches"] = found.launches;
  }
  return {{"schema_version", launches.at(0).at("schema_version")},
          {"program", launches.at(0).at("program")},
          {"launches_asked_for_count", report.asked_for},
          {"persistent_windows", report.persistent},
          {"verdict", report.verdict()},
          {"exit_status", static_cast<int>(report.status())},
          {"total",
           {{"total_ps", end},
            {"payload_received_bytes", sum.payload_received_bytes},
            {"payload_sent_bytes", sum.payload_sent_bytes},
            {"local_bytes", sum.local_bytes},
            {"header_bytes", sum.header_bytes},
            {"signals_received_count", sum.signals_received},
            {"signals_sent_count", sum.signals_sent},
            {"self_signals_count", sum.clears}}},
          {"races", std::move(races)},
          {"findings", std::move(findings)},
          {"launches", std::move(launches)}};
}

}  // namespace a2a3::tools
