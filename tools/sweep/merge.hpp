// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ir/diagnostic.hpp"
#include "tools/sweep/point_result.hpp"
#include "tools/sweep/result_store.hpp"

namespace a2a3::tools {

/// The results of one sweep that lie in one directory or in several.
struct MergedResults {
  SweepManifest manifest;
  std::vector<PointResult> results;  ///< by point; complete when there were no errors
};

/// Joins what shards left. Errors: a directory without results, directories of different sweeps,
/// runs without a result, runs whose results differ. A run that two directories have with the same
/// result is a warning.
[[nodiscard]] MergedResults merge_results(const std::vector<std::filesystem::path>& directories,
                                          ir::Diagnostics& diagnostics);

}  // namespace a2a3::tools
