// SPDX-License-Identifier: Apache-2.0
#include "interp/scalar.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace a2a3::interp {

double round_to_dtype(double value, isa::DType dtype) {
  int fraction_bits = 0;
  int min_exponent = 0;
  int max_exponent = 0;
  switch (dtype) {
    case isa::DType::fp32:
      return static_cast<float>(value);
    case isa::DType::fp16:
      fraction_bits = 10;
      min_exponent = -14;
      max_exponent = 15;
      break;
    case isa::DType::bf16:
      fraction_bits = 7;
      min_exponent = -126;
      max_exponent = 127;
      break;
    default:
      return value;
  }
  if (value == 0.0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), min_exponent);
  const double unit = std::ldexp(1.0, exponent - fraction_bits);
  const double rounded = std::nearbyint(value / unit) * unit;
  if (std::fabs(rounded) >= std::ldexp(1.0, max_exponent + 1)) {
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  return rounded;
}

std::int64_t float_to_integer(double value, isa::DType dtype) {
  if (std::isnan(value)) return 0;
  const bool is_unsigned = dtype == isa::DType::uint8 || dtype == isa::DType::uint16 ||
                           dtype == isa::DType::uint32 || dtype == isa::DType::uint64;
  if (dtype == isa::DType::boolean) return value != 0.0 ? 1 : 0;
  const int bits = static_cast<int>(isa::size_of(dtype)) * 8;
  const double upper = std::ldexp(1.0, is_unsigned ? bits : bits - 1);  // first value too large
  const double lower = is_unsigned ? 0.0 : -upper;
  const double whole = std::trunc(value);
  if (whole < lower) return static_cast<std::int64_t>(lower);
  if (whole < upper) {
    return whole < 9223372036854775808.0
               ? static_cast<std::int64_t>(whole)
               : static_cast<std::int64_t>(static_cast<std::uint64_t>(whole));
  }
  if (bits == 64) {
    return is_unsigned ? static_cast<std::int64_t>(std::numeric_limits<std::uint64_t>::max())
                       : std::numeric_limits<std::int64_t>::max();
  }
  return static_cast<std::int64_t>(upper) - 1;
}

}  // namespace a2a3::interp
