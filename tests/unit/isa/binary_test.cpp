// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "isa/memory.hpp"
#include "unit/isa/operands.hpp"
#include "unit/isa/vector_port.hpp"

namespace a2a3::isa::binary_test {
namespace {

class Binary : public testing::Test {
 protected:
  /// lhs op rhs on [1, n] tiles.
  template <class T>
  std::vector<T> run(BinaryOp op, DType dtype, std::initializer_list<T> lhs,
                     std::initializer_list<T> rhs) {
    ub.put(0, lhs);
    ub.put(512, rhs);
    const auto n = static_cast<std::int32_t>(lhs.size());
    execute(TBinary{op, tile_at(0, dtype, 1, n),
                    tile_at(512, dtype, 1, static_cast<std::int32_t>(rhs.size())),
                    tile_at(1024, dtype, 1, n)},
            ub.bytes, port);
    return ub.get<T>(1024, lhs.size());
  }
  Ub ub;
  VectorPort port{1, 0};
};

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST_F(Binary, IntegersWrapAround) {
  using I8 = std::int8_t;
  EXPECT_EQ(run<I8>(BinaryOp::add, DType::int8, {127, -128}, {1, -1}),
            (std::vector<I8>{-128, 127}));
  EXPECT_EQ(run<I8>(BinaryOp::mul, DType::int8, {64, -128}, {4, -1}), (std::vector<I8>{0, -128}));
  EXPECT_EQ(run<std::uint16_t>(BinaryOp::mul, DType::uint16, {65535}, {65535}),
            (std::vector<std::uint16_t>{1}));
  EXPECT_EQ(run<std::int32_t>(BinaryOp::sub, DType::int32, {INT32_MIN}, {1}),
            (std::vector<std::int32_t>{INT32_MAX}));
}

TEST_F(Binary, IntegerDivisionNeverTraps) {
  EXPECT_EQ(
      run<std::int32_t>(BinaryOp::div, DType::int32, {7, -7, 7, INT32_MIN, 5}, {2, 2, -2, -1, 0}),
      (std::vector<std::int32_t>{3, -3, -3, INT32_MIN, 0}));
  EXPECT_EQ(run<std::int64_t>(BinaryOp::div, DType::int64, {INT64_MIN, 9}, {-1, 0}),
            (std::vector<std::int64_t>{INT64_MIN, 0}));
  EXPECT_EQ(run<std::int8_t>(BinaryOp::div, DType::int8, {-128}, {-1}),
            (std::vector<std::int8_t>{-128}));
}

TEST_F(Binary, FloatDivisionByZeroIsIeee) {
  const auto quotients = run<float>(BinaryOp::div, DType::fp32, {1, -1, 0}, {0, 0, 0});
  EXPECT_EQ(quotients[0], kInf);
  EXPECT_EQ(quotients[1], -kInf);
  EXPECT_TRUE(std::isnan(quotients[2]));
}

TEST_F(Binary, MaximumAndMinimumKeepNan) {
  for (const BinaryOp op : {BinaryOp::maximum, BinaryOp::minimum}) {
    // Nine elements: the vectorised part and the rest.
    const auto first = run<float>(op, DType::fp32, {kNan, 1, 1, 1, kNan, 1, 1, 1, kNan},
                                  {1, kNan, 1, 1, 1, kNan, 1, 1, 1});
    EXPECT_TRUE(std::isnan(first[0]) && std::isnan(first[1]));
    EXPECT_TRUE(std::isnan(first[4]) && std::isnan(first[5]) && std::isnan(first[8]));
    EXPECT_EQ(first[2], 1);
  }
}

TEST_F(Binary, OfEqualOperandsLhsIsKept) {
  for (const BinaryOp op : {BinaryOp::maximum, BinaryOp::minimum}) {
    const auto kept =
        run<float>(op, DType::fp32, {-0.F, 0.F, -0.F, 0.F, -0.F}, {0.F, -0.F, 0.F, -0.F, 0.F});
    for (std::size_t i = 0; i < kept.size(); ++i)
      EXPECT_EQ(std::signbit(kept[i]), i % 2 == 0);
  }
}

TEST_F(Binary, HalvesAreRoundedOnceToNearestEven) {
  using Eigen::half;
  EXPECT_EQ(
      run<half>(BinaryOp::add, DType::fp16, {half(2048.F), half(2050.F)}, {half(1.F), half(1.F)}),
      (std::vector<half>{half(2048.F), half(2052.F)}));
  using Eigen::bfloat16;
  EXPECT_EQ(run<bfloat16>(BinaryOp::add, DType::bf16, {bfloat16(256.F)}, {bfloat16(1.F)}),
            (std::vector<bfloat16>{bfloat16(256.F)}));
}

TEST_F(Binary, RowsAndColumnsOfOneAreBroadcast) {
  ub.put(0, {1, 2, 3, 4, 5, 6});
  ub.put(512, {10, 20, 30});
  TBinary binary{BinaryOp::add, tile_at(0, DType::int32, 2, 3), tile_at(512, DType::int32, 1, 3),
                 tile_at(1024, DType::int32, 2, 3)};
  execute(binary, ub.bytes, port);
  EXPECT_EQ(ub.get<int>(1024, 6), (std::vector<int>{11, 22, 33, 14, 25, 36}));

  binary.rhs = tile_at(512, DType::int32, 2, 1);
  binary.rhs.layout = TileLayout::col_major;
  execute(binary, ub.bytes, port);
  EXPECT_EQ(ub.get<int>(1024, 6), (std::vector<int>{11, 12, 13, 24, 25, 26}));

  binary.rhs = tile_at(512, DType::int32, 1, 1);
  binary.dst = binary.lhs;  // in place
  execute(binary, ub.bytes, port);
  EXPECT_EQ(ub.get<int>(0, 6), (std::vector<int>{11, 12, 13, 14, 15, 16}));
}

TEST_F(Binary, OnlyTheValidBoxOfLhsIsWritten) {
  ub.put(0, {1, 2, 3, 4});
  Tile lhs = tile_at(0, DType::int32, 2, 2);
  lhs.valid_rows = 1;
  execute(TBinary{BinaryOp::add, lhs, tile_at(0, DType::int32, 2, 2),
                  tile_at(1024, DType::int32, 2, 2)},
          ub.bytes, port);
  EXPECT_EQ(ub.get<int>(1024, 4), (std::vector<int>{2, 4, 0, 0}));
}

TEST_F(Binary, ScalarTakesTheDTypeOfTheTile) {
  ub.put(0, {6.F, -3.F});
  const Tile src = tile_at(0, DType::fp32, 1, 2);
  const Tile dst = tile_at(1024, DType::fp32, 1, 2);
  execute(TBinaryScalar{BinaryOp::div, src, {DType::index, 3, 0}, dst}, ub.bytes, port);
  EXPECT_EQ(ub.get<float>(1024, 2), (std::vector<float>{2, -1}));
  execute(TBinaryScalar{BinaryOp::div, src, {DType::index, 3, 0}, dst, true}, ub.bytes, port);
  EXPECT_EQ(ub.get<float>(1024, 2), (std::vector<float>{0.5F, -1}));
  // 2^24 + 1 is no fp32 number: the scalar is rounded before the addition.
  ub.put(0, {1.F});
  execute(TBinaryScalar{BinaryOp::add, src, {DType::index, (1 << 24) + 1, 0}, dst}, ub.bytes, port);
  EXPECT_EQ(ub.get<float>(1024, 1)[0], 0x1p24F);
}

TEST_F(Binary, FillWritesInvalidElementsToo) {
  Tile dst = tile_at(0, DType::int16, 3, 5);
  dst.valid_rows = 0;
  execute(TFill{dst, {DType::int16, -7, 0}}, ub.bytes, port);
  EXPECT_EQ(ub.get<std::int16_t>(0, 15), std::vector<std::int16_t>(15, -7));
  EXPECT_EQ(ub.get<std::int16_t>(30, 1)[0], 0);
}

}  // namespace
}  // namespace a2a3::isa::binary_test
