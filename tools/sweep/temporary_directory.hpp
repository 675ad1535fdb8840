// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace a2a3::tools {

/// A new directory for results that nobody asked to keep, gone afterwards. Throws
/// std::system_error when there is no place for it.
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
