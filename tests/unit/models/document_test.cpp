// SPDX-License-Identifier: Apache-2.0
#include "models/config/document.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

namespace a2a3::models::document_test {
namespace {

ConfigDocument parse(const std::string& text) {
  return parse_document(std::make_shared<const ir::SourceFile>("f.yaml", text));
}

std::string repeated(const std::string& unit, int times) {
  std::string text;
  for (int i = 0; i < times; ++i)
    text += unit;
  return text;
}

/// The file is refused, and every error has a place.
void expect_refused(const std::string& text, const std::string& message) {
  const ConfigDocument document = parse(text);
  ASSERT_TRUE(document.diagnostics.has_errors()) << text.substr(0, 100);
  const ir::Diagnostic& first = document.diagnostics.all().front();
  EXPECT_NE(first.message.find(message), std::string::npos) << format(document.diagnostics);
  EXPECT_TRUE(first.location.known());
}

TEST(Document, KeepsPlacesAndOrder) {
  const ConfigDocument document = parse("b: 1\na: {x: \"two\", y: [3, 4]}\n");
  ASSERT_FALSE(document.diagnostics.has_errors());
  const ConfigNode& root = document.root;
  ASSERT_EQ(root.entries.size(), 2u);
  EXPECT_EQ(root.entries[0].key, "b");
  EXPECT_EQ(root.entries[1].key, "a");
  const ConfigNode& x = root.find("a")->value.find("x")->value;
  EXPECT_TRUE(x.quoted);
  EXPECT_EQ(x.scalar, "two");
  EXPECT_EQ(x.location.line, 2u);
  EXPECT_EQ(x.location.column, 8u);
  EXPECT_EQ(x.location.length, 5u);
  const ConfigNode& y = root.find("a")->value.find("y")->value;
  ASSERT_EQ(y.items.size(), 2u);
  EXPECT_EQ(y.items[1].location.column, 22u);
  EXPECT_EQ(root.find("c"), nullptr);
}

TEST(Document, ColumnsCountCharacters) {
  const ConfigDocument document = parse("größe: [ä, 2]\n");
  const ConfigNode& list = document.root.find("größe")->value;
  EXPECT_EQ(list.location.column, 8u);
  EXPECT_EQ(list.items[1].location.column, 12u);
}

TEST(Document, TrailingCommentIsKeptWithItsContinuation) {
  const ConfigDocument document = parse(
      "a: 1  # one\n"
      "b: 2  # two\n"
      "      # goes on\n"
      "    # does not\n"
      "c: '# no'\n"
      "d: \"x # y\"   # \"four\"\n"
      "e: {f: 5#5, g: 6} # both\n"
      "h: it's # seven\n"
      "ö: 8 # eight\n");
  const auto comment = [&](const char* key) {
    return trailing_comment(document.root.find(key)->value.location);
  };
  EXPECT_EQ(comment("a"), "one");
  EXPECT_EQ(comment("b"), "two goes on");
  EXPECT_EQ(comment("c"), "");
  EXPECT_EQ(comment("d"), "\"four\"");
  EXPECT_EQ(comment("h"), "seven");
  EXPECT_EQ(comment("ö"), "eight");
  const ConfigNode& flow = document.root.find("e")->value;
  EXPECT_EQ(flow.find("f")->value.scalar, "5#5");
  EXPECT_EQ(trailing_comment(flow.find("f")->value.location), "both");
  EXPECT_EQ(trailing_comment({}), "");
}

TEST(Document, WindowsLineEndsAndByteOrderMark) {
  const ConfigDocument document = parse(
      "\xef\xbb\xbf"
      "a: 1\r\nb: 2 # two\r\n");
  ASSERT_FALSE(document.diagnostics.has_errors()) << format(document.diagnostics);
  EXPECT_EQ(document.root.find("a")->key_location.column, 1u);
  EXPECT_EQ(document.root.find("b")->value.location.line, 2u);
  EXPECT_EQ(trailing_comment(document.root.find("b")->value.location), "two");
}

TEST(Document, NoTextFile) {
  expect_refused(std::string("a: 1\nb: \0", 9), "not a text file");
  expect_refused("a: \xff\xfe", "not a text file");
  expect_refused(
      "\x7f"
      "ELF\x02\x01\x01",
      "not a text file");
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string garbage(64, 'a');
    for (char& c : garbage)
      c = static_cast<char>(random());
    (void)parse(garbage);
  }
  const ConfigDocument document = parse("ok: 1\näb\x01: 2\n");
  EXPECT_EQ(document.diagnostics.all().front().location.line, 2u);
  EXPECT_EQ(document.diagnostics.all().front().location.column, 3u);
}

TEST(Document, Empty) {
  expect_refused("", "empty");
  expect_refused("\n\n", "empty");
  expect_refused("# only this\n", "empty");
  expect_refused("---\n", "empty");
  expect_refused("~\n", "empty");
}

TEST(Document, DeepNestingIsRefused) {
  expect_refused(repeated("[", 10000), "--max-nesting");
  expect_refused(repeated("{a: ", 10000), "--max-nesting");
  expect_refused(repeated("- ", 10000), "--max-nesting");
  std::string block;
  for (int depth = 0; depth < 1000; ++depth)
    block += std::string(depth, ' ') + "a:\n";
  expect_refused(block, "--max-nesting");
  EXPECT_FALSE(parse("a: " + repeated("[", 60) + repeated("]", 60)).diagnostics.has_errors());
  EXPECT_TRUE(parse(repeated("? ", 1000)).diagnostics.has_errors());
}

TEST(Document, AliasBombIsRefused) {
  std::string bomb = "a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (char level = 'b'; level <= 'z'; ++level) {
    const std::string below = std::string("*") + static_cast<char>(level - 1);
    bomb +=
        std::string(1, level) + ": &" + level + " [" + repeated(below + ", ", 8) + below + "]\n";
  }
  expect_refused(bomb, "anchors");
}

