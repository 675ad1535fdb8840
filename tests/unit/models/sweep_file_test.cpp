// SPDX-License-Identifier: Apache-2.0
#include "models/sweep_file.hpp"

#include <filesystem>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include "models/compare_file.hpp"

namespace a2a3::models::sweep_file_test {
namespace {

SweepFile parse(const std::string& text) {
  return parse_sweep_file(std::make_shared<const ir::SourceFile>("s.yaml", text));
}

std::string words(const SweepFile& file, std::uint64_t index) {
  std::string all;
  for (const RunText& text : file.point(index))
    all += text.text + " ";
  return all;
}

TEST(SweepFile, CombinesOverAndKeepsZippedTogether) {
  const SweepFile file = parse(
      "kernel: k.py\nover: {ranks: [2, 4], mode: [a, b, c]}\n"
      "zip: [{set.X: [1, 2], set.Y: [10, 20]}]\n");
  ASSERT_FALSE(file.diagnostics.has_errors()) << format(file.diagnostics);
  EXPECT_EQ(file.axis_keys(), (std::vector<std::string>{"ranks", "mode", "set.X", "set.Y"}));
  ASSERT_EQ(file.points(), 12u);
  std::uint64_t index = 0;
  for (const char* ranks : {"2", "4"}) {
    for (const char* mode : {"a", "b", "c"}) {
      for (const char* zipped : {"1 10 ", "2 20 "}) {
        EXPECT_EQ(words(file, index++), std::string(ranks) + " " + mode + " " + zipped);
      }
    }
  }
}

TEST(SweepFile, WithoutAxesThereIsOnePoint) {
  const SweepFile file = parse("kernel: k.py\n");
  EXPECT_EQ(file.points(), 1u);
  EXPECT_TRUE(file.point(0).empty());
}

TEST(SweepFile, CountsNoFurtherThanItsNumberReaches) {
  std::string text = "kernel: k.py\nover:\n";
  for (const char* name : {"a", "b", "c", "d"})
    text += std::string("  set.") + name + ": 1..100000\n";
  EXPECT_EQ(parse(text).points(), std::numeric_limits<std::uint64_t>::max());
}

TEST(SweepFile, ShippedFilesAreRight) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(A2A3_SOURCE_DIR "/yaml/sweeps")) {
    ++files;
    const SweepFile file = read_sweep_file(entry.path());
    EXPECT_FALSE(file.diagnostics.has_errors()) << format(file.diagnostics);
    EXPECT_NE(file.description, "") << entry.path();
  }
  EXPECT_GT(files, 0);
}

TEST(SweepFile, RanksAreBounded) {
  EXPECT_FALSE(parse("kernel: k.py\nranks: 65536\n").diagnostics.has_errors());
  for (const char* ranks : {"0", "65537", "5000000000", "99999999999999999999", "-1", "2x", ""}) {
    const SweepFile file =
        parse("kernel: k.py\nover: {ranks: [2, '" + std::string(ranks) + "']}\n");
    EXPECT_NE(
        format(file.diagnostics)
            .find("s.yaml:2:19: error: 'ranks' must be a whole number from 1 to 65536, got '" +
                  std::string(ranks) + "'"),
        std::string::npos)
        << format(file.diagnostics);
  }
}

TEST(SweepFile, MissingFile) {
  EXPECT_TRUE(read_sweep_file("/nowhere/s.yaml").diagnostics.has_errors());
}

TEST(CompareFile, ShippedFilesAreRight) {
  int files = 0;
  const std::filesystem::path directory = A2A3_SOURCE_DIR "/yaml/compare";
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    ++files;
    const CompareFile file = read_compare_file(entry.path());
    EXPECT_FALSE(file.diagnostics.has_errors()) << format(file.diagnostics);
    for (const ComparedSchedule& schedule : file.schedules)
      EXPECT_TRUE(std::filesystem::exists(directory / schedule.kernel.text)) << schedule.name;
  }
  EXPECT_GE(files, 5);
}

TEST(CompareFile, ElementsCoverTheBytesThatAreAskedFor) {
  ComparedSchedule schedule;
  for (const ScheduleData counts : {ScheduleData::target, ScheduleData::slices}) {
    for (const isa::DType dtype : {isa::DType::fp32, isa::DType::fp16}) {
      schedule.counts = counts;
      schedule.dtype = dtype;
      for (const std::uint32_t ranks : {1u, 2u, 3u, 4u, 5u, 7u, 8u}) {
        for (const std::uint64_t bytes : {1u, 17u, 1000u, 4096u, 4097u}) {
          const std::int64_t elements = schedule.elements(bytes, ranks);
          EXPECT_GE(schedule.buffer_bytes(elements, ranks), bytes);
          EXPECT_LT(schedule.buffer_bytes(elements - 1, ranks), bytes);
        }
      }
    }
  }
}

TEST(CompareFile, MissingFile) {
  EXPECT_TRUE(read_compare_file("/nowhere/c.yaml").diagnostics.has_errors());
}

}  // namespace
}  // namespace a2a3::models::sweep_file_test
