// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/merge.hpp"

#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>

namespace a2a3::tools {
namespace {

constexpr std::size_t kShownMissing = 5;

/// A result and where it lies.
struct FoundResult {
  PointResult result;
  std::filesystem::path directory;
};

/// The first result of a run, and errors for others that say something else.
std::optional<FoundResult> find_result(const std::string& hash,
                                       const std::vector<std::filesystem::path>& directories,
                                       std::size_t point, ir::Diagnostics& diagnostics) {
  std::optional<FoundResult> found;
  for (const std::filesystem::path& directory : directories) {
    const auto result = ResultStore(directory).read(hash);
    if (!result) continue;
    if (!found || !found->result.is_final()) {
      found = FoundResult{*result, directory};
      continue;
    }
    if (!result->is_final()) continue;
    const std::string places = fmt::format("run {} has a result in {} and in {}", point + 1,
                                           found->directory.string(), directory.string());
    if (to_json(*result) == to_json(found->result)) {
      diagnostics.warning({}, places + ", the same");
    } else {
      diagnostics.error({}, places + ", and they differ");
    }
  }
  return found;
}

/// The manifest that all directories share; nothing, with errors, when there is none.
std::optional<SweepManifest> shared_manifest(const std::vector<std::filesystem::path>& directories,
                                             ir::Diagnostics& diagnostics) {
  std::optional<SweepManifest> shared;
  for (const std::filesystem::path& directory : directories) {
    std::optional<SweepManifest> manifest = read_manifest(directory);
    if (!manifest) {
      diagnostics.error(
          {}, fmt::format("{} holds no results of a sweep (no sweep.json)", directory.string()));
    } else if (!shared) {
      shared = std::move(manifest);
    } else if (!manifest->agrees_with(*shared)) {
      diagnostics
          .error({}, fmt::format("{} and {} hold results of different sweeps",
                                 directories.front().string(), directory.string()))
          .notes.push_back({"sweep file, kernels, machines and program must be the same", {}});
    }
  }
  return diagnostics.has_errors() ? std::nullopt : shared;
}

}  // namespace

MergedResults merge_results(const std::vector<std::filesystem::path>& directories,
                            ir::Diagnostics& diagnostics) {
  MergedResults merged;
  std::set<std::filesystem::path> distinct;
  for (const std::filesystem::path& directory : directories) {
    std::error_code error;
    const auto place = std::filesystem::weakly_canonical(directory, error);
    if (!distinct.insert(error ? directory : place).second) {
      diagnostics.error({}, fmt::format("{} is given twice", directory.string()));
    }
  }
  std::optional<SweepManifest> manifest = shared_manifest(directories, diagnostics);
  if (!manifest) return merged;
  merged.manifest = *std::move(manifest);
  std::set<std::string> seen;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < merged.manifest.points.size(); ++i) {
    const std::string& hash = merged.manifest.points[i].hash;
    ir::Diagnostics repeated;  // a run that the sweep lists twice was complained about once
    const auto found =
        find_result(hash, directories, i, seen.insert(hash).second ? diagnostics : repeated);
    if (found) {
      merged.results.push_back(found->result);
    } else {
      missing.push_back(i);
    }
  }
  if (missing.empty()) return merged;
  ir::Diagnostic& error = diagnostics.error(
      {},
      fmt::format("{} of {} runs have no result", missing.size(), merged.manifest.points.size()));
  for (std::size_t i = 0; i < missing.size() && i < kShownMissing; ++i) {
    error.notes.push_back(
        {fmt::format("run {}: {}", missing[i] + 1, merged.manifest.points[missing[i]].command),
         {}});
  }
  if (missing.size() > kShownMissing) {
    error.notes.push_back({fmt::format("and {} more", missing.size() - kShownMissing), {}});
  }
  error.notes.push_back({"give the directories of all shards, or run the sweep again", {}});
  return merged;
}

}  // namespace a2a3::tools
