// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "ir/diagnostic.hpp"

namespace a2a3::tools {

/// Why a file cannot be written to this path, found out before anything runs: no such directory, a
/// directory in its place, no permission. Empty when nothing speaks against it, and for "".
[[nodiscard]] std::string why_unwritable(const std::string& path);

/// The files that a command reads and those that it writes, whatever names they go by: nothing is
/// written over what is read, or over another output.
class OutputPaths {
 public:
  /// `role`: what an error says of it, as in "is the kernel file". It need not exist.
  void add_input(const std::filesystem::path& path, const std::string& role);
  /// The same for all files of a directory.
  void add_input_directory(const std::filesystem::path& path, const std::string& role);
  /// Takes the file of an option; there is none when `path` is empty. False, with the error
  /// "OPTION: ...", when it cannot be written or has another use. Devices and pipes may be shared.
  bool add_output(const std::string& option, const std::string& path, ir::Diagnostics& diagnostics);

 private:
  std::map<std::string, std::string> roles_;        ///< by identity of the file
  std::map<std::string, std::string> directories_;  ///< by theirs
};

}  // namespace a2a3::tools
