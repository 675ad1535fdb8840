// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/compare_file.hpp"
#include "models/machine_description.hpp"
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

/// Which of a run's times.
enum class TimeKind : std::uint8_t { simulated, modelled };

/// Schedules of one collective, run at sizes and rank counts as the runs of a sweep.
class Comparison {
 public:
  /// `schedules` lie in a compare file of `directory`; `common` holds what all runs share,
  /// `machine` is the one that it names.
  Comparison(std::vector<models::ComparedSchedule> schedules, std::filesystem::path directory,
             RunOptions common, models::MachineDescription machine, ResultStore store,
             PoolOptions pool);

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
                                             std::size_t first, std::size_t second,
                                             TimeKind kind) const;

  /// Bisects every change of the faster schedule between neighbouring sizes, for all pairs of
  /// schedules together. All sizes must have been measured. Modelled times are not run.
  [[nodiscard]] std::vector<CrossoverPair> crossovers(const std::vector<std::uint32_t>& ranks,
                                                      const std::vector<std::uint64_t>& sizes,
                                                      TimeKind kind);

  /// Runs as a table: their axes with schedule and bytes.
  [[nodiscard]] SweepManifest manifest(const std::vector<CompareKey>& keys);

 private:
  [[nodiscard]] SweepPoint point(const CompareKey& key) const;
  [[nodiscard]] std::optional<sim::Picoseconds> time(const CompareKey& key, TimeKind kind) const;
  /// The closed form, also of sizes that were not run; it takes one run to know the collective.
  [[nodiscard]] std::optional<sim::Picoseconds> modelled(const CompareKey& key) const;
  [[nodiscard]] std::uint64_t grain(const CrossoverPair& pair) const;

  std::vector<models::ComparedSchedule> schedules_;
  std::filesystem::path directory_;
  RunOptions common_;
  models::MachineDescription machine_;
  ResultStore store_;
  PoolOptions pool_;
  ConfigHash hash_;
  std::map<CompareKey, PointResult> results_;
  std::map<std::size_t, RunSchedule> collectives_;  ///< by schedule, as the first run found it
};

}  // namespace a2a3::tools
