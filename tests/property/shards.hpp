// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace a2a3 {

/// Many small programs are tested in so many tests: ctest's processes share out tests, not what one
/// of them does. Each has enough programs to hold their counts against each other.
inline constexpr int kShards = 10;

/// The seeds of one of them, out of `count`.
inline std::vector<int> seeds_of_shard(int shard, int count) {
  std::vector<int> seeds;
  for (int seed = shard; seed < count; seed += kShards)
    seeds.push_back(seed);
  return seeds;
}

}  // namespace a2a3
