// SPDX-License-Identifier: Apache-2.0
#include "tools/report/text_diff.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace a2a3::tools::text_diff_test {
namespace {

/// Length of a longest common subsequence, from the definition.
std::size_t common_length(const Lines& left, const Lines& right) {
  std::vector<std::vector<std::size_t>> of(left.size() + 1,
                                           std::vector<std::size_t>(right.size() + 1, 0));
  for (std::size_t i = 1; i <= left.size(); ++i) {
    for (std::size_t j = 1; j <= right.size(); ++j) {
      of[i][j] =
          left[i - 1] == right[j - 1] ? of[i - 1][j - 1] + 1 : std::max(of[i - 1][j], of[i][j - 1]);
    }
  }
  return of[left.size()][right.size()];
}

TEST(TextDiff, IsAShortestWayBetweenRandomTexts) {
  std::mt19937 random(5);
  for (int round = 0; round < 400; ++round) {
    const auto text = [&] {
      Lines lines(random() % 13);
      for (std::string& line : lines)
        line = std::string(1, static_cast<char>('a' + random() % 4));
      return lines;
    };
    const Lines left = text();
    const Lines right = text();
    Lines from;
    Lines to;
    std::size_t kept = 0;
    for (const DiffLine& line : compare_lines(left, right)) {
      if (line.kind != DiffLine::Kind::added) {
        from.push_back(line.text);
        EXPECT_EQ(line.left, from.size());
      }
      if (line.kind != DiffLine::Kind::removed) {
        to.push_back(line.text);
        EXPECT_EQ(line.right, to.size());
      }
      if (line.kind == DiffLine::Kind::same) ++kept;
    }
    ASSERT_EQ(from, left) << "round " << round;
    ASSERT_EQ(to, right) << "round " << round;
    ASSERT_EQ(kept, common_length(left, right)) << "round " << round;
  }
}

TEST(TextDiff, WhatIsReplacedStandsBeforeWhatReplacesIt) {
  std::string marks;
  for (const DiffLine& line : compare_lines({"a", "b", "c", "d", "z"}, {"a", "B", "C", "z", "e"})) {
    marks += line.kind == DiffLine::Kind::same      ? '='
             : line.kind == DiffLine::Kind::removed ? '-'
                                                    : '+';
  }
  EXPECT_EQ(marks, "=---++=+");
}

TEST(TextDiff, LongTextsFitIntoMemory) {
  // A table of all pairs would hold 3.6 billion entries.
  Lines left;
  Lines right;
  for (int i = 0; i < 60'000; ++i) {
    left.push_back("line " + std::to_string(i));
    right.push_back(left.back());
  }
  left[100] = "left";
  right[400] = "right";
  right.insert(right.begin() + 600, "more");
  const std::vector<DiffLine> lines = compare_lines(left, right);
  EXPECT_EQ(std::ranges::count(lines, DiffLine::Kind::same, &DiffLine::kind), 59'998);
  EXPECT_EQ(lines.size(), 60'003u);
}

}  // namespace
}  // namespace a2a3::tools::text_diff_test
