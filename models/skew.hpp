// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/machine_description.hpp"

namespace a2a3::models {

/// Longest time that one rank may start after another.
inline constexpr double kLongestSkewSeconds = 1000;

/// How late each of the ranks starts by a distribution, in picoseconds: a function of seed and rank
/// alone. Never negative; what a normal distribution has below 0 becomes 0.
[[nodiscard]] std::vector<std::uint64_t> draw_skew(const SkewDistribution& distribution,
                                                   std::uint32_t ranks);

/// The same for all that a machine's `launch` says: the steps from rank to rank and the
/// distribution.
[[nodiscard]] std::vector<std::uint64_t> launch_skew(const LaunchParameters& launch,
                                                     std::uint32_t ranks);

}  // namespace a2a3::models
