// SPDX-License-Identifier: Apache-2.0
#include "tools/report/text_diff.hpp"

#include <algorithm>
#include <ranges>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace a2a3::tools {
namespace {

constexpr std::size_t kContextLines = 3;

/// Lines by number: equal lines have equal numbers.
using LineIds = std::span<const std::size_t>;

/// Lengths of the longest common subsequences of `left` with the heads of `right` of every length.
template <typename Left, typename Right>
std::vector<std::size_t> common_with_heads(const Left& left, const Right& right) {
  std::vector<std::size_t> lengths(right.size() + 1, 0);
  for (const std::size_t line : left) {
    std::size_t diagonal = 0;
    std::size_t head = 0;
    for (const std::size_t other : right) {
      const std::size_t above = lengths[++head];
      lengths[head] = line == other ? diagonal + 1 : std::max(above, lengths[head - 1]);
      diagonal = above;
    }
  }
  return lengths;
}

/// Finds a longest common subsequence by Hirschberg's method: time is the product of the lengths,
/// memory their sum.
class Alignment {
 public:
  Alignment(const Lines& left, const Lines& right) : left_(left), right_(right) {
    align(numbered(left, left_ids_), numbered(right, right_ids_));
  }
  [[nodiscard]] std::vector<DiffLine> take() { return std::move(lines_); }

 private:
  LineIds numbered(const Lines& lines, std::vector<std::size_t>& ids) {
    for (const std::string& line : lines)
      ids.push_back(numbers_.try_emplace(line, numbers_.size()).first->second);
    return ids;
  }

  void align(LineIds left, LineIds right) {
    while (!left.empty() && !right.empty() && left.front() == right.front()) {
      same();
      left = left.subspan(1);
      right = right.subspan(1);
    }
    std::size_t tail = 0;
    const std::size_t shorter = std::min(left.size(), right.size());
    while (tail < shorter && left[left.size() - 1 - tail] == right[right.size() - 1 - tail])
      ++tail;
    differ(left.first(left.size() - tail), right.first(right.size() - tail));
    for (; tail > 0; --tail)
      same();
  }

  /// Neither the first nor the last lines are the same.
  void differ(LineIds left, LineIds right) {
    if (left.size() <= 1 || right.empty()) {
      const auto found = left.empty() ? right.end() : std::ranges::find(right, left.front());
      const auto before = static_cast<std::size_t>(found - right.begin());
      if (found == right.end()) {
        removed(left.size());
        added(right.size());
      } else {
        added(before);
        same();
        added(right.size() - before - 1);
      }
      return;
    }
    const std::size_t half = left.size() / 2;
    const std::vector<std::size_t> heads = common_with_heads(left.first(half), right);
    const std::vector<std::size_t> tails =
        common_with_heads(std::views::reverse(left.subspan(half)), std::views::reverse(right));
    std::size_t split = 0;
    for (std::size_t i = 1; i < heads.size(); ++i) {
      if (heads[i] + tails[right.size() - i] > heads[split] + tails[right.size() - split])
        split = i;
    }
    align(left.first(half), right.first(split));
    align(left.subspan(half), right.subspan(split));
  }

  void same() {
    lines_.push_back({DiffLine::Kind::same, left_[i_], i_ + 1, j_ + 1});
    ++i_;
    ++j_;
  }
  void removed(std::size_t count) {
    for (; count > 0; --count, ++i_)
      lines_.push_back({DiffLine::Kind::removed, left_[i_], i_ + 1, 0});
  }
  void added(std::size_t count) {
    for (; count > 0; --count, ++j_)
      lines_.push_back({DiffLine::Kind::added, right_[j_], 0, j_ + 1});
  }

  const Lines& left_;
  const Lines& right_;
  std::unordered_map<std::string_view, std::size_t> numbers_;
  std::vector<std::size_t> left_ids_;
  std::vector<std::size_t> right_ids_;
  std::vector<DiffLine> lines_;
  std::size_t i_ = 0;  ///< lines of either side in lines_
  std::size_t j_ = 0;
};

std::string hunk_header(const std::vector<DiffLine>& lines, std::size_t begin, std::size_t end) {
  std::size_t left = 0;
  std::size_t right = 0;
  std::size_t lefts = 0;
  std::size_t rights = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (lines[i].left != 0) {
      if (lefts++ == 0) left = lines[i].left;
    }
    if (lines[i].right != 0) {
      if (rights++ == 0) right = lines[i].right;
    }
  }
  return fmt::format("@@ -{},{} +{},{} @@\n", left, lefts, right, rights);
}

}  // namespace

std::vector<DiffLine> compare_lines(const Lines& left, const Lines& right) {
  return Alignment(left, right).take();
}

std::string unified_diff(const std::vector<DiffLine>& lines) {
  std::string text;
  const auto changed = [](const DiffLine& line) { return line.kind != DiffLine::Kind::same; };
  for (std::size_t i = 0; i < lines.size();) {
    const auto first =
        std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(i), lines.end(), changed);
    if (first == lines.end()) break;
    const auto change = static_cast<std::size_t>(first - lines.begin());
    const std::size_t begin = std::max(i, change - std::min(change, kContextLines));
    // A hunk goes on while the next change is near.
    std::size_t last = change;
    for (std::size_t k = change; k < lines.size() && k <= last + 2 * kContextLines; ++k) {
      if (changed(lines[k])) last = k;
    }
    const std::size_t end = std::min(lines.size(), last + 1 + kContextLines);
    text += hunk_header(lines, begin, end);
    for (std::size_t k = begin; k < end; ++k) {
      const char mark = lines[k].kind == DiffLine::Kind::same      ? ' '
                        : lines[k].kind == DiffLine::Kind::removed ? '-'
                                                                   : '+';
      text += mark + lines[k].text + '\n';
    }
    i = end;
  }
  return text;
}

std::string side_by_side_diff(const std::vector<DiffLine>& lines) {
  std::size_t width = 0;
  for (const DiffLine& line : lines) {
    if (line.kind != DiffLine::Kind::added) width = std::max(width, line.text.size());
  }
  std::string text;
  const auto row = [&](const std::string& left, char mark, const std::string& right) {
    std::string line = fmt::format("{:<{}} {} {}", left, width, mark, right);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  for (std::size_t i = 0; i < lines.size();) {
    if (lines[i].kind == DiffLine::Kind::same) {
      row(lines[i].text, ' ', lines[i].text);
      ++i;
      continue;
    }
    // Lines that replace each other stand side by side.
    Lines left;
    Lines right;
    for (; i < lines.size() && lines[i].kind != DiffLine::Kind::same; ++i) {
      (lines[i].kind == DiffLine::Kind::removed ? left : right).push_back(lines[i].text);
    }
    for (std::size_t k = 0; k < std::max(left.size(), right.size()); ++k) {
      row(k < left.size() ? left[k] : "",
          k >= left.size()    ? '>'
          : k >= right.size() ? '<'
                              : '|',
          k < right.size() ? right[k] : "");
    }
  }
  return text;
}

}  // namespace a2a3::tools
