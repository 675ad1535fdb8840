// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace a2a3::test {

/// What a run of the program left behind.
struct Finished {
  int status = -1;  ///< exit status; 128 + signal when it crashed
  std::string out;
  std::string err;

  [[nodiscard]] std::string last_line() const;
};

/// Runs a2a3sim with these arguments in the root of the source tree and waits for it. With a
/// `stdout_file` its standard output goes there and is not read back.
[[nodiscard]] Finished a2a3sim(const std::vector<std::string>& arguments,
                               const std::string& stdout_file = "");

/// For EXPECT_TRUE: shows the text when the part is not in it.
[[nodiscard]] testing::AssertionResult contains(const std::string& text, const std::string& part);

/// A directory of this test's own, empty; removed at the end.
class ScratchDir {
 public:
  ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  ~ScratchDir();

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// "0,1,2" for 3.
[[nodiscard]] std::string devices(int ranks);

/// The file of --json.
[[nodiscard]] nlohmann::json read_json(const std::string& path);

/// The text with the one place where `from` stands replaced; a test failure when there is not
/// exactly one.
[[nodiscard]] std::string replaced(const std::string& text, const std::string& from,
                                   const std::string& to);

}  // namespace a2a3::test
