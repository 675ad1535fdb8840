// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "sim/observer.hpp"

namespace a2a3::sim {

/// The lines of one memory that signals and stores were added in: adds to one line follow each
/// other at a fixed distance, adds to different lines do not know each other.
class AtomicLines {
 public:
  AtomicLines(std::uint64_t line_bytes, Picoseconds distance)
      : line_bytes_(line_bytes), distance_(distance) {}

  /// When an add to these bytes, which has come at `now`, is made: all of its lines are free. Calls
  /// come in the order of time.
  Picoseconds take_turn(std::uint64_t offset_bytes, std::uint64_t bytes, Picoseconds now) {
    if (distance_ == 0 || bytes == 0) return now;
    const std::uint64_t first = offset_bytes / line_bytes_;
    const std::uint64_t last = (offset_bytes + bytes - 1) / line_bytes_;
    Picoseconds turn = now;
    for (std::uint64_t line = first; line <= last; ++line)
      turn = std::max(turn, free_[line]);
    for (std::uint64_t line = first; line <= last; ++line)
      free_[line] = turn + distance_;
    return turn;
  }

 private:
  std::uint64_t line_bytes_;
  Picoseconds distance_;
  std::unordered_map<std::uint64_t, Picoseconds> free_;  ///< by line
};

}  // namespace a2a3::sim
