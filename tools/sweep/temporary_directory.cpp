// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/temporary_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace a2a3::tools {

TemporaryDirectory::TemporaryDirectory() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "a2a3sim-XXXXXX").string();
  if (!error && mkdtemp(name.data()) == nullptr) error = {errno, std::generic_category()};
  if (error) {
    throw NoTemporaryDirectory("no place for temporary results: " + error.message() +
                               "; set TMPDIR to a directory that can be written");
  }
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace a2a3::tools
