// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/sweep_plot.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/config/whole_number.hpp"

namespace a2a3::tools {
namespace {

constexpr double kPicosecondsInAMicrosecond = 1e6;

/// The values of an axis, each once.
std::set<std::string> values_of(const SweepManifest& manifest, std::size_t column) {
  std::set<std::string> values;
  for (const SweepManifest::Point& point : manifest.points)
    values.insert(point.values[column]);
  return values;
}

bool is_numeric(const std::set<std::string>& values) {
  return std::ranges::all_of(values, [](const std::string& value) {
    return models::whole_number<std::uint64_t>(value).value_or(0) > 0;
  });
}

std::optional<std::size_t> choose_axis(const SweepManifest& manifest, const std::string& x,
                                       ir::Diagnostics& diagnostics) {
  std::vector<std::string> possible;
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < manifest.columns.size(); ++i) {
    const auto values = values_of(manifest, i);
    if (!is_numeric(values)) continue;
    possible.push_back(manifest.columns[i]);
    if (x.empty() ? values.size() > 1 : manifest.columns[i] == x) chosen = i;
  }
  if (chosen) return chosen;
  const std::string axes = possible.empty()
                               ? "this sweep has none"
                               : fmt::format("this sweep has {}", fmt::join(possible, ", "));
  diagnostics.error({}, x.empty() ? fmt::format("--plot needs an axis of several numbers above 0; "
                                                "{}",
                                                axes)
                                  : fmt::format("--plot-x {}: expected an axis whose values are "
                                                "numbers above 0; {}",
                                                x, axes));
  return std::nullopt;
}

/// The values of the other axes that vary.
std::string series_name(const SweepManifest& manifest, const SweepManifest::Point& point,
                        std::size_t x) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < manifest.columns.size(); ++i) {
    if (i == x || values_of(manifest, i).size() < 2) continue;
    const std::string& value = point.values[i];
    const bool is_path = manifest.columns[i] == "kernel";
    parts.push_back(is_path ? value.substr(value.rfind('/') + 1)
                            : fmt::format("{}={}", manifest.columns[i], value));
  }
  return parts.empty() ? "time" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Plot sweep_plot(const SweepManifest& manifest, const std::vector<PointResult>& results,
                const std::string& x, ir::Diagnostics& diagnostics) {
  const auto axis = choose_axis(manifest, x, diagnostics);
  if (!axis) return {};
  std::map<double, std::string> ticks;
  PlotPanel panel{"", {}};
  for (std::size_t i = 0; i < manifest.points.size(); ++i) {
    const SweepManifest::Point& point = manifest.points[i];
    if (!results[i].cost) continue;
    const std::string& text = point.values[*axis];
    const auto place = static_cast<double>(*models::whole_number<std::uint64_t>(text));
    ticks.emplace(place, text);
    const std::string name = series_name(manifest, point, *axis);
    auto series = std::ranges::find(panel.series, name, &PlotSeries::name);
    if (series == panel.series.end()) series = panel.series.insert(series, {name, {}});
    series->points.emplace_back(
        place, static_cast<double>(results[i].cost->time_ps) / kPicosecondsInAMicrosecond);
  }
  if (panel.series.empty()) diagnostics.error({}, "--plot: no run has a time");
  for (PlotSeries& series : panel.series)
    std::ranges::sort(series.points);
  Plot plot{manifest.description, manifest.columns[*axis], "time (us)", {}, {}};
  for (const auto& [place, text] : ticks)
    plot.x_ticks.emplace_back(text, place);
  plot.panels.push_back(std::move(panel));
  return plot;
}

}  // namespace a2a3::tools
