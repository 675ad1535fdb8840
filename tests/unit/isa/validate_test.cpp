// SPDX-License-Identifier: Apache-2.0
#include "isa/validate.hpp"

#include <array>

#include <gtest/gtest.h>

#include "unit/isa/operands.hpp"

namespace a2a3::isa::validate_test {
namespace {

constexpr std::array<std::uint64_t, 2> kGm{1024, 512};
constexpr MemorySizes kMemory{1024, 0, kGm};

std::string problem(const Operation& operation) {
  return validate(operation, kMemory).value_or("none");
}

const Tile kTile = tile_at(0, DType::fp32, 1, 64);

TEST(Validate, GlobalMemoryEndsWhereItEnds) {
  EXPECT_EQ(problem(TLoad{box_at({0, 768}, DType::fp32, 1, 64), kTile}), "none");
  EXPECT_EQ(problem(TLoad{box_at({0, 772}, DType::fp32, 1, 64), kTile}),
            "source covers bytes 772 to 1028 of the global memory of device 0, which has 1024");
  EXPECT_EQ(problem(TStore{kTile, box_at({1, 260}, DType::fp32, 1, 64)}),
            "destination covers bytes 260 to 516 of the global memory of device 1, which has 512");
  EXPECT_EQ(problem(TLoad{box_at({2, 0}, DType::fp32, 1, 64), kTile}),
            "source is on device 2, there are 2 devices");
  EXPECT_EQ(problem(TNotify{{1, 508}, 1, {}}), "none");
  EXPECT_NE(problem(TNotify{{1, 509}, 1, {}}), "none");
  EXPECT_NE(problem(TWait{{1, ~std::uint64_t{0}}, 1, {}}), "none");
}

TEST(Validate, TilesLieAlignedInTheUnifiedBuffer) {
  EXPECT_EQ(problem(TFill{tile_at(768, DType::fp32, 1, 64), {}}), "none");
  EXPECT_EQ(problem(TFill{tile_at(800, DType::fp32, 1, 64), {}}),
            "tile covers bytes 800 to 1056 of the unified buffer, which has 1024");
  EXPECT_EQ(problem(TFill{tile_at(16, DType::fp32, 1, 64), {}}),
            "tile starts at byte 16, which is not 32-byte aligned");
  EXPECT_EQ(problem(ScalarWrite{{}, tile_at(1020, DType::fp32, 1, 1), {DType::fp32, 0, 1}}),
            "none");
  EXPECT_NE(problem(ScalarWrite{{}, tile_at(1024, DType::fp32, 1, 1), {DType::fp32, 0, 1}}),
            "none");
  EXPECT_NE(problem(ScalarRead{}), "none");
  Tile wide = kTile;
  wide.valid_cols = 65;
  EXPECT_EQ(problem(TFill{wide, {}}), "tile has the valid box [1, 65] in [1, 64]");
  Tile matrix = kTile;
  matrix.space = MemorySpace::l1;
  EXPECT_EQ(problem(TFill{matrix, {}}), "tile is not in the unified buffer");
}

TEST(Validate, OperandsFitTogether) {
  const Tile other = tile_at(256, DType::fp32, 1, 64);
  EXPECT_EQ(problem(TBinary{BinaryOp::add, kTile, other, other}), "none");
  EXPECT_EQ(problem(TBinary{BinaryOp::add, kTile, tile_at(256, DType::int32, 1, 64), other}),
            "right operand is INT32, expected FP32");
  EXPECT_EQ(problem(TBinary{BinaryOp::add, kTile, tile_at(256, DType::fp32, 1, 32), other}),
            "right operand is [1, 32], smaller than the valid box [1, 64]");
  EXPECT_EQ(problem(TBinary{BinaryOp::add, kTile, tile_at(256, DType::fp32, 1, 1), other}), "none");
  EXPECT_NE(problem(TBinaryScalar{BinaryOp::add, kTile, {}, tile_at(256, DType::fp32, 1, 32)}),
            "none");
  EXPECT_NE(problem(TCast{kTile, tile_at(256, DType::fp16, 1, 32), {}}), "none");
  EXPECT_EQ(problem(TLoad{box_at({0, 0}, DType::fp32, 1, 32), kTile}),
            "the valid box [1, 64] of the tile does not match the source of [1, 32]");
  EXPECT_NE(problem(TLoad{box_at({0, 0}, DType::int32, 1, 64), kTile}), "none");
  GmBox strided = box_at({0, 0}, DType::fp32, 1, 64);
  strided.stride[4] = 2;
  EXPECT_EQ(problem(TLoad{strided, kTile}), "the innermost stride of the source is 2");
}

TEST(Validate, AtomicAddNeedsItsDTypes) {
  const auto store = [](DType dtype) {
    return TStore{tile_at(0, dtype, 1, 32), box_at({0, 0}, dtype, 1, 32), true};
  };
  EXPECT_EQ(problem(store(DType::bf16)), "none");
  EXPECT_EQ(problem(store(DType::uint32)), "UINT32 has no atomic add");
}

TEST(Validate, TransfersFitTheirStages) {
  TPut put;
  put.src = box_at({0, 0}, DType::fp32, 2, 16);
  put.dst = box_at({1, 0}, DType::fp32, 2, 16, 32);
  put.stage = tile_at(0, DType::fp32, 2, 16);
  EXPECT_EQ(problem(put), "none");
  put.stage = tile_at(0, DType::fp32, 1, 8);
  put.stage2 = tile_at(32, DType::fp32, 1, 8);
  EXPECT_EQ(problem(put), "none");
  put.stage2 = tile_at(32, DType::fp32, 2, 8);
  EXPECT_EQ(problem(put), "the second stage is [2, 8], the first [1, 8]");
  put.stage2.reset();
  put.stage = tile_at(0, DType::fp32, 4, 16);
  EXPECT_EQ(problem(put),
            "the valid box [4, 16] of the stage must be equal to the transfer's [2, 16]");
  put.stage.valid_rows = 0;
  EXPECT_EQ(problem(put), "the stage has no valid element");
  put.stage = tile_at(0, DType::fp32, 2, 16);
  put.dst = box_at({1, 0}, DType::fp32, 1, 32);
  EXPECT_EQ(problem(put), "source and destination have different shapes");
  const TGet get{box_at({1, 0}, DType::fp32, 4, 64, 64),
                 box_at({0, 0}, DType::fp32, 4, 64),
                 tile_at(0, DType::fp32, 1, 64),
                 {}};
  EXPECT_EQ(problem(get),
            "destination covers bytes 0 to 1024 of the global memory of device 1, which has 512");
}

TEST(Validate, TransfersWithinADeviceDoNotOverlap) {
  TPut put;
  put.src = box_at({0, 0}, DType::fp32, 4, 8, 32);
  put.dst = box_at({0, 32}, DType::fp32, 4, 8, 32);  // the columns beside it
  put.stage = tile_at(0, DType::fp32, 4, 8);
  EXPECT_EQ(problem(put), "none");
  put.dst.base.offset_bytes = 28;
  EXPECT_EQ(problem(put), "source and destination overlap");
  put.dst.base.offset_bytes = 128;  // one row down
  EXPECT_EQ(problem(put), "source and destination overlap");
  put.dst.base = {1, 0};
  EXPECT_EQ(problem(put), "none");
}

}  // namespace
}  // namespace a2a3::isa::validate_test
