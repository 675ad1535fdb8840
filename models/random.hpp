// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace a2a3::models {

/// The finaliser of splitmix64 over a counter: a random function of seed and index, the same on
/// every platform.
[[nodiscard]] inline std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Uniform in (0, 1), a multiple of 2^-53 plus half of it.
[[nodiscard]] inline double uniform_at(std::uint64_t seed, std::uint64_t index) {
  return (static_cast<double>(splitmix64(seed, index) >> 11) + 0.5) * 0x1p-53;
}

/// Standard normal by Box and Muller, one of the pair.
[[nodiscard]] inline double normal_at(std::uint64_t seed, std::uint64_t index) {
  const double radius = std::sqrt(-2.0 * std::log(uniform_at(seed, 2 * index)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform_at(seed, 2 * index + 1));
}

}  // namespace a2a3::models
