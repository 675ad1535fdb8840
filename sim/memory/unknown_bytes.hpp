// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace a2a3::sim {

/// Ranges of a memory whose contents a run without data does not know: what the host would have put
/// there, and what stores of payload would have written. Everything else holds what it would hold
/// with data. Ranges that touch are one, so that the rows of a transfer do not add up.
class UnknownBytes {
 public:
  void add(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin()) {
      const auto before = std::prev(next);
      if (before->second >= end) return;
      if (before->second >= begin) {
        begin = before->first;
        next = ranges_.erase(before);
      }
    }
    while (next != ranges_.end() && next->first <= end) {
      end = std::max(end, next->second);
      next = ranges_.erase(next);
    }
    ranges_.emplace_hint(next, begin, end);
  }

  /// A known value was written.
  void remove(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end || ranges_.empty()) return;
    auto range = ranges_.upper_bound(begin);
    if (range != ranges_.begin() && std::prev(range)->second > begin) --range;
    while (range != ranges_.end() && range->first < end) {
      const auto [from, to] = *range;
      range = ranges_.erase(range);
      if (from < begin) ranges_.emplace_hint(range, from, begin);
      if (to > end) ranges_.emplace_hint(range, end, to);
    }
  }

  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] bool touches(std::uint64_t begin, std::uint64_t end) const {
    const auto next = ranges_.lower_bound(end);
    return next != ranges_.begin() && std::prev(next)->second > begin;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  ///< end by begin; disjoint
};

}  // namespace a2a3::sim
