// SPDX-License-Identifier: Apache-2.0
#include "interp/scalar.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace a2a3::interp::scalar_test {
namespace {

using isa::DType;

TEST(Scalar, WrapsToTheWidthOfItsType) {
  EXPECT_EQ(wrap(128, DType::int8), -128);
  EXPECT_EQ(wrap(-129, DType::int8), 127);
  EXPECT_EQ(wrap(32768, DType::int16), -32768);
  EXPECT_EQ(wrap(std::int64_t{1} << 31, DType::int32), -(std::int64_t{1} << 31));
  EXPECT_EQ(wrap(-1, DType::uint8), 255);
  EXPECT_EQ(wrap(-1, DType::uint32), 4294967295);
  EXPECT_EQ(wrap(7, DType::boolean), 1);
  EXPECT_EQ(wrap(std::numeric_limits<std::int64_t>::min(), DType::index),
            std::numeric_limits<std::int64_t>::min());
}

TEST(Scalar, OverflowAt64BitsWrapsAround) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(wrapping_add(kMax, 1), kMin);
  EXPECT_EQ(wrapping_subtract(kMin, 1), kMax);
  EXPECT_EQ(wrapping_multiply(kMax, 2), -2);
  EXPECT_EQ(truncated_quotient(kMin, -1), kMin);
  EXPECT_EQ(truncated_remainder(kMin, -1), 0);
  EXPECT_EQ(floored_quotient(kMin, -1), kMin);
  EXPECT_EQ(floored_remainder(kMin, -1), 0);
}

TEST(Scalar, DivisionTruncatesOnTheDeviceAndFloorsOnTheHost) {
  EXPECT_EQ(truncated_quotient(-7, 2), -3);
  EXPECT_EQ(truncated_remainder(-7, 2), -1);
  EXPECT_EQ(floored_quotient(-7, 2), -4);
  EXPECT_EQ(floored_remainder(-7, 2), 1);
  EXPECT_EQ(truncated_remainder(-1, 4), -1);
  EXPECT_EQ(floored_remainder(-1, 4), 3);
  EXPECT_EQ(floored_remainder(7, -2), -1);
  for (std::int64_t a = -20; a <= 20; ++a) {
    for (std::int64_t b = -6; b <= 6; ++b) {
      if (b == 0) continue;
      const auto floor =
          static_cast<std::int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
      EXPECT_EQ(floored_quotient(a, b), floor) << a << " // " << b;
      EXPECT_EQ(floored_remainder(a, b), a - floor * b) << a << " % " << b;
      EXPECT_EQ(truncated_quotient(a, b) * b + truncated_remainder(a, b), a);
    }
  }
}

TEST(Scalar, RoundsToTheNearestValueOfAFloatingType) {
  EXPECT_EQ(round_to_dtype(0.1, DType::fp32), static_cast<double>(0.1f));
  EXPECT_EQ(round_to_dtype(2049.0, DType::fp16), 2048.0);  // tie to even
  EXPECT_EQ(round_to_dtype(2051.0, DType::fp16), 2052.0);
  EXPECT_EQ(round_to_dtype(65504.0, DType::fp16), 65504.0);
  EXPECT_EQ(round_to_dtype(65519.0, DType::fp16), 65504.0);
  EXPECT_EQ(round_to_dtype(65520.0, DType::fp16), std::numeric_limits<double>::infinity());
  EXPECT_EQ(round_to_dtype(std::ldexp(1.0, -24), DType::fp16), std::ldexp(1.0, -24));
  EXPECT_EQ(round_to_dtype(std::ldexp(1.0, -26), DType::fp16), 0.0);
  EXPECT_EQ(round_to_dtype(257.0, DType::bf16), 256.0);
  EXPECT_TRUE(std::isnan(round_to_dtype(std::nan(""), DType::bf16)));
}

TEST(Scalar, FloatToIntegerTruncatesAndSaturates) {
  EXPECT_EQ(float_to_integer(-2.9, DType::int32), -2);
  EXPECT_EQ(float_to_integer(1e20, DType::int32), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(float_to_integer(-1e20, DType::int64), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(float_to_integer(1e20, DType::int64), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(float_to_integer(-3.0, DType::uint8), 0);
  EXPECT_EQ(float_to_integer(300.0, DType::uint8), 255);
  EXPECT_EQ(float_to_integer(std::nan(""), DType::int32), 0);
}

TEST(Scalar, RegistersKeepIntegersAndFloats) {
  EXPECT_EQ(make_scalar(as_bits(1.5), DType::fp32).f, 1.5);
  EXPECT_EQ(make_scalar(-3, DType::int32).i, -3);
  EXPECT_EQ(register_bits(isa::Scalar{DType::fp16, 0, 2.5}), as_bits(2.5));
  EXPECT_EQ(register_bits(isa::Scalar{DType::int8, -1, 0.0}), -1);
}

}  // namespace
}  // namespace a2a3::interp::scalar_test
