// SPDX-License-Identifier: Apache-2.0
#include "tools/data_dir.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace a2a3::tools {

std::filesystem::path data_dir() {
  if (const char* chosen = std::getenv("A2A3_DATA_DIR"); chosen != nullptr && *chosen != '\0') {
    return chosen;
  }
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path installed =
      (program.parent_path() / A2A3_INSTALLED_DATA_DIR).lexically_normal();
  if (!error && std::filesystem::is_directory(installed / "yaml", error)) return installed;
  return A2A3_DATA_DIR;
}

std::vector<std::string> yaml_names(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(directory, error)) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace a2a3::tools
