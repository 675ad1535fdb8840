// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "models/compare_file.hpp"
#include "tools/sweep/config_hash.hpp"
#include "tools/sweep/crossover.hpp"
#include "tools/sweep/run_points.hpp"

namespace a2a3::tools {

/// One run of a comparison.
struct CompareKey {
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;   ///< asked for; the schedule rounds up to whole elements
  std::size_t schedule = 0;  ///< of the Comparison's
  friend auto operator<=>(const CompareKey&, const CompareKey&) = default;
};

/// Where the faster one of two schedules changes.
struct CrossoverPair {
  std::uint32_t ranks = 1;
  std::size_t first = 0;  ///< of the schedules
  std::size_t second = 0;
  std::vector<Bracket> changes;  ///< narrow or unresolved, by ascending size
};

/// Schedules of one collective, run at sizes and rank counts as the runs of a sweep.
class Comparison {
 public:
  /// `schedules` lie in a compare file of `directory`; `common` holds what all runs share.
  Comparison(std::vector<models::ComparedSchedule> schedules, std::filesystem::path directory,
             RunOptions common, ResultStore store, PoolOptions pool);

  [[nodiscard]] const std::vector<models::ComparedSchedule>& schedules() const {
    return schedules_;
  }
  /// Runs everything that was not measured yet.
  void measure(const std::vector<CompareKey>& keys);
  /// All runs so far, those of the bisection too.
  [[nodiscard]] std::vector<CompareKey> measured() const;
  /// What measure() found.
  [[nodiscard]] const PointResult& at(const CompareKey& key) const { return results_.at(key); }
  [[nodiscard]] std::vector<TimedPair> pairs(std::uint32_t ranks,
                                             const std::vector<std::uint64_t>& sizes,
                                             std::size_t first, std::size_t second) const;

  /// Bisects every change of the faster schedule between neighbouring sizes, for all pairs of
  /// schedules together. All sizes must have been measured.
  [[nodiscard]] std::vector<CrossoverPair> crossovers(const std::vector<std::uint32_t>& ranks,
                                                      const std::vector<std::uint64_t>& sizes);

  /// Runs as a table: their axes with schedule and bytes.
  [[nodiscard]] SweepManifest manifest(const std::vector<CompareKey>& keys);

 private:
  [[nodiscard]] SweepPoint point(const CompareKey& key) const;
  [[nodiscard]] std::uint64_t grain(const CrossoverPair& pair) const;

  std::vector<models::ComparedSchedule> schedules_;
  std::filesystem::path directory_;
  RunOptions common_;
  ResultStore store_;
  PoolOptions pool_;
  ConfigHash hash_;
  std::map<CompareKey, PointResult> results_;
};

}  // namespace a2a3::tools
