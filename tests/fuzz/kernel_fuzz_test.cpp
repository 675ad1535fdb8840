// SPDX-License-Identifier: Apache-2.0
// Kernel files, changed at random with a fixed seed: whatever comes in, every step ends, and an
// error stands at a place of the file.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ir/check.hpp"
#include "ir/elaborate.hpp"
#include "ir/parser.hpp"
#include "ir/printer.hpp"
#include "ir/utf8.hpp"

namespace a2a3::ir::kernel_fuzz_test {
namespace {

constexpr std::size_t kRoundsPerFile = 60;

/// The examples and the golden files of the parser: the latter hold more than kernels, which does
/// not matter here.
std::vector<std::string> seeds() {
  const std::filesystem::path root(A2A3_SOURCE_DIR);
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"examples", "tests/golden/parse"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension == ".py" || extension == ".txt") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    texts.push_back(std::move(text).str());
  }
  return texts;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string mutate(std::string text, const std::vector<std::string>& others) {
    for (std::size_t n = 1 + below(4); n > 0 && !text.empty(); --n)
      once(text, others);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  void once(std::string& text, const std::vector<std::string>& others) {
    static constexpr std::array<std::string_view, 40> kTokens = {"(",
                                                                 ")",
                                                                 "[",
                                                                 "]",
                                                                 "{",
                                                                 "}",
                                                                 "\"",
                                                                 "'",
                                                                 "\"\"\"",
                                                                 "f\"{",
                                                                 "\\",
                                                                 "#",
                                                                 ":",
                                                                 ",",
                                                                 "=",
                                                                 "+=",
                                                                 "**",
                                                                 "-",
                                                                 "not ",
                                                                 "if ",
                                                                 "else:\n",
                                                                 "for ",
                                                                 "while ",
                                                                 "def f(",
                                                                 "class ",
                                                                 "@pl.",
                                                                 "return ",
                                                                 "lambda",
                                                                 "0x",
                                                                 "1e999",
                                                                 "99999999999999999999",
                                                                 "\n",
                                                                 "\r\n",
                                                                 "\n\t",
                                                                 "\n  ",
                                                                 "\f",
                                                                 "\xC3\xA9",
                                                                 "漢",
                                                                 "pl.range(",
                                                                 "elif a:\n"};
    const std::size_t at = below(text.size());
    const std::size_t length = std::min(1 + below(40), text.size() - at);
    switch (below(8)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      case 3: {
        const std::string& other = others[below(others.size())];
        text.insert(at, other.substr(below(other.size()), 1 + below(200)));
        break;
      }
      case 4:
        text.resize(at);
        break;
      case 5:
        drop_line(text, at);
        break;
      default:
        text.insert(at, kTokens[below(kTokens.size())]);
        break;
    }
  }

  static void drop_line(std::string& text, std::size_t at) {
    const std::size_t before = text.rfind('\n', at);
    const std::size_t begin = before == std::string::npos ? 0 : before;
    const std::size_t end = std::min(text.find('\n', begin + 1), text.size());
    text.erase(begin, end - begin);
  }

  std::mt19937_64 random_;
};

void expect_places(const Diagnostics& diagnostics, const SourceFile& file) {
  const std::string_view text = file.text();
  const auto lines =
      1 + std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; });
  for (const Diagnostic& item : diagnostics.all()) {
    EXPECT_FALSE(item.message.empty());
    if (!item.location.known()) continue;
    EXPECT_EQ(item.location.file, &file);
    EXPECT_LE(item.location.line, lines);
    EXPECT_GE(item.location.column, 1u);
    EXPECT_LE(item.location.column, utf8::length(file.line(item.location.line)) + 1)
        << item.message;
  }
  EXPECT_FALSE(diagnostics.has_errors() && format(diagnostics).empty());
}

// All steps that the program takes before a run.
void take_all_steps(const SourceFilePtr& file) {
  ParsedFile parsed = parse_file(file);
  expect_places(parsed.diagnostics, *file);
  if (!parsed.diagnostics.has_errors()) {
    const std::string printed = print(parsed.file);
    const ParsedFile again = parse_file(std::make_shared<SourceFile>("printed.py", printed));
    EXPECT_EQ(format(again.diagnostics), "") << printed;
    EXPECT_EQ(print(again.file), printed);
  }
  Elaborated elaborated = elaborate(std::move(parsed.file), {});
  expect_places(elaborated.diagnostics, *file);
  if (!elaborated.module) return;
  const Diagnostics checked = check(*elaborated.module);
  expect_places(checked, *file);
  EXPECT_FALSE(print(*elaborated.module).empty());
}

TEST(KernelFuzz, EveryStepSurvivesEveryFile) {
  const std::vector<std::string> texts = seeds();
  ASSERT_FALSE(texts.empty());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t round = 0; round < kRoundsPerFile; ++round) {
      Mutator mutator(1000 * i + round);
      const std::string text = mutator.mutate(texts[i], texts);
      take_all_steps(std::make_shared<SourceFile>("fuzzed.py", text));
      if (HasFailure()) FAIL() << "seed text " << i << ", round " << round << '\n' << text;
    }
  }
}

}  // namespace
}  // namespace a2a3::ir::kernel_fuzz_test