TEST(Document, LargeFilesAreRead) {
  EXPECT_FALSE(parse("a: [" + repeated("1, ", 300'000) + "1]\n").diagnostics.has_errors());
  std::string wide;
  for (int i = 0; i < 60'000; ++i)
    wide += "key" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(parse(wide).root.entries.size(), 60'000u);
  EXPECT_FALSE(parse("a: \"" + std::string(1 << 20, 'x') + "\"\n").diagnostics.has_errors());
}

TEST(Document, MutatedFilesNeverCrash) {
  std::ifstream stream(A2A3_SOURCE_DIR "/yaml/machines/a2.yaml");
  std::stringstream content;
  content << stream.rdbuf();
  const std::string original = content.str();
  const std::string marks = "{}[]:,#&*!|>'\"%@`-? \t\n\\~";
  std::mt19937 random(7);
  const auto below = [&random](std::size_t n) { return random() % n; };
  for (int round = 0; round < 300; ++round) {
    std::string text = original.substr(below(original.size()), 600);
    for (int i = 0; i < 6; ++i) {
      const std::size_t at = below(text.size());
      switch (below(3)) {
        case 0:
          text.insert(at, 1, marks[below(marks.size())]);
          break;
        case 1:
          text.erase(at, 1 + below(8));
          if (text.empty()) text = "a";
          break;
        default:
          text[at] = marks[below(marks.size())];
      }
    }
    const ConfigDocument document = parse(text);
    for (const ir::Diagnostic& diagnostic : document.diagnostics.all()) {
      EXPECT_TRUE(diagnostic.location.known());
    }
  }
}

TEST(TextFile, Limits) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "a2a3_large_config.yaml";
  std::ofstream(path).close();
  std::filesystem::resize_file(path, 100u << 20);
  const TextFile large = read_text_file(path, "large.yaml", 1u << 20);
  EXPECT_EQ(large.source, nullptr);
  EXPECT_NE(large.error.find("--max-file-bytes"), std::string::npos);
  std::filesystem::resize_file(path, 10);
  EXPECT_NE(read_text_file(path, "small.yaml", 10).source, nullptr);
  EXPECT_EQ(read_text_file(path, "small.yaml", 9).source, nullptr);
  std::filesystem::remove(path);
  EXPECT_EQ(read_text_file(path, "gone.yaml", 10).error, "cannot open gone.yaml: no such file");
  EXPECT_EQ(read_text_file("/dev/zero", "zero", 10).error, "cannot read zero: not a regular file");
  EXPECT_EQ(read_text_file("/tmp", "/tmp", 10).error, "cannot read /tmp: not a regular file");
}

}  // namespace
}  // namespace a2a3::models::document_test
