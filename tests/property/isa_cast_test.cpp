// SPDX-License-Identifier: Apache-2.0
// Casts between all dtypes in all rounding modes, and host arrays, against a search for neighbours.
#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "isa/array.hpp"
#include "isa/memory.hpp"
#include "property/isa_reference.hpp"
#include "unit/isa/vector_port.hpp"

namespace a2a3::isa::isa_cast_test {
namespace {

using reference::Number;
using reference::Random;

const std::vector<DType> kDTypes{DType::fp32,   DType::fp16,   DType::bf16,   DType::int8,
                                 DType::int16,  DType::int32,  DType::int64,  DType::uint8,
                                 DType::uint16, DType::uint32, DType::uint64, DType::boolean};
const std::vector<RoundMode> kModes{RoundMode::none,  RoundMode::rint, RoundMode::round,
                                    RoundMode::floor, RoundMode::ceil, RoundMode::trunc,
                                    RoundMode::odd};

/// A value at, beside or between elements of `target`, where rounding decides.
Number interesting(Random& random, DType target) {
  if (is_float(target) && random.chance(30)) {  // a big integer at or beside a tie
    const int mantissa_bits = reference::format_of(target).mantissa_bits;
    const std::int64_t units = random.in(1LL << mantissa_bits, (2LL << mantissa_bits) - 1);
    const auto exponent = static_cast<int>(random.in(1, 62 - mantissa_bits));
    const Number tie = std::ldexp(static_cast<Number>(units) + 0.5L, exponent);
    return (tie + static_cast<Number>(random.in(-1, 1))) * (random.chance(50) ? 1 : -1);
  }
  std::array<std::byte, 8> bytes;
  reference::store_bits(bytes.data(), 8, random.bits());
  Number value = reference::decode(target, bytes.data());
  if (is_float(target)) {
    const Number up = reference::load_bits(bytes.data(), 8) % 2 == 0 ? 0.5L : 0.25L;
    const int exponent = value == 0 || !std::isfinite(value) ? -20 : std::ilogb(value);
    value += std::ldexp(up, exponent - reference::format_of(target).mantissa_bits);
  } else if (random.chance(50)) {
    value = std::fmod(value, 300.0L) + static_cast<Number>(random.in(-4, 4)) / 4;
  }
  if (random.chance(20)) value += std::ldexp(Number{1}, static_cast<int>(random.in(-40, 10)));
  return value;
}

TEST(IsaCast, EveryPairOfDTypesInEveryMode) {
  Random random(20260811);
  VectorPort gm(1, 0);
  constexpr std::uint32_t kSlot = 2048;
  for (int round = 0; round < 6000; ++round) {
    TCast cast;
    const std::int64_t rows = random.in(1, 4);
    const std::int64_t cols = random.in(1, 40);
    cast.src = random.tile(random.of(kDTypes), 0, rows, cols, random.chance(30));
    cast.dst = random.tile(random.of(kDTypes), kSlot, rows, cols, false);
    cast.mode = random.of(kModes);
    std::vector<std::byte> ub(2 * kSlot);
    random.fill(ub);
    for (std::int64_t i = 0; i < cast.src.elements(); ++i)
      if (random.chance(80))
        reference::encode(cast.src.dtype, interesting(random, cast.dst.dtype), RoundMode::trunc,
                          &ub[static_cast<std::size_t>(i * size_of(cast.src.dtype))]);
    std::vector<std::byte> expected = ub;
    for (std::int64_t r = 0; r < cast.src.valid_rows; ++r)
      for (std::int64_t c = 0; c < cast.src.valid_cols; ++c) {
        const std::byte* from =
            &ub[static_cast<std::size_t>(cast.src.element_index(r, c) * size_of(cast.src.dtype))];
        std::byte* to = &expected[kSlot + static_cast<std::size_t>(cast.dst.element_index(r, c) *
                                                                   size_of(cast.dst.dtype))];
        if (cast.src.dtype == cast.dst.dtype)
          std::memcpy(to, from, static_cast<std::size_t>(size_of(cast.dst.dtype)));
        else
          reference::encode(cast.dst.dtype, reference::decode(cast.src.dtype, from), cast.mode, to);
      }
    const std::vector<std::byte> before = ub;
    execute(cast, ub, gm);
    for (std::size_t at = 0; at < kSlot; ++at)
      ASSERT_EQ(ub[at], before[at]);
    const auto size = static_cast<std::size_t>(size_of(cast.dst.dtype));
    for (std::size_t at = kSlot; at < ub.size(); at += size)
      ASSERT_TRUE(reference::same_element(cast.dst.dtype, &ub[at], &expected[at]))
          << name(cast.src.dtype) << " to " << name(cast.dst.dtype) << " mode "
          << static_cast<int>(cast.mode) << " round " << round << ": "
          << static_cast<double>(reference::decode(cast.dst.dtype, &ub[at])) << ", expected "
          << static_cast<double>(reference::decode(cast.dst.dtype, &expected[at]));
  }
}

TEST(IsaCast, EveryHalfPatternToEveryDType) {
  constexpr std::int64_t kPatterns = 65536;
  VectorPort gm(1, 0);
  for (const DType half : {DType::fp16, DType::bf16})
    for (const DType target :
         {DType::fp32, DType::fp16, DType::bf16, DType::int8, DType::uint16, DType::int32})
      for (const RoundMode mode : kModes) {
        if (half == target) continue;
        std::vector<std::byte> ub(kPatterns * 2 + kPatterns * 8);
        for (std::int64_t i = 0; i < kPatterns; ++i)
          reference::store_bits(&ub[static_cast<std::size_t>(2 * i)], 2,
                                static_cast<std::uint64_t>(i));
        TCast cast{{.dtype = half, .rows = 1, .cols = 65536, .valid_rows = 1, .valid_cols = 65536},
                   {},
                   mode};
        cast.dst = cast.src;
        cast.dst.dtype = target;
        cast.dst.offset_bytes = 2 * kPatterns;
        execute(cast, ub, gm);
        for (std::int64_t i = 0; i < kPatterns; ++i) {
          std::array<std::byte, 8> expected;
          reference::encode(target, reference::decode(half, &ub[static_cast<std::size_t>(2 * i)]),
                            mode, expected.data());
          const auto at = static_cast<std::size_t>(2 * kPatterns + i * size_of(target));
          ASSERT_TRUE(reference::same_element(target, &ub[at], expected.data()))
              << name(half) << " pattern " << i << " to " << name(target) << " mode "
              << static_cast<int>(mode);
        }
      }
}

TEST(IsaArray, SetRoundsOnceAndAtIsExact) {
  Random random(20260812);
  for (const DType dtype : kDTypes) {
    Array array(dtype, {2000});
    for (std::int64_t i = 0; i < array.elements(); ++i) {
      const auto value = static_cast<double>(interesting(random, dtype));
      if (!std::isfinite(value) && !is_float(dtype)) continue;
      array.set(i, value);
      std::array<std::byte, 8> expected{};
      if (is_float(dtype) || dtype == DType::boolean) {
        reference::encode(dtype, value, RoundMode::rint, expected.data());
      } else {
        const Number whole = reference::integral(value, RoundMode::round);
        const auto magnitude = static_cast<std::uint64_t>(std::fmod(std::fabs(whole), 0x1p64L));
        reference::store_bits(expected.data(), 8, whole < 0 ? 0 - magnitude : magnitude);
      }
      const std::byte* stored = &array.bytes[static_cast<std::size_t>(i * size_of(dtype))];
      ASSERT_TRUE(reference::same_element(dtype, stored, expected.data()))
          << name(dtype) << " of " << value;
      const auto exact = static_cast<double>(reference::decode(dtype, stored));
      ASSERT_TRUE(array.at(i) == exact || std::isnan(exact)) << name(dtype) << " of " << value;
    }
  }
}

}  // namespace
}  // namespace a2a3::isa::isa_cast_test
