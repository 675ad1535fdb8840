// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tools/run_options.hpp"
#include "tools/sweep/point.hpp"

namespace a2a3::tools {

/// Names a run by everything that its result follows from: the texts of kernel file, run file and
/// machine files, the contents of .npy files, the options, and the program itself. Where the files
/// lie does not count. Files are read once.
class ConfigHash {
 public:
  ConfigHash();

  /// 32 hexadecimal digits.
  [[nodiscard]] std::string of(const RunOptions& options);
  /// The names of runs, in order.
  [[nodiscard]] std::vector<std::string> of(const std::vector<SweepPoint>& points);

 private:
  const std::string& file_digest(const std::filesystem::path& path);
  const std::string& machine_digest(const RunOptions& options);
  /// Contents of the .npy files that the run file or the options name.
  std::string data_digests(const RunOptions& options);

  std::map<std::string, std::string> files_;
  std::map<std::string, std::string> machines_;
  std::string program_;
};

}  // namespace a2a3::tools
