// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace a2a3::isa {

/// A value for every byte of a memory, kept by stretches of bytes with equal values. Bytes that
/// were never changed have Value{}.
template <class Value>
class RangeMap {
 public:
  /// Calls change(begin, end, value) for the stretches of the range, in their order; what it does
  /// to the value holds for all of the stretch.
  template <class Change>
  void change(std::uint64_t begin, std::uint64_t end, Change&& change) {
    if (begin >= end) return;
    cut(begin);
    cut(end);
    auto piece = pieces_.lower_bound(begin);
    for (std::uint64_t at = begin; at < end;) {
      if (piece == pieces_.end() || piece->first > at) {
        const std::uint64_t until = piece == pieces_.end() ? end : std::min(end, piece->first);
        piece = pieces_.emplace_hint(piece, at, Piece{until, Value{}});
      }
      change(at, piece->second.end, piece->second.value);
      at = piece->second.end;
      ++piece;
    }
    merge(begin, end);
  }

  /// Calls visit(begin, end, value) for those stretches of the range that were changed before.
  template <class Visit>
  void visit(std::uint64_t begin, std::uint64_t end, Visit&& visit) const {
    auto piece = pieces_.upper_bound(begin);
    if (piece != pieces_.begin()) --piece;
    for (; piece != pieces_.end() && piece->first < end; ++piece) {
      const std::uint64_t from = std::max(begin, piece->first);
      const std::uint64_t until = std::min(end, piece->second.end);
      if (from < until) visit(from, until, piece->second.value);
    }
  }

  [[nodiscard]] std::size_t stretches() const { return pieces_.size(); }

 private:
  struct Piece {
    std::uint64_t end = 0;
    Value value;
  };

  void cut(std::uint64_t at) {
    const auto behind = pieces_.lower_bound(at);
    if (behind == pieces_.begin() || (behind != pieces_.end() && behind->first == at)) return;
    const auto before = std::prev(behind);
    if (before->second.end <= at) return;
    pieces_.emplace_hint(behind, at, before->second);
    before->second.end = at;
  }

  /// Joins equal neighbours, from the stretch before `begin` up to the one at `end`.
  void merge(std::uint64_t begin, std::uint64_t end) {
    auto piece = pieces_.lower_bound(begin);
    if (piece != pieces_.begin()) --piece;
    for (auto next = std::next(piece); next != pieces_.end() && next->first <= end;
         next = std::next(piece)) {
      if (piece->second.end == next->first && piece->second.value == next->second.value) {
        piece->second.end = next->second.end;
        pieces_.erase(next);
      } else {
        piece = next;
      }
    }
  }

  std::map<std::uint64_t, Piece> pieces_;  ///< by begin
};

}  // namespace a2a3::isa
