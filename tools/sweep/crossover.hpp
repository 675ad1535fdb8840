// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/observer.hpp"

namespace a2a3::tools {

/// Two schedules' times at one size; absent where a run failed.
struct TimedPair {
  std::uint64_t bytes = 0;
  std::optional<sim::Picoseconds> first;
  std::optional<sim::Picoseconds> second;
};

/// Two sizes between which the faster one of two schedules changes.
struct Bracket {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool first_below = true;  ///< the first schedule is the faster one at `low`
  bool unresolved = false;  ///< a run between failed: where the change lies is not known better

  /// Narrow enough to be reported: within 1 % of the size, or no size lies between that the
  /// schedules could tell apart.
  [[nodiscard]] bool is_narrow(std::uint64_t grain_bytes) const;
  /// The size that halves the bracket on a logarithmic axis, a multiple of the grain strictly
  /// between both ends.
  [[nodiscard]] std::uint64_t middle(std::uint64_t grain_bytes) const;
  /// Whether halving it ends here.
  [[nodiscard]] bool is_final(std::uint64_t grain_bytes) const {
    return unresolved || is_narrow(grain_bytes);
  }
  /// Keeps the half that the change lies in. Equal times count as the upper end; without both times
  /// the bracket stays as it is, unresolved.
  void narrow(const TimedPair& middle);
};

/// One bracket per change of the faster schedule, by ascending size. Sizes where both take the same
/// time, or one failed, are passed over.
[[nodiscard]] std::vector<Bracket> brackets(const std::vector<TimedPair>& times);

/// "mesh is faster up to 212 KiB, ring from there on"; "mesh is faster up to some size from 128 KiB
/// to 256 KiB (a run between failed), ring from there on"; "mesh is faster than ring at all sizes
/// from 1 KiB to 64 MiB".
[[nodiscard]] std::string crossover_words(const std::string& first, const std::string& second,
                                          const std::vector<TimedPair>& times,
                                          const std::vector<Bracket>& changes);

}  // namespace a2a3::tools
