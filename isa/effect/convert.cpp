// SPDX-License-Identifier: Apache-2.0
#include "isa/effect/convert.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "isa/effect/element.hpp"
#include "isa/effect/saturate.hpp"

namespace a2a3::isa {
namespace {

constexpr int kDoubleMantissaBits = 52;
constexpr int kDoubleBias = 1023;
constexpr std::uint64_t kDoubleHidden = std::uint64_t{1} << kDoubleMantissaBits;

/// Whether the magnitude kept + rest goes up by one unit; `rest` is not zero.
bool rounds_up(std::uint64_t kept, std::uint64_t rest, std::uint64_t half, bool negative,
               RoundMode mode) {
  switch (mode) {
    case RoundMode::none:
    case RoundMode::rint:
      return rest > half || (rest == half && (kept & 1) != 0);
    case RoundMode::round:
      return rest >= half;
    case RoundMode::floor:
      return negative;
    case RoundMode::ceil:
      return !negative;
    case RoundMode::trunc:
      return false;
    case RoundMode::odd:
      return (kept & 1) == 0;
  }
  return false;
}

/// Whether a value past the largest finite number becomes infinity.
bool overflows_to_infinity(bool negative, RoundMode mode) {
  switch (mode) {
    case RoundMode::floor:
      return negative;
    case RoundMode::ceil:
      return !negative;
    case RoundMode::trunc:
    case RoundMode::odd:
      return false;
    default:
      return true;
  }
}

void store_float(double value, DType dtype, std::byte* to) {
  switch (dtype) {
    case DType::fp32:
      return write_element(to, round_to_format(value, kFp32, RoundMode::rint));
    case DType::fp16:
      return write_element(
          to, static_cast<std::uint16_t>(round_to_format(value, kFp16, RoundMode::rint)));
    default:
      return write_element(
          to, static_cast<std::uint16_t>(round_to_format(value, kBf16, RoundMode::rint)));
  }
}

}  // namespace

std::uint32_t round_to_format(double value, const FloatFormat& format, RoundMode mode) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = (bits >> 63) != 0;
  const std::uint32_t sign = negative ? std::uint32_t{1} << format.sign_shift : 0;
  const std::uint64_t fraction = bits & (kDoubleHidden - 1);
  const int biased = static_cast<int>((bits >> kDoubleMantissaBits) & 0x7FF);
  if (biased == 0x7FF) {
    const std::uint32_t quiet = fraction == 0 ? 0 : std::uint32_t{1} << (format.mantissa_bits - 1);
    return sign | format.inf_bits | quiet;
  }
  if (biased == 0 && fraction == 0) return sign;

  const std::uint64_t significand = biased == 0 ? fraction : fraction | kDoubleHidden;
  const int exponent = (biased == 0 ? 1 : biased) - kDoubleBias;
  const bool normal = exponent >= format.min_exponent;
  int drop = kDoubleMantissaBits - format.mantissa_bits;
  if (!normal) drop += format.min_exponent - exponent;
  // From 54 dropped bits on the value is below half of the smallest subnormal number.
  const std::uint64_t sticky = drop > 60 ? 1 : significand;
  if (drop > 60) drop = 60;
  std::uint64_t kept = sticky >> drop;
  const std::uint64_t rest = sticky & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  if (rest != 0 && rounds_up(kept, rest, half, negative, mode)) ++kept;

  // Adding the mantissa with its hidden bit to the exponent field carries into it as it should.
  const std::uint64_t field =
      normal ? static_cast<std::uint64_t>(exponent - format.min_exponent) : 0;
  const std::uint64_t magnitude = (field << format.mantissa_bits) + kept;
  if (magnitude < format.inf_bits) return sign | static_cast<std::uint32_t>(magnitude);
  return sign | (overflows_to_infinity(negative, mode) ? format.inf_bits : format.inf_bits - 1);
}

double round_to_integral(double value, RoundMode mode) {
  switch (mode) {
    case RoundMode::none:
    case RoundMode::rint:
      return std::nearbyint(value);
    case RoundMode::round:
      return std::round(value);
    case RoundMode::floor:
      return std::floor(value);
    case RoundMode::ceil:
      return std::ceil(value);
    case RoundMode::trunc:
      return std::trunc(value);
    case RoundMode::odd: {
      const double towards_zero = std::trunc(value);
      const bool even = std::fmod(towards_zero, 2.0) == 0.0;
      return towards_zero != value && even ? towards_zero + std::copysign(1.0, value)
                                           : towards_zero;
    }
  }
  return value;
}

double sticky_double(std::uint64_t value) {
  if (value < kDoubleHidden) return static_cast<double>(value);
  constexpr std::uint64_t kLow = 0x7FF;
  const std::uint64_t sticky = (value & kLow) != 0 ? kLow + 1 : 0;
  return static_cast<double>((value & ~kLow) | sticky);
}

double sticky_double(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? -sticky_double(0 - bits) : sticky_double(bits);
}

Scalar load_scalar(DType dtype, const std::byte* from) {
  Scalar scalar{dtype, 0, 0.0};
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    const T element = read_element<T>(from);
    if constexpr (std::is_integral_v<T>) {
      scalar.i = static_cast<std::int64_t>(+element);
    } else {
      scalar.f = static_cast<double>(static_cast<float>(element));
    }
  });
  if (dtype == DType::boolean) scalar.i = scalar.i != 0;
  return scalar;
}

void store_scalar(const Scalar& value, DType dtype, std::byte* to) {
  const bool from_float = is_float(value.dtype);
  if (dtype == DType::boolean) {
    const bool set = from_float ? value.f != 0.0 : value.i != 0;
    return write_element(to, static_cast<std::uint8_t>(set));
  }
  if (is_float(dtype)) {
    const double number = value.dtype == DType::uint64
                              ? sticky_double(static_cast<std::uint64_t>(value.i))
                              : sticky_double(value.i);
    return store_float(from_float ? value.f : number, dtype, to);
  }
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>) {
      const T element = from_float ? saturate<T>(round_to_integral(value.f, RoundMode::round))
                                   : static_cast<T>(value.i);
      write_element(to, element);
    }
  });
}

}  // namespace a2a3::isa
