// SPDX-License-Identifier: Apache-2.0
#include "golden/golden_runner.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>

namespace a2a3::golden {
namespace {

constexpr std::string_view kMarker = "==== ";

struct GoldenFile {
  std::string before_output;  ///< everything up to and with the line "==== output"
  std::string expected;
  Case golden_case;
  std::string format_error;
};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

void add_setting(GoldenFile& file, const std::string& line) {
  const auto equals = line.find('=');
  if (equals == std::string::npos) {
    file.format_error = "a line of a set section must be `key = value`: " + line;
    return;
  }
  file.golden_case.settings[trimmed(line.substr(0, equals))] = trimmed(line.substr(equals + 1));
}

GoldenFile split(const std::string& text, std::string name) {
  enum class Section { comment, set, input, output };
  GoldenFile file;
  file.golden_case.name = std::move(name);
  Section section = Section::comment;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto newline = text.find('\n', begin);
    const auto end = newline == std::string::npos ? text.size() : newline + 1;
    const std::string with_newline = text.substr(begin, end - begin);
    const std::string line = with_newline.substr(0, with_newline.find('\n'));
    begin = end;
    if (section == Section::output) {
      file.expected += with_newline;
      continue;
    }
    file.before_output += with_newline;
    if (line == "==== set") {
      section = Section::set;
    } else if (line.starts_with("==== input ")) {
      section = Section::input;
      file.golden_case.inputs.push_back({line.substr(std::string("==== input ").size()), ""});
    } else if (line == "==== output") {
      section = Section::output;
    } else if (line.starts_with(kMarker)) {
      file.format_error = "unknown section: " + line;
    } else if (section == Section::set && !trimmed(line).empty()) {
      add_setting(file, line);
    } else if (section == Section::input) {
      file.golden_case.inputs.back().text += with_newline;
    }
  }
  if (file.golden_case.inputs.empty()) file.format_error = "there is no `==== input NAME` section";
  if (section != Section::output) {
    if (!file.before_output.ends_with('\n')) file.before_output += '\n';
    file.before_output += "==== output\n";
  }
  return file;
}

class GoldenTest : public testing::Test {
 public:
  GoldenTest(std::filesystem::path path, const Tool& tool) : path_(std::move(path)), tool_(tool) {}

  void TestBody() override {
    const GoldenFile file = split(read_file(path_), path_.stem().string());
    ASSERT_EQ(file.format_error, "") << path_;
    const Outcome outcome = tool_(file.golden_case);
    EXPECT_EQ(outcome.accepted, !file.golden_case.name.starts_with("bad-"))
        << "a case is named bad-* exactly when it is refused\n"
        << outcome.output;
    std::string output = outcome.output;
    if (!output.empty() && output.back() != '\n') output += '\n';
    if (output == file.expected) return;
    if (const char* rebase = std::getenv("A2A3_REBASE"); rebase && std::string(rebase) == "1") {
      std::ofstream(path_, std::ios::binary) << file.before_output << output;
      GTEST_LOG_(INFO) << "rewritten: " << path_.string();
      return;
    }
    EXPECT_EQ(output, file.expected) << path_ << "\nA2A3_REBASE=1 rewrites the expected output";
  }

 private:
  std::filesystem::path path_;
  const Tool& tool_;
};

class EmptyTopic : public testing::Test {
 public:
  void TestBody() override { FAIL() << "the topic has no golden files"; }
};

}  // namespace

std::string Case::setting(const std::string& key, std::string fallback) const {
  const auto found = settings.find(key);
  if (found == settings.end()) return fallback;
  return found->second;
}

bool register_topic(std::string topic, Tool tool) {
  const auto folder = std::filesystem::path(A2A3_SOURCE_DIR) / "tests" / "golden" / topic;
  std::vector<std::filesystem::path> paths;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".txt") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  const std::string suite = "golden_" + topic;
  // The tests live until the program ends, and so does the function they share.
  const auto* shared_tool = new Tool(std::move(tool));
  for (const auto& path : paths) {
    testing::RegisterTest(
        suite.c_str(), path.stem().string().c_str(), nullptr, nullptr, __FILE__, __LINE__,
        [path, shared_tool]() -> testing::Test* { return new GoldenTest(path, *shared_tool); });
  }
  if (paths.empty()) {
    testing::RegisterTest(suite.c_str(), "has_files", nullptr, nullptr, __FILE__, __LINE__,
                          []() -> testing::Test* { return new EmptyTopic; });
  }
  return true;
}

}  // namespace a2a3::golden
