// SPDX-License-Identifier: Apache-2.0
#include "isa/dtype.hpp"

#include <gtest/gtest.h>

namespace a2a3::isa::dtype_test {
namespace {

TEST(DType, NamesReadBack) {
  int known = 0;
  for (int i = 0; i <= static_cast<int>(DType::index); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(name(dtype)), dtype) << name(dtype);
    ++known;
  }
  EXPECT_EQ(known, 13);
  EXPECT_EQ(name(DType::bf16), "BF16");
  EXPECT_EQ(name(DType::boolean), "BOOL");
  EXPECT_EQ(dtype_from_name("FP64"), std::nullopt);
  EXPECT_EQ(dtype_from_name("fp32"), std::nullopt);
}

TEST(DType, SizesAndKinds) {
  EXPECT_EQ(size_of(DType::bf16), 2);
  EXPECT_EQ(size_of(DType::index), 8);
  EXPECT_TRUE(is_integer(DType::index));
  EXPECT_FALSE(is_integer(DType::boolean));
  EXPECT_FALSE(is_float(DType::boolean));
  for (const DType dtype :
       {DType::fp32, DType::bf16, DType::fp16, DType::int32, DType::int16, DType::int8})
    EXPECT_TRUE(supports_atomic_add(dtype)) << name(dtype);
  for (const DType dtype :
       {DType::int64, DType::uint8, DType::uint16, DType::uint32, DType::uint64, DType::boolean})
    EXPECT_FALSE(supports_atomic_add(dtype)) << name(dtype);
}

}  // namespace
}  // namespace a2a3::isa::dtype_test
