// SPDX-License-Identifier: Apache-2.0
#include "models/skew.hpp"

#include <algorithm>
#include <cmath>

#include "models/random.hpp"

namespace a2a3::models {

std::vector<std::uint64_t> draw_skew(const SkewDistribution& distribution, std::uint32_t ranks) {
  std::vector<std::uint64_t> skew(ranks, 0);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    double seconds = 0;
    switch (distribution.kind) {
      case SkewKind::none:
        break;
      case SkewKind::uniform:
        seconds = distribution.max_seconds * uniform_at(distribution.seed, rank);
        break;
      case SkewKind::normal:
        seconds = distribution.mean_seconds +
                  distribution.deviation_seconds * normal_at(distribution.seed, rank);
        break;
    }
    const double allowed = std::clamp(seconds, 0.0, kLongestSkewSeconds);
    skew[rank] = static_cast<std::uint64_t>(std::llround(allowed * 1e12));
  }
  return skew;
}

std::vector<std::uint64_t> launch_skew(const LaunchParameters& launch, std::uint32_t ranks) {
  std::vector<std::uint64_t> skew = draw_skew(launch.random_skew, ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    skew[rank] += static_cast<std::uint64_t>(std::llround(launch.skew_seconds * rank * 1e12));
  return skew;
}

}  // namespace a2a3::models
