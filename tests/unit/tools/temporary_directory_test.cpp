// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/temporary_directory.hpp"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace a2a3::tools::temporary_directory_test {
namespace {

TEST(TemporaryDirectory, IsGoneAfterwards) {
  std::filesystem::path path;
  {
    const TemporaryDirectory directory;
    path = directory.path();
    EXPECT_TRUE(std::filesystem::is_directory(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryDirectory, WithoutAPlaceItSaysWhatToDo) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  for (const char* place : {"/nonexistent", "/proc"}) {
    setenv("TMPDIR", place, 1);
    try {
      const TemporaryDirectory directory;
      ADD_FAILURE() << place;
    } catch (const NoTemporaryDirectory& error) {
      EXPECT_NE(std::string(error.what()).find("set TMPDIR to a directory that can be written"),
                std::string::npos);
    }
  }
  if (before == nullptr)
    unsetenv("TMPDIR");
  else
    setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace a2a3::tools::temporary_directory_test
