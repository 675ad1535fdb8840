// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.hpp"

namespace a2a3::tools {

/// Which files call which operations: kernel files, and tests that hold kernels as text.
class OperationUses {
 public:
  /// Reads every .py, .txt, .cpp and .hpp file below a directory. An error when it is none.
  void read(const std::filesystem::path& directory, ir::Diagnostics& diagnostics);

  /// Files that call an operation by any of its names, those first that call the fewest different
  /// operations: they are about it.
  [[nodiscard]] std::vector<std::string> of(const std::vector<std::string_view>& names) const;

 private:
  std::map<std::string, std::set<std::string>, std::less<>> files_by_name_;
  std::map<std::string, std::size_t> names_in_file_;
};

/// The first few: "a.txt, b.txt, c.txt, ...".
[[nodiscard]] std::string shortened(const std::vector<std::string>& files);

}  // namespace a2a3::tools
