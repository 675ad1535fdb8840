// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/report/plot.hpp"
#include "tools/sweep/comparison.hpp"

namespace a2a3::tools {

/// What a comparison has to tell.
struct CompareReport {
  std::string collective;
  std::string description;
  std::string machine;
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint64_t> sizes;
  std::vector<CrossoverPair> crossovers;
  std::vector<CrossoverPair> modelled_crossovers;  ///< of the closed forms, pair by pair

  /// All runs of the tables: by rank count, size, schedule.
  [[nodiscard]] std::vector<CompareKey> keys(std::size_t schedules) const;
};

/// A table of times per rank count with the best one marked, and the crossovers in words.
[[nodiscard]] std::string compare_text(const CompareReport& report, const Comparison& comparison);

/// The same as JSON: results_json() of the tables, and `crossovers`.
[[nodiscard]] nlohmann::ordered_json compare_json(const CompareReport& report,
                                                  Comparison& comparison);

/// Time over size, one panel per rank count.
[[nodiscard]] Plot compare_plot(const CompareReport& report, const Comparison& comparison);

}  // namespace a2a3::tools
