// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "models/config/text_file.hpp"
#include "tools/run_options.hpp"
#include "tools/sweep/point.hpp"

namespace a2a3::tools {

/// Names a run by everything that its result follows from: the texts of kernel file, run file and
/// machine files, the contents of .npy files, the options, and the program itself. Where the files
/// lie does not count. Files are read once, within the limits that the options of all runs share.
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
  /// Contents of the .npy files that the run file names.
  const std::string& run_file_data(const std::filesystem::path& run_file,
                                   const models::ConfigLimits& limits);
  /// A specification of an option, "NAME: SPEC"; a .npy file's contents stand for its path.
  std::string spec_line(const std::string& spec);
  std::string option_lines(const RunOptions& options);

  std::map<std::string, std::string> files_;
  std::map<std::string, std::string> machines_;
  std::map<std::string, std::string> run_file_data_;
  std::string program_;
};

}  // namespace a2a3::tools
