// SPDX-License-Identifier: Apache-2.0
#include "tools/data_dir.hpp"

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

}  // namespace a2a3::tools
