// SPDX-License-Identifier: Apache-2.0
#include "isa/hazard.hpp"

#include <gtest/gtest.h>

#include "unit/isa/operands.hpp"

namespace a2a3::isa::hazard_test {
namespace {

bool ordered(const Operation& first, const Operation& second) {
  const ByteRanges a = operand_ranges(first);
  const ByteRanges b = operand_ranges(second);
  for (int i = 0; i < a.count; ++i)
    for (int j = 0; j < b.count; ++j)
      if (a.range[static_cast<std::size_t>(i)].conflicts_with(b.range[static_cast<std::size_t>(j)]))
        return true;
  return false;
}

const Tile kFirst = tile_at(0, DType::fp32, 1, 64);
const Tile kSecond = tile_at(256, DType::fp32, 1, 64);
const Tile kThird = tile_at(512, DType::fp32, 1, 64);

TEST(Hazard, ExtentSpansFromFirstToLastElement) {
  EXPECT_EQ(extent_bytes(box_at({0, 0}, DType::fp32, 1, 64)), 256U);
  EXPECT_EQ(extent_bytes(box_at({0, 0}, DType::fp16, 3, 4, 10)), 48U);
  EXPECT_EQ(extent_bytes(box_at({0, 0}, DType::fp32, 0, 64)), 0U);
}

TEST(Hazard, TilesOrderReadersAndWriters) {
  const Operation load = TLoad{box_at({0, 0}, DType::fp32, 1, 64), kFirst};
  const Operation add = TBinary{BinaryOp::add, kFirst, kFirst, kSecond};
  EXPECT_TRUE(ordered(load, add));                                             // read after write
  EXPECT_TRUE(ordered(add, load));                                             // write after read
  EXPECT_TRUE(ordered(load, load));                                            // write after write
  EXPECT_FALSE(ordered(add, TBinary{BinaryOp::mul, kFirst, kFirst, kThird}));  // two readers
  EXPECT_TRUE(ordered(add, TCast{kSecond, kThird}));
  EXPECT_TRUE(ordered(TFill{kFirst, {}}, TBinaryScalar{BinaryOp::add, kFirst, {}, kThird}));
  EXPECT_FALSE(ordered(TFill{kSecond, {}}, load));
}

TEST(Hazard, GlobalMemoryIsTheDevicesOwn) {
  const Operation store = TStore{kFirst, box_at({1, 0}, DType::fp32, 1, 64)};
  EXPECT_TRUE(ordered(store, TLoad{box_at({1, 252}, DType::fp32, 1, 64), kSecond}));
  EXPECT_FALSE(ordered(store, TLoad{box_at({1, 256}, DType::fp32, 1, 64), kSecond}));
  EXPECT_FALSE(ordered(store, TLoad{box_at({0, 0}, DType::fp32, 1, 64), kSecond}));
  // UB byte 0 of the tile is not GM byte 0.
  EXPECT_FALSE(ordered(TFill{kFirst, {}}, TLoad{box_at({0, 0}, DType::fp32, 1, 64), kSecond}));
}

TEST(Hazard, ScalarAccessesAreOneElement) {
  Scalar result;
  const Operation read = ScalarRead{GlobalAddress{0, 256}, {}, DType::int32, &result};
  EXPECT_TRUE(ordered(TStore{kFirst, box_at({0, 4}, DType::fp32, 1, 64)}, read));
  EXPECT_FALSE(ordered(TStore{kFirst, box_at({0, 0}, DType::fp32, 1, 64)}, read));
  const Operation write = ScalarWrite{{}, tile_at(252, DType::fp32, 1, 1), {}};
  EXPECT_TRUE(ordered(TFill{kFirst, {}}, write));
  EXPECT_FALSE(ordered(TFill{kSecond, {}}, write));
  EXPECT_TRUE(ordered(ScalarWrite{GlobalAddress{0, 64}, {}, {DType::int32, 1, 0}},
                      TWait{{0, 64}, 1, WaitCmp::ge}));
}

TEST(Hazard, OperationsBetweenBarriersHaveNoRanges) {
  EXPECT_EQ(operand_ranges(TPut{}).count, 0);
  EXPECT_EQ(operand_ranges(TGet{}).count, 0);
  EXPECT_EQ(operand_ranges(TNotify{}).count, 0);
  EXPECT_EQ(operand_ranges(PipeBarrier{}).count, 0);
}

TEST(Hazard, AnEmptyBoxOrdersNothing) {
  const Operation empty = TLoad{box_at({0, 64}, DType::fp32, 0, 64), kFirst};
  EXPECT_EQ(operand_ranges(empty).count, 1);
  EXPECT_FALSE(ordered(empty, TStore{kSecond, box_at({0, 0}, DType::fp32, 1, 64)}));
}

}  // namespace
}  // namespace a2a3::isa::hazard_test
