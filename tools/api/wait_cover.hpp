// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <vector>

#include "isa/hints/without_waits.hpp"

namespace a2a3 {

/// Finds which lines with waits that order nothing do so only as long as another of them stays: it
/// follows the same run once more without all of them, and without each two.
class WaitCover {
 public:
  /// The idle lines, as `line_of` numbers them; at most kMost sets of them are looked at, each with
  /// up to `max_records` records of HappensBefore.
  WaitCover(const isa::TaskOrder& order, std::uint64_t max_records,
            const std::vector<std::uint32_t>& idle, const isa::WithoutWaits::LineOf& line_of);

  /// None when there are fewer than two lines.
  [[nodiscard]] std::vector<isa::RunObserver*> observers();

  /// Those without which this line is needed, ascending.
  [[nodiscard]] std::vector<std::uint32_t> partners(std::uint32_t line) const;
  /// Without all of the lines at once something may be out of order.
  [[nodiscard]] bool not_all_at_once() const;

  static constexpr std::size_t kMost = 32;

 private:
  struct Set {
    std::set<std::uint32_t> lines;
    isa::WithoutWaits without;
    [[nodiscard]] bool lacks_order() const { return without.lacks_order().value_or(false); }
  };
  std::deque<Set> sets_;  ///< all of them, then pairs
};

}  // namespace a2a3
