// SPDX-License-Identifier: Apache-2.0
// Moves of boxes, row sums and matrix products on random tiles against plain loops.
#include <gtest/gtest.h>

#include "isa/memory.hpp"
#include "property/isa_reference.hpp"
#include "unit/isa/vector_port.hpp"

namespace a2a3::isa::isa_cube_test {
namespace {

using reference::Number;
using reference::Random;

constexpr std::uint32_t kSlot = 8192;  // bytes for each tile
const std::vector<DType> kDTypes{DType::fp32,  DType::fp16,  DType::bf16,  DType::int8,
                                 DType::int16, DType::int32, DType::int64, DType::uint8};

std::size_t byte_of(const Tile& tile, std::int64_t row, std::int64_t col) {
  const std::int64_t element =
      tile.layout == TileLayout::row_major ? row * tile.cols + col : col * tile.rows + row;
  return tile.offset_bytes + static_cast<std::size_t>(element * size_of(tile.dtype));
}

/// Numbers whose sums of a few hundred are exact in a long double.
void fill(Random& random, DType dtype, std::vector<std::byte>& bytes) {
  const auto size = static_cast<std::size_t>(size_of(dtype));
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    Number value = static_cast<Number>(random.in(-100, 100));
    if (is_float(dtype)) value /= 7;
    if (dtype == DType::uint8) value = static_cast<Number>(random.in(0, 255));
    reference::encode(dtype, value, RoundMode::rint, &bytes[at]);
  }
}

/// A float rounded to fp32.
Number single(Number value) {
  std::byte bytes[4];
  reference::encode(DType::fp32, value, RoundMode::rint, bytes);
  return reference::decode(DType::fp32, bytes);
}

void expect_same(DType dtype, const std::vector<std::byte>& actual,
                 const std::vector<std::byte>& expected, const std::string& what) {
  const auto size = static_cast<std::size_t>(size_of(dtype));
  for (std::size_t at = 0; at < actual.size(); at += size)
    ASSERT_TRUE(reference::same_element(dtype, &actual[at], &expected[at]))
        << what << " " << name(dtype) << " differs at byte " << at << ": "
        << static_cast<double>(reference::decode(dtype, &actual[at])) << ", expected "
        << static_cast<double>(reference::decode(dtype, &expected[at]));
}

TEST(IsaCube, MoveCopiesABoxAndNothingElse) {
  Random random(20261129);
  VectorPort gm(1, 0);
  for (int round = 0; round < 2000; ++round) {
    const DType dtype = random.of(kDTypes);
    std::vector<std::byte> local(2 * kSlot);
    fill(random, dtype, local);
    TMove move;
    move.src = random.tile(dtype, 0, random.in(1, 20), random.in(1, 40), random.chance(30));
    move.dst = random.tile(dtype, kSlot, random.in(1, 20), random.in(1, 40), random.chance(30));
    move.insert = random.chance(50);
    move.rows = static_cast<std::int32_t>(random.in(0, std::min(move.src.rows, move.dst.rows)));
    move.cols = static_cast<std::int32_t>(random.in(0, std::min(move.src.cols, move.dst.cols)));
    move.src_row = static_cast<std::int32_t>(random.in(0, move.src.rows - move.rows));
    move.src_col = static_cast<std::int32_t>(random.in(0, move.src.cols - move.cols));
    move.dst_row = static_cast<std::int32_t>(random.in(0, move.dst.rows - move.rows));
    move.dst_col = static_cast<std::int32_t>(random.in(0, move.dst.cols - move.cols));
    std::vector<std::byte> expected = local;
    for (std::int32_t r = 0; r < move.rows; ++r) {
      for (std::int32_t c = 0; c < move.cols; ++c) {
        const std::size_t from = byte_of(move.src, move.src_row + r, move.src_col + c);
        const std::size_t to = byte_of(move.dst, move.dst_row + r, move.dst_col + c);
        reference::store_bits(&expected[to], size_of(dtype),
                              reference::load_bits(&local[from], size_of(dtype)));
      }
    }
    execute(move, local, gm);
    ASSERT_EQ(local, expected) << "round " << round;
  }
}

TEST(IsaCube, RowSumAddsEachRowFromItsFirstElement) {
  Random random(20261130);
  VectorPort gm(1, 0);
  for (int round = 0; round < 1000; ++round) {
    const DType dtype = random.of(kDTypes);
    std::vector<std::byte> local(2 * kSlot);
    fill(random, dtype, local);
    TRowSum sum;
    sum.src = random.tile(dtype, 0, random.in(1, 20), random.in(1, 40), random.chance(30));
    sum.tmp = sum.src;
    sum.dst = random.tile(dtype, kSlot, sum.src.rows, 1, false);
    sum.dst.layout = TileLayout::col_major;
    std::vector<std::byte> expected = local;
    for (std::int32_t r = 0; r < sum.src.valid_rows; ++r) {
      Number total = 0;
      std::uint64_t bits = 0;
      for (std::int32_t c = 0; c < sum.src.valid_cols; ++c) {
        const std::byte* element = &local[byte_of(sum.src, r, c)];
        total = single(total + reference::decode(dtype, element));
        bits += reference::load_bits(element, size_of(dtype));
      }
      std::byte* to = &expected[byte_of(sum.dst, r, 0)];
      if (is_float(dtype)) {
        reference::encode(dtype, total, RoundMode::rint, to);
      } else {
        reference::store_bits(to, size_of(dtype), bits);
      }
    }
    execute(sum, local, gm);
    ASSERT_NO_FATAL_FAILURE(expect_same(dtype, local, expected, "TROWSUM"));
  }
}

TEST(IsaCube, MatmulAccumulatesInTheOrderOfTheInnerIndex) {
  Random random(20261201);
  VectorPort gm(1, 0);
  const std::vector<DType> dtypes{DType::fp32, DType::fp16, DType::bf16, DType::int8};
  for (int round = 0; round < 500; ++round) {
    const DType dtype = random.of(dtypes);
    std::vector<std::byte> local(3 * kSlot);
    fill(random, dtype, local);
    TMatmul product;
    const std::int64_t inner = random.in(1, 40);
    product.lhs = random.tile(dtype, 0, random.in(1, 20), inner, false);
    product.rhs = random.tile(dtype, kSlot, inner, random.in(1, 20), false);
    product.lhs.valid_cols = product.rhs.valid_rows =
        std::min(product.lhs.valid_cols, product.rhs.valid_rows);
    const DType accumulator = *accumulator_of(dtype);
    product.dst =
        random.tile(accumulator, 2 * kSlot, product.lhs.rows, product.rhs.cols, random.chance(30));
    std::vector<std::byte> expected = local;
    for (std::int32_t m = 0; m < product.lhs.valid_rows; ++m) {
      for (std::int32_t n = 0; n < product.rhs.valid_cols; ++n) {
        Number total = 0;
        for (std::int32_t k = 0; k < product.lhs.valid_cols; ++k) {
          const Number a = reference::decode(dtype, &local[byte_of(product.lhs, m, k)]);
          const Number b = reference::decode(dtype, &local[byte_of(product.rhs, k, n)]);
          total = dtype == DType::int8 ? total + a * b : single(total + single(a * b));
        }
        reference::encode(accumulator, total, RoundMode::rint,
                          &expected[byte_of(product.dst, m, n)]);
      }
    }
    execute(product, local, gm);
    ASSERT_NO_FATAL_FAILURE(expect_same(accumulator, local, expected, "TMATMUL"));
  }
}

}  // namespace
}  // namespace a2a3::isa::isa_cube_test
