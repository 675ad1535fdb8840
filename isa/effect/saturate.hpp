// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace a2a3::isa {

/// The integer T nearest to an integral value; NaN becomes 0.
template <class T>
[[nodiscard]] T saturate(double value) {
  constexpr int kBits = std::numeric_limits<T>::digits;
  const double end = std::ldexp(1.0, kBits);
  if (std::isnan(value)) return 0;
  if (value >= end) return std::numeric_limits<T>::max();
  if (value < static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

/// The integer T nearest to another integer.
template <class T, class From>
requires std::is_integral_v<From>
[[nodiscard]] T saturate(From value) {
  if (std::cmp_greater(value, std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  if (std::cmp_less(value, std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

}  // namespace a2a3::isa
