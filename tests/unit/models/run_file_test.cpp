// SPDX-License-Identifier: Apache-2.0
#include "models/run_file.hpp"

#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

namespace a2a3::models::run_file_test {
namespace {

RunFile parse(const std::string& text) {
  return parse_run_file(std::make_shared<const ir::SourceFile>("k.yaml", text));
}

TEST(RunFile, ModeKeysGoOverCommonOnes) {
  const RunFile file = parse(
      "modes:\n  a: {goldens: {y: 2 * x}, ranks: {max: 4}}\n  b:\n"
      "goldens: {y: x, z: x}\ncompare: tolerance(atol=0.5)\nranks: {min: 2}\n");
  ASSERT_FALSE(file.diagnostics.has_errors()) << format(file.diagnostics);
  EXPECT_EQ(file.default_mode, "a");
  const RunMode* a = file.find("a");
  const RunMode* b = file.find("b");
  ASSERT_TRUE(a != nullptr && b != nullptr);
  EXPECT_EQ(a->goldens.at("y").text, "2 * x");
  EXPECT_EQ(a->goldens.at("z").text, "x");
  EXPECT_EQ(b->goldens.at("y").text, "x");
  EXPECT_EQ(a->min_ranks, 2u);
  EXPECT_EQ(a->max_ranks, 4u);
  EXPECT_EQ(b->max_ranks, 0u);
  EXPECT_EQ(b->comparison.mode, Comparison::Mode::tolerance);
  EXPECT_EQ(b->comparison.atol, 0.5);
  EXPECT_EQ(a->goldens.at("y").shown_as("goldens.y"), "k.yaml:2: goldens.y");
}

TEST(RunFile, EveryOutputMayBeComparedInItsOwnWay) {
  const RunFile file = parse(
      "modes:\n  a:\n  b: {compare: exact}\n"
      "compare: {y: replay(allreduce.mesh), z: tolerance(atol=0.5)}\n");
  ASSERT_FALSE(file.diagnostics.has_errors()) << format(file.diagnostics);
  const RunMode& mode = *file.find("a");
  EXPECT_EQ(mode.comparison.text(), "exact");
  EXPECT_EQ(mode.comparisons.at("y").comparison.text(), "replay(allreduce.mesh)");
  EXPECT_EQ(mode.comparisons.at("z").comparison.atol, 0.5);
  EXPECT_TRUE(file.find("b")->comparisons.empty());
  const RunFile wrong = parse("compare: {y: replay(allreduce.rong)}\n");
  EXPECT_NE(format(wrong.diagnostics).find("k.yaml:1:14: error: replay: no schedule"),
            std::string::npos)
      << format(wrong.diagnostics);
}

TEST(RunFile, ChooseMode) {
  const RunFile file = parse("default_mode: b\nmodes: {a: , b: }\n");
  ir::Diagnostics diagnostics;
  EXPECT_EQ(choose_mode(file, "", diagnostics)->name, "b");
  EXPECT_EQ(choose_mode(file, "a", diagnostics)->name, "a");
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(choose_mode(file, "c", diagnostics), nullptr);
  EXPECT_NE(format(diagnostics).find("modes: a, b"), std::string::npos);

  const RunFile single = parse("goldens: {y: x}\n");
  ir::Diagnostics none;
  EXPECT_NE(choose_mode(single, "", none), nullptr);
  EXPECT_EQ(choose_mode(single, "hand", none), nullptr);
  EXPECT_NE(format(none).find("the run file has no modes"), std::string::npos);
}

TEST(RunFile, RankCount) {
  const RunFile file = parse("ranks: {min: 2, max: 4}\n");
  const RunMode& mode = file.modes.front();
  for (const std::uint32_t ranks : {2u, 3u, 4u}) {
    ir::Diagnostics diagnostics;
    check_rank_count(mode, ranks, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors());
  }
  for (const std::uint32_t ranks : {1u, 5u}) {
    ir::Diagnostics diagnostics;
    check_rank_count(mode, ranks, diagnostics);
    EXPECT_TRUE(diagnostics.has_errors());
    EXPECT_EQ(diagnostics.all().front().location.line, 1u);
  }
}

TEST(RunFile, MissingFile) {
  EXPECT_TRUE(read_run_file("/nowhere/k.yaml").diagnostics.has_errors());
}

TEST(RunFile, ShippedExamplesAreRight) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(A2A3_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ++files;
    const RunFile file = read_run_file(entry.path());
    EXPECT_FALSE(file.diagnostics.has_errors()) << format(file.diagnostics);
    EXPECT_NE(file.description, "") << entry.path();
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace a2a3::models::run_file_test
