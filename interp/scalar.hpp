// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "isa/operand.hpp"

namespace a2a3::interp {

/// A scalar register holds an integer sign- or zero-extended to 64 bits, or the bits of a double.
[[nodiscard]] inline double as_double(std::int64_t bits) {
  return std::bit_cast<double>(bits);
}
[[nodiscard]] inline std::int64_t as_bits(double value) {
  return std::bit_cast<std::int64_t>(value);
}

/// Two's complement wrap-around to an integer dtype.
[[nodiscard]] inline std::int64_t wrap(std::int64_t value, isa::DType dtype) {
  switch (dtype) {
    case isa::DType::int8:
      return static_cast<std::int8_t>(value);
    case isa::DType::int16:
      return static_cast<std::int16_t>(value);
    case isa::DType::int32:
      return static_cast<std::int32_t>(value);
    case isa::DType::uint8:
      return static_cast<std::uint8_t>(value);
    case isa::DType::uint16:
      return static_cast<std::uint16_t>(value);
    case isa::DType::uint32:
      return static_cast<std::uint32_t>(value);
    case isa::DType::boolean:
      return value != 0 ? 1 : 0;
    default:
      return value;
  }
}

/// Sum, difference and product that wrap around at 64 bits.
[[nodiscard]] inline std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
[[nodiscard]] inline std::int64_t wrapping_subtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
[[nodiscard]] inline std::int64_t wrapping_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// Quotient and remainder for b != 0; toward zero as the device does, or flooring as Python does.
[[nodiscard]] inline std::int64_t truncated_quotient(std::int64_t a, std::int64_t b) {
  return b == -1 ? wrapping_subtract(0, a) : a / b;  // INT64_MIN / -1 wraps
}
[[nodiscard]] inline std::int64_t truncated_remainder(std::int64_t a, std::int64_t b) {
  return b == -1 ? 0 : a % b;
}
[[nodiscard]] inline std::int64_t floored_quotient(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = truncated_quotient(a, b);
  return truncated_remainder(a, b) != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
[[nodiscard]] inline std::int64_t floored_remainder(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = truncated_remainder(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// Rounds a double to the nearest value of a floating dtype, ties to even.
[[nodiscard]] double round_to_dtype(double value, isa::DType dtype);

/// Converts toward zero and saturates; NaN gives 0.
[[nodiscard]] std::int64_t float_to_integer(double value, isa::DType dtype);

/// A register's content as an operand of an instruction.
[[nodiscard]] inline isa::Scalar make_scalar(std::int64_t bits, isa::DType dtype) {
  return isa::is_float(dtype) ? isa::Scalar{dtype, 0, as_double(bits)}
                              : isa::Scalar{dtype, bits, 0.0};
}
[[nodiscard]] inline std::int64_t register_bits(const isa::Scalar& scalar) {
  return isa::is_float(scalar.dtype) ? as_bits(scalar.f) : scalar.i;
}

}  // namespace a2a3::interp
