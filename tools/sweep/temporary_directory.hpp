// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stdexcept>

namespace a2a3::tools {

/// There is no place for a temporary directory: the user's to mend, what() says how.
class NoTemporaryDirectory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A new directory for results that nobody asked to keep, gone afterwards. Throws
/// NoTemporaryDirectory.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace a2a3::tools
