// SPDX-License-Identifier: Apache-2.0
#include "tools/output_path.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace a2a3::tools {
namespace {

/// Where a file will be that is not there yet: a link leads to its target.
std::filesystem::path future_place(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as the system's own limit
  std::error_code error;
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(path, error); ++links)
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  return path;
}

std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.parent_path().empty() ? std::filesystem::path(".") : file.parent_path();
}

/// The same for all names of one file, also of one that is not there yet.
std::string file_identity(const std::filesystem::path& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0) return fmt::format("{}:{}", info.st_dev, info.st_ino);
  std::error_code error;
  const std::filesystem::path file = std::filesystem::absolute(future_place(path), error);
  const auto canonical = std::filesystem::weakly_canonical(file, error);
  return error ? path.string() : canonical.string();
}

/// Takes any number of outputs, one behind the other.
bool is_stream(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && (S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode));
}

}  // namespace

std::string why_unwritable(const std::string& path) {
  if (path.empty()) return {};
  const auto because = [&](const std::string& reason) {
    return fmt::format("cannot write {}: {}", path, reason);
  };
  std::error_code error;
  const std::filesystem::path file = future_place(path);
  if (std::filesystem::is_directory(path, error)) return because("it is a directory");
  if (std::filesystem::exists(path, error))
    return access(path.c_str(), W_OK) == 0 ? "" : because("no permission");
  const std::filesystem::path directory = directory_of(file);
  if (!std::filesystem::is_directory(directory, error))
    return because(fmt::format("there is no directory {}", directory.string()));
  if (access(directory.c_str(), W_OK) != 0)
    return because(fmt::format("no permission in {}", directory.string()));
  // Some file systems take no files in spite of the permission.
  const int created = open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (created < 0) return because(std::error_code(errno, std::generic_category()).message());
  close(created);
  std::filesystem::remove(file, error);
  return {};
}

void OutputPaths::add_input(const std::filesystem::path& path, const std::string& role) {
  roles_.emplace(file_identity(path), role);
}

void OutputPaths::add_input_directory(const std::filesystem::path& path, const std::string& role) {
  directories_.emplace(file_identity(path), role);
}

bool OutputPaths::add_output(const std::string& option, const std::string& path,
                             ir::Diagnostics& diagnostics) {
  if (path.empty()) return true;
  if (const std::string why = why_unwritable(path); !why.empty()) {
    diagnostics.error({}, fmt::format("{}: {}", option, why));
    return false;
  }
  if (is_stream(path)) return true;
  const auto refuse = [&](const std::string& role) {
    diagnostics.error({}, fmt::format("{}: {} {}", option, path, role));
    return false;
  };
  const auto directory = directories_.find(file_identity(directory_of(future_place(path))));
  if (directory != directories_.end()) return refuse(directory->second);
  const auto [use, is_free] = roles_.emplace(file_identity(path), "is written by " + option);
  return is_free || refuse(use->second);
}

}  // namespace a2a3::tools
