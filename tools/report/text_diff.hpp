// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace a2a3::tools {

using Lines = std::vector<std::string>;

/// One line of a comparison.
struct DiffLine {
  enum class Kind : std::uint8_t { same, removed, added } kind = Kind::same;
  std::string text;
  std::size_t left = 0;  ///< line number on that side, from 1; 0 when it is not there
  std::size_t right = 0;
};

/// The shortest way from `left` to `right`: lines of a longest common subsequence stay.
[[nodiscard]] std::vector<DiffLine> compare_lines(const Lines& left, const Lines& right);

/// ` same`, `-removed`, `+added`, with three lines around each change and a `@@` line before.
[[nodiscard]] std::string unified_diff(const std::vector<DiffLine>& lines);
/// Two columns; a mark between them tells lines that are on one side only (`<`, `>`) or that stand
/// where the other side has another one (`|`).
[[nodiscard]] std::string side_by_side_diff(const std::vector<DiffLine>& lines);

}  // namespace a2a3::tools
