// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/instruction.hpp"

namespace a2a3::isa {

/// A float format in memory: sign, exponent, `mantissa_bits` explicit mantissa bits.
struct FloatFormat {
  int mantissa_bits;
  int min_exponent;        ///< of the smallest normal number
  std::uint32_t inf_bits;  ///< magnitude bits of infinity
  int sign_shift;
};
inline constexpr FloatFormat kFp32{23, -126, 0x7F800000, 31};
inline constexpr FloatFormat kFp16{10, -14, 0x7C00, 15};
inline constexpr FloatFormat kBf16{7, -126, 0x7F80, 15};

/// The bits of `value` rounded once to `format`, subnormals included.
/// none, rint: nearest, ties to even; round: nearest, ties away from zero; floor, ceil, trunc:
/// towards -inf, +inf, zero; odd: of the two neighbours of an inexact value the one with an odd
/// mantissa. Past the largest number nearest modes give infinity, the others infinity or the
/// largest number, whichever lies on their side. NaN gives the quiet NaN of the value's sign.
[[nodiscard]] std::uint32_t round_to_format(double value, const FloatFormat& format,
                                            RoundMode mode);

/// The integral value next to `value` by the same modes; infinities and NaN are kept.
[[nodiscard]] double round_to_integral(double value, RoundMode mode);

/// `value` as a double that rounds to any of the formats, by any mode, as the integer itself would:
/// bits below a double's mantissa are kept as one sticky bit.
[[nodiscard]] double sticky_double(std::int64_t value);
[[nodiscard]] double sticky_double(std::uint64_t value);

/// Reads an element, floats and integers each into their field. uint64 keeps its bit pattern.
[[nodiscard]] Scalar load_scalar(DType dtype, const std::byte* from);

/// Writes `value` as an element of `dtype`. Integers wrap around; a float becomes an integer by
/// rounding to nearest, ties away, and saturating; a float becomes a narrower float by rounding to
/// nearest even. Boolean: not equal to zero.
void store_scalar(const Scalar& value, DType dtype, std::byte* to);

}  // namespace a2a3::isa
