// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "isa/instruction.hpp"

/// A second, slow and plain definition of elements and their arithmetic, written without a look at
/// isa's: numbers are long doubles (64 mantissa bits hold every element of every dtype exactly),
/// formats are searched by dividing by the unit in the last place.
namespace a2a3::isa::reference {

using Number = long double;
static_assert(std::numeric_limits<Number>::digits >= 64);

struct Format {
  int exponent_bits;
  int mantissa_bits;
};
inline Format format_of(DType dtype) {
  if (dtype == DType::fp16) return {5, 10};
  if (dtype == DType::bf16) return {8, 7};
  return {8, 23};
}

inline Number lowest(DType dtype) {
  switch (dtype) {
    case DType::int8:
      return -128;
    case DType::int16:
      return -32768;
    case DType::int32:
      return -0x1p31L;
    case DType::int64:
      return -0x1p63L;
    default:
      return 0;
  }
}
inline Number highest(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return 1;
    case DType::int8:
      return 127;
    case DType::uint8:
      return 255;
    case DType::int16:
      return 32767;
    case DType::uint16:
      return 65535;
    case DType::int32:
      return 0x1p31L - 1;
    case DType::uint32:
      return 0x1p32L - 1;
    case DType::int64:
      return 0x1p63L - 1;
    default:
      return 0x1p64L - 1;
  }
}

inline std::uint64_t load_bits(const std::byte* from, std::int64_t bytes) {
  std::uint64_t bits = 0;
  for (std::int64_t i = bytes; i-- > 0;)
    bits = bits << 8 | static_cast<std::uint64_t>(from[i]);
  return bits;
}
inline void store_bits(std::byte* to, std::int64_t bytes, std::uint64_t bits) {
  for (std::int64_t i = 0; i < bytes; ++i, bits >>= 8)
    to[i] = static_cast<std::byte>(bits & 0xFF);
}

inline Number decode(DType dtype, const std::byte* from) {
  const std::uint64_t bits = load_bits(from, size_of(dtype));
  if (dtype == DType::boolean) return bits != 0 ? 1 : 0;
  if (!is_float(dtype)) {
    const auto value = static_cast<Number>(bits);
    return value > highest(dtype)
               ? value - std::ldexp(Number{1}, 8 * static_cast<int>(size_of(dtype)))
               : value;
  }
  const Format format = format_of(dtype);
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const auto field =
      static_cast<int>(bits >> format.mantissa_bits) & ((1 << format.exponent_bits) - 1);
  const auto fraction = static_cast<Number>(bits & ((1U << format.mantissa_bits) - 1));
  const bool negative = (bits >> (8 * size_of(dtype) - 1)) != 0;
  Number magnitude = 0;
  if (field == (1 << format.exponent_bits) - 1) {
    magnitude = fraction == 0 ? std::numeric_limits<Number>::infinity()
                              : std::numeric_limits<Number>::quiet_NaN();
  } else if (field == 0) {
    magnitude = std::ldexp(fraction, 1 - bias - format.mantissa_bits);
  } else {
    magnitude = std::ldexp(fraction + std::ldexp(Number{1}, format.mantissa_bits),
                           field - bias - format.mantissa_bits);
  }
  return negative ? -magnitude : magnitude;
}

/// Whole multiples of 1 next to `x` by the mode.
inline Number integral(Number x, RoundMode mode) {
  const Number below = std::floor(x);
  if (below == x) return x;
  const Number above = below + 1;
  const bool below_is_even = std::fmod(below, 2) == 0;
  switch (mode) {
    case RoundMode::floor:
      return below;
    case RoundMode::ceil:
      return above;
    case RoundMode::trunc:
      return x < 0 ? above : below;
    case RoundMode::odd:
      return below_is_even ? above : below;
    case RoundMode::round:
      if (x - below == above - x) return x < 0 ? below : above;
      break;
    default:
      if (x - below == above - x) return below_is_even ? below : above;
  }
  return x - below < above - x ? below : above;
}

