// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/compare_report.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "tools/report/rank_rows.hpp"
#include "tools/report/table.hpp"
#include "tools/sweep/compare_sizes.hpp"
#include "tools/sweep/result_table.hpp"

namespace a2a3::tools {
namespace {

constexpr double kPicosecondsPerMicrosecond = 1e6;

std::string ranks_text(std::uint32_t ranks) {
  return fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s");
}

/// The shortest time of a row; nothing when no run gave one.
std::optional<sim::Picoseconds> best_time(const Comparison& comparison, std::uint32_t ranks,
                                          std::uint64_t bytes) {
  std::optional<sim::Picoseconds> best;
  for (std::size_t s = 0; s < comparison.schedules().size(); ++s) {
    const PointResult& result = comparison.at({ranks, bytes, s});
    if (result.cost) best = std::min(best.value_or(result.cost->time_ps), result.cost->time_ps);
  }
  return best;
}

/// The lowest of the schedules' bounds: they differ only by what was rounded up.
std::string bound_cell(const Comparison& comparison, std::uint32_t ranks, std::uint64_t bytes) {
  std::optional<sim::Picoseconds> lowest;
  for (std::size_t s = 0; s < comparison.schedules().size(); ++s) {
    const PointResult& result = comparison.at({ranks, bytes, s});
    if (!result.cost || result.cost->bound_ps == 0) continue;
    lowest = std::min(lowest.value_or(result.cost->bound_ps), result.cost->bound_ps);
  }
  return lowest ? microseconds(*lowest) : "-";
}

std::string times_table(const CompareReport& report, const Comparison& comparison,
                        std::uint32_t ranks) {
  std::vector<Table::Column> columns{{"size", ""}};
  for (const models::ComparedSchedule& schedule : comparison.schedules()) {
    columns.push_back({schedule.name + "  ", "us  "});
    columns.push_back({"model  ", "us  "});
  }
  columns.push_back({"bound", "us"});
  Table table(std::move(columns), 0);
  for (const std::uint64_t bytes : report.sizes) {
    const auto best = best_time(comparison, ranks, bytes);
    std::vector<std::string> row{size_text(bytes)};
    for (std::size_t s = 0; s < comparison.schedules().size(); ++s) {
      const std::optional<PointCost>& cost = comparison.at({ranks, bytes, s}).cost;
      const bool is_best = cost && cost->time_ps == best;
      row.push_back((cost ? microseconds(cost->time_ps) : "-") + (is_best ? " *" : "  "));
      const bool is_modelled = cost && cost->modelled_ps > 0;
      row.push_back((is_modelled ? microseconds(cost->modelled_ps) : "-") +
                    (cost && cost->is_off_model() ? " !" : "  "));
    }
    row.push_back(bound_cell(comparison, ranks, bytes));
    table.add_row(std::move(row));
  }
  return table.text();
}

/// "the closed form is off by 0.4 % on average, 3.9 % at most (ring, 8 ranks, 1 KiB)"; empty when
/// no run has one.
std::string model_error_words(const CompareReport& report, const Comparison& comparison) {
  constexpr double kPercent = 100;
  double sum = 0;
  double worst = -1;
  std::size_t count = 0;
  CompareKey worst_key;
  for (const CompareKey& key : report.keys(comparison.schedules().size())) {
    const std::optional<PointCost>& cost = comparison.at(key).cost;
    if (!cost || cost->modelled_ps == 0) continue;
    const auto simulated = static_cast<double>(cost->time_ps);
    const double error = std::abs(static_cast<double>(cost->modelled_ps) / simulated - 1);
    sum += error;
    ++count;
    if (error <= worst) continue;
    worst = error;
    worst_key = key;
  }
  if (count == 0) return "";
  return fmt::format(
      "the closed form is off by {:.1f} % on average, {:.1f} % at most ({}, {}, {})\n",
      kPercent * sum / static_cast<double>(count), kPercent * worst,
      comparison.schedules()[worst_key.schedule].name, ranks_text(worst_key.ranks),
      size_text(worst_key.bytes));
}

/// Whether a run of the tables is marked.
bool has_marked_model(const CompareReport& report, const Comparison& comparison) {
  return std::ranges::any_of(report.keys(comparison.schedules().size()), [&](const CompareKey& k) {
    const std::optional<PointCost>& cost = comparison.at(k).cost;
    return cost && cost->is_off_model();
  });
}

/// Sizes that some schedule had to round up.
bool has_padding(const CompareReport& report, const Comparison& comparison) {
  return std::ranges::any_of(report.keys(comparison.schedules().size()), [&](const CompareKey& k) {
    const models::ComparedSchedule& schedule = comparison.schedules()[k.schedule];
    return schedule.buffer_bytes(schedule.elements(k.bytes, k.ranks), k.ranks) != k.bytes;
  });
}

std::string words_of(const CompareReport& report, const Comparison& comparison,
                     const CrossoverPair& pair, TimeKind kind) {
  return crossover_words(
      comparison.schedules()[pair.first].name, comparison.schedules()[pair.second].name,
      comparison.pairs(pair.ranks, report.sizes, pair.first, pair.second, kind), pair.changes);
}

/// The simulated crossover, and the modelled one behind it.
std::string both_words(const CompareReport& report, const Comparison& comparison,
                       std::size_t pair) {
  const std::string simulated =
      words_of(report, comparison, report.crossovers[pair], TimeKind::simulated);
  const std::string modelled =
      words_of(report, comparison, report.modelled_crossovers[pair], TimeKind::modelled);
  return fmt::format("{} (model: {})\n", simulated, modelled == simulated ? "the same" : modelled);
}

nlohmann::ordered_json changes_json(const Comparison& comparison, const CrossoverPair& pair) {
  nlohmann::ordered_json changes = nlohmann::ordered_json::array();
  for (const Bracket& change : pair.changes) {
    const std::size_t below = change.first_below ? pair.first : pair.second;
    changes.push_back({{"low_bytes", change.low},
                       {"high_bytes", change.high},
                       {"resolved", !change.unresolved},
                       {"faster_below", comparison.schedules()[below].name}});
  }
  return changes;
}

}  // namespace

std::vector<CompareKey> CompareReport::keys(std::size_t schedules) const {
  std::vector<CompareKey> all;
  for (const std::uint32_t count : ranks) {
    for (const std::uint64_t bytes : sizes) {
      for (std::size_t s = 0; s < schedules; ++s)
        all.push_back({count, bytes, s});
    }
  }
  return all;
}

std::string compare_text(const CompareReport& report, const Comparison& comparison) {
  std::string text =
      fmt::format("{} on {}: {}\n", report.collective, report.machine, report.description);
  for (const std::uint32_t ranks : report.ranks) {
    text += fmt::format("\n{}:\n{}", ranks_text(ranks), times_table(report, comparison, ranks));
    for (std::size_t pair = 0; pair < report.crossovers.size(); ++pair) {
      if (report.crossovers[pair].ranks == ranks) text += both_words(report, comparison, pair);
    }
  }
  text += "\n* the fastest; size as in NCCL-tests: the whole buffer of one rank\n";
  if (has_marked_model(report, comparison)) {
    text += "! the closed form is off by more than 10 %\n";
  }
  text += model_error_words(report, comparison);
  if (has_padding(report, comparison)) {
    text += "sizes that do not divide into elements and ranks were rounded up\n";
  }
  return text;
}

nlohmann::ordered_json compare_json(const CompareReport& report, Comparison& comparison) {
  const std::vector<CompareKey> keys = report.keys(comparison.schedules().size());
  std::vector<PointResult> results;
  for (const CompareKey& key : keys)
    results.push_back(comparison.at(key));
  nlohmann::ordered_json json = results_json(comparison.manifest(keys), results);
  json["description"] = report.description;
  json["collective"] = report.collective;
  json["crossovers"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < report.crossovers.size(); ++i) {
    const CrossoverPair& pair = report.crossovers[i];
    const CrossoverPair& modelled = report.modelled_crossovers[i];
    json["crossovers"].push_back(
        {{"ranks", pair.ranks},
         {"first", comparison.schedules()[pair.first].name},
         {"second", comparison.schedules()[pair.second].name},
         {"changes", changes_json(comparison, pair)},
         {"words", words_of(report, comparison, pair, TimeKind::simulated)},
         {"modelled_changes", changes_json(comparison, modelled)},
         {"modelled_words", words_of(report, comparison, modelled, TimeKind::modelled)}});
  }
  return json;
}

Plot compare_plot(const CompareReport& report, const Comparison& comparison) {
  Plot plot{fmt::format("{} on {}", report.collective, report.machine),
            "size (bytes of one rank's buffer)",
            "time (us)",
            {},
            {}};
  for (const std::uint64_t bytes : report.sizes)
    plot.x_ticks.emplace_back(size_text(bytes), static_cast<double>(bytes));
  for (const std::uint32_t ranks : report.ranks) {
    PlotPanel panel{ranks_text(ranks), {}};
    for (std::size_t s = 0; s < comparison.schedules().size(); ++s) {
      PlotSeries series{comparison.schedules()[s].name, {}};
      for (const std::uint64_t bytes : report.sizes) {
        const PointResult& result = comparison.at({ranks, bytes, s});
        if (!result.cost) continue;
        series.points.emplace_back(
            static_cast<double>(bytes),
            static_cast<double>(result.cost->time_ps) / kPicosecondsPerMicrosecond);
      }
      panel.series.push_back(std::move(series));
    }
    plot.panels.push_back(std::move(panel));
  }
  return plot;
}

}  // namespace a2a3::tools
