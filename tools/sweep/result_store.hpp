// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/output_path.hpp"
#include "tools/sweep/point.hpp"
#include "tools/sweep/point_result.hpp"

namespace a2a3::tools {

/// A directory of results: points/HASH.json, one per run, and sweep.json, which runs there are.
/// Several processes, on several machines too, may write to it at the same time.
class ResultStore {
 public:
  explicit ResultStore(std::filesystem::path directory) : directory_(std::move(directory)) {}

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

  /// Makes the directories. An error text, empty when they are there.
  [[nodiscard]] std::string create() const;

  /// No output of a command may go among the results.
  void keep_free(OutputPaths& outputs) const;
  [[nodiscard]] std::filesystem::path manifest_path() const;

  /// Nothing when there is none, or one that cannot be read.
  [[nodiscard]] std::optional<PointResult> read(const std::string& hash) const;
  [[nodiscard]] std::string write(const std::string& hash, const PointResult& result) const;
  void remove(const std::string& hash) const;

  /// What the run of this name says on stderr while it lasts.
  [[nodiscard]] std::filesystem::path log_path(const std::string& hash) const;

  /// What a process that was killed in write() may have left.
  [[nodiscard]] std::filesystem::path unfinished_path(const std::string& hash, pid_t process) const;

  /// Which runs the sweep has. The same for all shards.
  [[nodiscard]] std::string write_manifest(const Sweep& sweep,
                                           const std::vector<std::string>& hashes) const;

 private:
  [[nodiscard]] std::filesystem::path point_path(const std::string& hash) const;

  std::filesystem::path directory_;
};

/// sweep.json of a directory.
struct SweepManifest {
  std::string description;
  std::vector<std::string> columns;
  struct Point {
    std::string hash;
    std::vector<std::string> values;  ///< by column
    std::string command;              ///< that repeats it
  };
  std::vector<Point> points;

  /// The same runs in the same order.
  [[nodiscard]] bool agrees_with(const SweepManifest& other) const;
};

[[nodiscard]] SweepManifest manifest_of(const Sweep& sweep, const std::vector<std::string>& hashes);
/// Nothing when the directory has none that can be read.
[[nodiscard]] std::optional<SweepManifest> read_manifest(const std::filesystem::path& directory);

}  // namespace a2a3::tools
