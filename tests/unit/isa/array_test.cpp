// SPDX-License-Identifier: Apache-2.0
#include "isa/array.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace a2a3::isa::array_test {
namespace {

double stored(DType dtype, double value) {
  Array array(dtype, {1});
  array.set(0, value);
  return array.at(0);
}

TEST(Array, IsZeroFilledAndRowMajor) {
  Array array(DType::int16, {2, 3});
  EXPECT_EQ(array.elements(), 6);
  EXPECT_EQ(array.bytes.size(), 12U);
  array.set(4, -2);
  EXPECT_EQ(array.at(4), -2);
  EXPECT_EQ(array.bytes[8], std::byte{0xFE});
  EXPECT_EQ(array.at(3), 0);
  EXPECT_EQ(Array(DType::fp32, {}).elements(), 1);
  EXPECT_EQ(Array(DType::fp32, {4, 0}).bytes.size(), 0U);
}

TEST(Array, FloatsRoundOnceToNearestEven) {
  EXPECT_EQ(stored(DType::fp16, 1 + 0x1p-11), 1.0);
  EXPECT_EQ(stored(DType::fp16, 1 + 3 * 0x1p-11), 1 + 0x1p-9);
  // By way of fp32 the last bit would be lost and the tie go down.
  EXPECT_EQ(stored(DType::fp16, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
  EXPECT_EQ(stored(DType::bf16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
  EXPECT_EQ(stored(DType::fp32, 1 + 0x1p-24), 1.0);
  EXPECT_EQ(stored(DType::fp16, 65519.0), 65504.0);
  EXPECT_EQ(stored(DType::fp16, 65520.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(stored(DType::fp16, 0x1p-24), 0x1p-24);
  EXPECT_EQ(stored(DType::fp16, 0x1p-25), 0.0);
  EXPECT_TRUE(std::signbit(stored(DType::bf16, -0.0)));
  EXPECT_TRUE(std::isnan(stored(DType::fp16, std::nan(""))));
}

TEST(Array, IntegersWrapAround) {
  EXPECT_EQ(stored(DType::int8, 128), -128);
  EXPECT_EQ(stored(DType::int8, 300), 44);
  EXPECT_EQ(stored(DType::uint8, -1), 255);
  EXPECT_EQ(stored(DType::int32, 0x1p31), -0x1p31);
  EXPECT_EQ(stored(DType::int16, 2.5), 3);
  EXPECT_EQ(stored(DType::int16, -2.5), -3);
  EXPECT_EQ(stored(DType::uint64, 0x1p63), 0x1p63);
  EXPECT_EQ(stored(DType::int64, -0x1p63), -0x1p63);
  EXPECT_EQ(stored(DType::int32, std::nan("")), 0);
  EXPECT_EQ(stored(DType::int32, std::numeric_limits<double>::infinity()), 0);
}

TEST(Array, BooleanIsNotEqualToZero) {
  EXPECT_EQ(stored(DType::boolean, 0.25), 1);
  EXPECT_EQ(stored(DType::boolean, 0), 0);
}

}  // namespace
}  // namespace a2a3::isa::array_test
