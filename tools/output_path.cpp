// SPDX-License-Identifier: Apache-2.0
#include "tools/output_path.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace a2a3::tools {

std::string why_unwritable(const std::string& path) {
  if (path.empty()) return {};
  const auto because = [&](const std::string& reason) {
    return fmt::format("cannot write {}: {}", path, reason);
  };
  std::error_code error;
  const std::filesystem::path file(path);
  if (std::filesystem::is_directory(file, error)) return because("it is a directory");
  if (std::filesystem::exists(file, error))
    return access(path.c_str(), W_OK) == 0 ? "" : because("no permission");
  const std::filesystem::path directory =
      file.parent_path().empty() ? std::filesystem::path(".") : file.parent_path();
  if (!std::filesystem::is_directory(directory, error))
    return because(fmt::format("there is no directory {}", directory.string()));
  if (access(directory.c_str(), W_OK) != 0)
    return because(fmt::format("no permission in {}", directory.string()));
  // Some file systems take no files in spite of the permission.
  const int created = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (created < 0) return because(std::error_code(errno, std::generic_category()).message());
  close(created);
  std::filesystem::remove(file, error);
  return {};
}

void check_writable(const std::string& option, const std::string& path,
                    ir::Diagnostics& diagnostics) {
  if (const std::string why = why_unwritable(path); !why.empty())
    diagnostics.error({}, fmt::format("{}: {}", option, why));
}

}  // namespace a2a3::tools
