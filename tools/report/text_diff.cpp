// SPDX-License-Identifier: Apache-2.0
#include "tools/report/text_diff.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace a2a3::tools {
namespace {

constexpr std::size_t kContextLines = 3;

/// Length of the longest common subsequence of the tails from i and j.
class CommonTails {
 public:
  CommonTails(const Lines& left, const Lines& right) : width_(right.size() + 1) {
    lengths_.assign((left.size() + 1) * width_, 0);
    for (std::size_t i = left.size(); i-- > 0;) {
      for (std::size_t j = right.size(); j-- > 0;) {
        at(i, j) =
            left[i] == right[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
  }
  std::uint32_t& at(std::size_t i, std::size_t j) { return lengths_[i * width_ + j]; }

 private:
  std::size_t width_;
  std::vector<std::uint32_t> lengths_;
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
  CommonTails tails(left, right);
  std::vector<DiffLine> lines;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() || j < right.size()) {
    if (i < left.size() && j < right.size() && left[i] == right[j]) {
      lines.push_back({DiffLine::Kind::same, left[i], i + 1, j + 1});
      ++i;
      ++j;
    } else if (j == right.size() || (i < left.size() && tails.at(i + 1, j) >= tails.at(i, j + 1))) {
      lines.push_back({DiffLine::Kind::removed, left[i], i + 1, 0});
      ++i;
    } else {
      lines.push_back({DiffLine::Kind::added, right[j], 0, j + 1});
      ++j;
    }
  }
  return lines;
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
