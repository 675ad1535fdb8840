// SPDX-License-Identifier: Apache-2.0
#include "tools/output_file.hpp"

#include <cerrno>
#include <iostream>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace a2a3::tools {
namespace {

constexpr mode_t kNewFile = 0666;  // what the user's mask leaves of it

/// 0, or the number of the system's error.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int write_and_close(int descriptor, std::string_view text) {
  const int error = write_all(descriptor, text);
  const int closed = close(descriptor) < 0 ? errno : 0;
  return error != 0 ? error : closed;
}

/// Standard output or standard error when the path is another name of it, otherwise -1. A second
/// descriptor of the same file would begin at its start again.
int standard_stream(const std::filesystem::path& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) < 0) return -1;
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat other {};
    if (fstat(stream, &other) == 0 && other.st_dev == file.st_dev && other.st_ino == file.st_ino)
      return stream;
  }
  return -1;
}

int write_in_place(const std::filesystem::path& path, std::string_view text) {
  if (const int stream = standard_stream(path); stream >= 0) {
    std::cout.flush();
    return write_all(stream, text);
  }
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kNewFile);
  return descriptor < 0 ? errno : write_and_close(descriptor, text);
}

/// Whether a new file may take the place of what is there.
bool is_replaceable(const std::filesystem::path& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) < 0) return errno == ENOENT;
  return S_ISREG(info.st_mode) && info.st_nlink == 1 && standard_stream(path) < 0;
}

}  // namespace

std::filesystem::path unfinished_path(const std::filesystem::path& path, pid_t process) {
  return fmt::format("{}.{}.part", path.string(), process);
}

std::string write_whole_file(const std::filesystem::path& path, const std::string& text) {
  const auto failed = [&](int error) {
    return fmt::format("cannot write {}: {}", path.string(),
                       std::error_code(error, std::generic_category()).message());
  };
  const auto in_place = [&] {
    const int error = write_in_place(path, text);
    return error == 0 ? std::string() : failed(error);
  };
  if (!is_replaceable(path)) return in_place();
  const std::filesystem::path beside = unfinished_path(path, getpid());
  const int descriptor =
      open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kNewFile);
  if (descriptor < 0) return in_place();  // the directory takes no new files, or no long names
  struct stat old {};
  if (stat(path.c_str(), &old) == 0) (void)!fchmod(descriptor, old.st_mode);
  const int error = write_and_close(descriptor, text);
  std::error_code refused;
  if (error == 0) std::filesystem::rename(beside, path, refused);
  if (error == 0 && !refused) return {};
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  return error == 0 ? in_place() : failed(error);
}

}  // namespace a2a3::tools
