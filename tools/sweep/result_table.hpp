// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/sweep/point_result.hpp"
#include "tools/sweep/result_store.hpp"

namespace a2a3::tools {

/// A figure of a run as a column of the tables, with its unit in the name. Everything that is known
/// of a run comes from its PointResult: a new figure is a member there, its key where it is stored,
/// and a line in result_columns().
struct ResultColumn {
  const char* name;
  std::string (*text)(const PointResult& result);  ///< empty when the run has no such figure
};

/// status, exit_status, time_us, ..., error.
[[nodiscard]] std::span<const ResultColumn> result_columns();

/// A field of a CSV file: RFC 4180.
[[nodiscard]] std::string csv_field(const std::string& text);

/// One row per run: the axes, then result_columns(). The same runs give the same bytes, however
/// they were spread over processes and machines.
[[nodiscard]] std::string results_csv(const SweepManifest& manifest,
                                      const std::vector<PointResult>& results);

/// The same as JSON, with the name and the command of each run.
[[nodiscard]] nlohmann::ordered_json results_json(const SweepManifest& manifest,
                                                  const std::vector<PointResult>& results);

/// Axes, verdict, time and bandwidth of each run, for people.
[[nodiscard]] std::string results_text(const SweepManifest& manifest,
                                       const std::vector<PointResult>& results);

/// How many runs failed, the first of them, and how to repeat them. Empty when none did.
[[nodiscard]] std::string failures_text(const SweepManifest& manifest,
                                        const std::vector<PointResult>& results);

/// The worst exit status of all runs; ok when there are none.
[[nodiscard]] ExitStatus worst_status(const std::vector<PointResult>& results);

/// Picoseconds as "12.345678" microseconds.
[[nodiscard]] std::string exact_microseconds(sim::Picoseconds time);

}  // namespace a2a3::tools
