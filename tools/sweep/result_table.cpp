// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/result_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tools/report/rank_rows.hpp"
#include "tools/report/table.hpp"

namespace a2a3::tools {
namespace {

constexpr std::size_t kShownFailures = 5;

/// A figure of runs that finished and were timed.
template <auto Member>
std::string cost_text(const PointResult& result) {
  return result.cost ? fmt::format("{}", (*result.cost).*Member) : "";
}

template <sim::Picoseconds PointCost::*Member>
std::string time_text(const PointResult& result) {
  return result.cost ? exact_microseconds((*result.cost).*Member) : "";
}

/// Empty also when there is no closed form.
template <sim::Picoseconds PointCost::*Member>
std::string closed_form_text(const PointResult& result) {
  if (!result.cost || (*result.cost).*Member == 0) return "";
  return exact_microseconds((*result.cost).*Member);
}

/// Empty also when no bandwidth is defined.
template <auto Member>
std::string sized_text(const PointResult& result) {
  if (!result.cost || result.cost->size_bytes == 0) return "";
  return cost_text<Member>(result);
}

template <double PointCost::*Member>
std::string bandwidth_text(const PointResult& result) {
  if (!result.cost || result.cost->size_bytes == 0) return "";
  constexpr double kGiga = 1e9;
  return fmt::format("{:.6f}", (*result.cost).*Member / kGiga);
}

constexpr ResultColumn kResultColumns[] = {
    {"status", [](const PointResult& r) { return r.status; }},
    {"exit_status",
     [](const PointResult& r) { return std::to_string(static_cast<int>(r.exit_status)); }},
    {"time_us", time_text<&PointCost::time_ps>},
    {"size_bytes", sized_text<&PointCost::size_bytes>},
    {"algbw_gb_per_s", bandwidth_text<&PointCost::algbw>},
    {"busbw_gb_per_s", bandwidth_text<&PointCost::busbw>},
    {"received_max_bytes", cost_text<&PointCost::received_bytes>},
    {"sent_max_bytes", cost_text<&PointCost::sent_bytes>},
    {"local_max_bytes", cost_text<&PointCost::local_bytes>},
    {"signals_max_count", cost_text<&PointCost::signals>},
    {"waiting_max_us", time_text<&PointCost::waiting_ps>},
    {"modelled_us", closed_form_text<&PointCost::modelled_ps>},
    {"bound_us", closed_form_text<&PointCost::bound_ps>},
    {"instructions_count", [](const PointResult& r) { return std::to_string(r.instructions); }},
    {"error", [](const PointResult& r) { return r.error; }}};

/// Columns that tell the runs apart; all of them when there is one run.
std::vector<std::size_t> varying_columns(const SweepManifest& manifest) {
  std::vector<std::size_t> varying;
  for (std::size_t c = 0; c < manifest.columns.size(); ++c) {
    const auto differs = [&](const SweepManifest::Point& point) {
      return point.values[c] != manifest.points.front().values[c];
    };
    const bool one = manifest.points.size() == 1 && !manifest.points.front().values[c].empty();
    if (one || std::ranges::any_of(manifest.points, differs)) varying.push_back(c);
  }
  return varying;
}

}  // namespace

std::span<const ResultColumn> result_columns() {
  return kResultColumns;
}

std::string exact_microseconds(sim::Picoseconds time) {
  constexpr sim::Picoseconds kPerMicrosecond = 1'000'000;
  return fmt::format("{}.{:06}", time / kPerMicrosecond, time % kPerMicrosecond);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string results_csv(const SweepManifest& manifest, const std::vector<PointResult>& results) {
  std::string text;
  for (const std::string& column : manifest.columns)
    text += csv_field(column) + ",";
  for (const ResultColumn& column : result_columns()) {
    text += column.name;
    text += &column == &result_columns().back() ? "\n" : ",";
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const std::string& value : manifest.points[i].values)
      text += csv_field(value) + ",";
    for (const ResultColumn& column : result_columns()) {
      text += csv_field(column.text(results[i]));
      text += &column == &result_columns().back() ? "\n" : ",";
    }
  }
  return text;
}

nlohmann::ordered_json results_json(const SweepManifest& manifest,
                                    const std::vector<PointResult>& results) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    nlohmann::ordered_json axes = nlohmann::ordered_json::object();
    for (std::size_t c = 0; c < manifest.columns.size(); ++c)
      axes[manifest.columns[c]] = manifest.points[i].values[c];
    nlohmann::ordered_json point = {{"hash", manifest.points[i].hash},
                                    {"axes", std::move(axes)},
                                    {"command", manifest.points[i].command}};
    point.update(to_json(results[i]));
    points.push_back(std::move(point));
  }
  return {{"schema_version", 1},
          {"program", "a2a3sim " A2A3_VERSION},
          {"description", manifest.description},
          {"columns", manifest.columns},
          {"points", std::move(points)}};
}

std::string results_text(const SweepManifest& manifest, const std::vector<PointResult>& results) {
  if (results.empty()) return "";
  const std::vector<std::size_t> shown = varying_columns(manifest);
  std::vector<Table::Column> columns;
  for (const std::size_t c : shown)
    columns.push_back({manifest.columns[c], ""});
  columns.insert(columns.end(),
                 {{"status", ""}, {"time", "us"}, {"size", "bytes"}, {"busbw", "GB/s"}});
  Table table(std::move(columns), shown.size() + 1);
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::vector<std::string> row;
    for (const std::size_t c : shown)
      row.push_back(manifest.points[i].values[c]);
    const std::optional<PointCost>& cost = results[i].cost;
    const bool sized = cost && cost->size_bytes > 0;
    constexpr double kGiga = 1e9;
    row.push_back(results[i].status);
    row.push_back(cost ? microseconds(cost->time_ps) : "-");
    row.push_back(sized ? std::to_string(cost->size_bytes) : "-");
    row.push_back(sized ? fmt::format("{:.3f}", cost->busbw / kGiga) : "-");
    table.add_row(std::move(row));
  }
  return table.text();
}

std::string failures_text(const SweepManifest& manifest, const std::vector<PointResult>& results) {
  const auto failed = std::ranges::count_if(results, &PointResult::failed);
  if (failed == 0) return "";
  std::string text = fmt::format("{} of {} runs failed:\n", failed, results.size());
  std::size_t shown = 0;
  for (std::size_t i = 0; i < results.size() && shown < kShownFailures; ++i) {
    if (!results[i].failed()) continue;
    ++shown;
    text += fmt::format("  {}: {}\n    {}\n", results[i].status, results[i].error,
                        manifest.points[i].command);
  }
  const auto more = static_cast<std::size_t>(failed) - shown;
  if (more > 0) text += fmt::format("  and {} more: column error of the table\n", more);
  return text;
}

ExitStatus worst_status(const std::vector<PointResult>& results) {
  ExitStatus worst = ExitStatus::ok;
  for (const PointResult& result : results)
    worst = worse(worst, result.exit_status);
  return worst;
}

}  // namespace a2a3::tools