inline void encode_float(DType dtype, Number value, RoundMode mode, std::byte* to) {
  const Format format = format_of(dtype);
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const std::uint64_t infinity = static_cast<std::uint64_t>((1 << format.exponent_bits) - 1)
                                 << format.mantissa_bits;
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (8 * size_of(dtype) - 1) : 0;
  if (std::isnan(value)) return store_bits(to, size_of(dtype), sign | (infinity + 1));
  if (std::isinf(value)) return store_bits(to, size_of(dtype), sign | infinity);
  if (value == 0) return store_bits(to, size_of(dtype), sign);

  int exponent = std::max(std::ilogb(value), 1 - bias);
  Number units = integral(std::ldexp(value, format.mantissa_bits - exponent), mode);
  const Number hidden = std::ldexp(Number{1}, format.mantissa_bits);
  if (std::fabs(units) == 2 * hidden) {
    units /= 2;
    ++exponent;
  }
  std::uint64_t bits = 0;
  if (exponent > bias) {
    const bool up = mode == RoundMode::none || mode == RoundMode::rint ||
                    mode == RoundMode::round || (mode == RoundMode::floor && value < 0) ||
                    (mode == RoundMode::ceil && value > 0);
    bits = up ? infinity : infinity - 1;
  } else if (std::fabs(units) < hidden) {
    bits = static_cast<std::uint64_t>(std::fabs(units));
  } else {
    bits = static_cast<std::uint64_t>(exponent + bias) << format.mantissa_bits |
           static_cast<std::uint64_t>(std::fabs(units) - hidden);
  }
  store_bits(to, size_of(dtype), sign | bits);
}

/// Integers saturate when `value` is no integer of the dtype.
inline void encode(DType dtype, Number value, RoundMode mode, std::byte* to) {
  if (dtype == DType::boolean) return store_bits(to, 1, value != 0 ? 1 : 0);
  if (is_float(dtype)) return encode_float(dtype, value, mode, to);
  Number whole = std::isnan(value) ? 0 : std::isinf(value) ? value : integral(value, mode);
  whole = std::max(lowest(dtype), std::min(highest(dtype), whole));
  const auto magnitude = static_cast<std::uint64_t>(std::fabs(whole));
  store_bits(to, size_of(dtype), whole < 0 ? 0 - magnitude : magnitude);
}

/// Byte equality; two NaNs are the same whatever their payload.
inline bool same_element(DType dtype, const std::byte* a, const std::byte* b) {
  if (load_bits(a, size_of(dtype)) == load_bits(b, size_of(dtype))) return true;
  return is_float(dtype) && std::isnan(decode(dtype, a)) && std::isnan(decode(dtype, b));
}

/// Seeded random choices.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// In low..high, both included.
  std::int64_t in(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  bool chance(int percent) { return in(1, 100) <= percent; }
  template <class T>
  const T& of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(in(0, static_cast<std::int64_t>(choices.size()) - 1))];
  }
  std::uint64_t bits() { return engine_(); }
  void fill(std::vector<std::byte>& bytes) {
    for (std::byte& byte : bytes)
      byte = static_cast<std::byte>(engine_());
  }
  Tile tile(DType dtype, std::uint32_t offset_bytes, std::int64_t rows, std::int64_t cols,
            bool partly_valid) {
    Tile tile{.offset_bytes = offset_bytes, .dtype = dtype};
    tile.layout = chance(70) ? TileLayout::row_major : TileLayout::col_major;
    tile.rows = static_cast<std::int32_t>(rows);
    tile.cols = static_cast<std::int32_t>(cols);
    tile.valid_rows = static_cast<std::int32_t>(partly_valid ? in(0, rows) : rows);
    tile.valid_cols = static_cast<std::int32_t>(partly_valid ? in(0, cols) : cols);
    return tile;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace a2a3::isa::reference
