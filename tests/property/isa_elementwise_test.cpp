// SPDX-License-Identifier: Apache-2.0
// Element-wise operations on random tiles against plain loops.
#include <cstring>

#include <gtest/gtest.h>

#include "isa/memory.hpp"
#include "property/isa_reference.hpp"
#include "unit/isa/vector_port.hpp"

namespace a2a3::isa::isa_elementwise_test {
namespace {

using reference::Number;
using reference::Random;

constexpr std::uint32_t kSlot = 4096;  // bytes for each tile
const std::vector<DType> kDTypes{DType::fp32,   DType::fp16,   DType::bf16,  DType::int8,
                                 DType::int16,  DType::int32,  DType::int64, DType::uint8,
                                 DType::uint16, DType::uint32, DType::uint64};
const std::vector<BinaryOp> kOps{BinaryOp::add, BinaryOp::sub,     BinaryOp::mul,
                                 BinaryOp::div, BinaryOp::maximum, BinaryOp::minimum};

bool takes_left(BinaryOp op, Number a, Number b) {
  if (std::isnan(a)) return true;
  if (std::isnan(b)) return false;
  return op == BinaryOp::maximum ? a >= b : a <= b;
}

std::uint64_t divide(DType dtype, Number a, Number b) {
  if (b == 0) return 0;
  if (reference::lowest(dtype) == 0)
    return static_cast<std::uint64_t>(a) / static_cast<std::uint64_t>(b);
  if (b == -1) return 0 - static_cast<std::uint64_t>(static_cast<std::int64_t>(a));
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) / static_cast<std::int64_t>(b));
}

/// to = a op b on one element.
void apply_op(BinaryOp op, DType dtype, const std::byte* a, const std::byte* b, std::byte* to) {
  const Number x = reference::decode(dtype, a);
  const Number y = reference::decode(dtype, b);
  const std::int64_t bytes = size_of(dtype);
  if (op == BinaryOp::maximum || op == BinaryOp::minimum) {
    const std::uint64_t chosen = reference::load_bits(takes_left(op, x, y) ? a : b, bytes);
    return reference::store_bits(to, bytes, chosen);
  }
  if (is_float(dtype)) {
    const Number exact = op == BinaryOp::add   ? x + y
                         : op == BinaryOp::sub ? x - y
                         : op == BinaryOp::mul ? x * y
                                               : x / y;
    std::byte single[4];
    reference::encode(DType::fp32, exact, RoundMode::rint, single);
    return reference::encode(dtype, reference::decode(DType::fp32, single), RoundMode::rint, to);
  }
  const std::uint64_t i = reference::load_bits(a, bytes);
  const std::uint64_t j = reference::load_bits(b, bytes);
  reference::store_bits(to, bytes,
                        op == BinaryOp::add   ? i + j
                        : op == BinaryOp::sub ? i - j
                        : op == BinaryOp::mul ? i * j
                                              : divide(dtype, x, y));
}

/// Random bytes; often replaced by small numbers, zeros and the extremes of the dtype.
void fill(Random& random, DType dtype, std::vector<std::byte>& bytes) {
  random.fill(bytes);
  const int tame = random.chance(30) ? 0 : 80;
  const auto size = static_cast<std::size_t>(size_of(dtype));
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    if (!random.chance(tame)) continue;
    Number value = static_cast<Number>(random.in(-100, 100));
    if (is_float(dtype) && random.chance(50)) value /= 7;
    if (is_float(dtype) && random.chance(10)) value = random.chance(50) ? Number{0} : -Number{0};
    if (!is_float(dtype) && random.chance(10))
      value = random.chance(50) ? reference::lowest(dtype) : reference::highest(dtype);
    reference::encode(dtype, value, RoundMode::rint, &bytes[at]);
  }
}

void expect_same(DType dtype, const std::vector<std::byte>& actual,
                 const std::vector<std::byte>& expected, const std::string& what) {
  const auto size = static_cast<std::size_t>(size_of(dtype));
  for (std::size_t at = 0; at < actual.size(); at += size)
    ASSERT_TRUE(reference::same_element(dtype, &actual[at], &expected[at]))
        << what << " differs at byte " << at << ": "
        << static_cast<double>(reference::decode(dtype, &actual[at])) << ", expected "
        << static_cast<double>(reference::decode(dtype, &expected[at]));
}

std::size_t byte_of(const Tile& tile, std::int64_t row, std::int64_t col) {
  const std::int64_t element =
      tile.layout == TileLayout::row_major ? row * tile.cols + col : col * tile.rows + row;
  return tile.offset_bytes + static_cast<std::size_t>(element * size_of(tile.dtype));
}

TEST(IsaElementwise, TileWithTile) {
  Random random(20260801);
  VectorPort gm(1, 0);
  for (int round = 0; round < 2000; ++round) {
    const DType dtype = random.of(kDTypes);
    std::vector<std::byte> ub(4 * kSlot);
    fill(random, dtype, ub);
    const std::int64_t rows = random.in(1, 12);
    const std::int64_t cols = random.in(1, 40);
    TBinary binary;
    binary.op = random.of(kOps);
    binary.lhs = random.tile(dtype, 0, rows, cols, random.chance(40));
    binary.rhs = random.tile(dtype, kSlot, random.chance(25) ? 1 : rows,
                             random.chance(25) ? 1 : cols, false);
    binary.dst = random.tile(dtype, 2 * kSlot, rows, cols, false);
    if (random.chance(25)) binary.dst = binary.lhs;
    if (random.chance(10) && binary.rhs.rows == rows && binary.rhs.cols == cols)
      binary.dst = binary.rhs;

    std::vector<std::byte> expected = ub;
    for (std::int64_t r = 0; r < binary.lhs.valid_rows; ++r)
      for (std::int64_t c = 0; c < binary.lhs.valid_cols; ++c)
        apply_op(
            binary.op, dtype, &ub[byte_of(binary.lhs, r, c)],
            &ub[byte_of(binary.rhs, binary.rhs.rows == 1 ? 0 : r, binary.rhs.cols == 1 ? 0 : c)],
            &expected[byte_of(binary.dst, r, c)]);
    execute(binary, ub, gm);
    ASSERT_NO_FATAL_FAILURE(expect_same(dtype, ub, expected,
                                        std::string(mnemonic(binary)) + " " +
                                            std::string(name(dtype)) + " round " +
                                            std::to_string(round)));
  }
}

TEST(IsaElementwise, TileWithScalar) {
  Random random(20260802);
  VectorPort gm(1, 0);
  for (int round = 0; round < 2000; ++round) {
    const DType dtype = random.of(kDTypes);
    std::vector<std::byte> ub(2 * kSlot);
    fill(random, dtype, ub);
    TBinaryScalar binary;
    binary.op = random.of(kOps);
    const std::int64_t rows = random.in(1, 12);
    const std::int64_t cols = random.in(1, 40);
    binary.src = random.tile(dtype, 0, rows, cols, random.chance(40));
    binary.dst = random.chance(25) ? binary.src : random.tile(dtype, kSlot, rows, cols, false);
    binary.scalar_first = random.chance(30);
    std::byte scalar[8];
    if (is_float(dtype) && random.chance(60)) {
      binary.scalar = {DType::fp32, 0, static_cast<double>(random.in(-4000, 4000)) / 17};
      reference::encode(dtype, binary.scalar.f, RoundMode::rint, scalar);
    } else {
      binary.scalar = {DType::index, random.in(-70000, 70000), 0.0};
      if (is_float(dtype))
        reference::encode(dtype, static_cast<Number>(binary.scalar.i), RoundMode::rint, scalar);
      else
        reference::store_bits(scalar, 8, static_cast<std::uint64_t>(binary.scalar.i));
    }

    std::vector<std::byte> expected = ub;
    for (std::int64_t r = 0; r < binary.src.valid_rows; ++r)
      for (std::int64_t c = 0; c < binary.src.valid_cols; ++c) {
        const std::byte* element = &ub[byte_of(binary.src, r, c)];
        apply_op(binary.op, dtype, binary.scalar_first ? scalar : element,
                 binary.scalar_first ? element : scalar, &expected[byte_of(binary.dst, r, c)]);
      }
    execute(binary, ub, gm);
    ASSERT_NO_FATAL_FAILURE(expect_same(dtype, ub, expected,
                                        std::string(mnemonic(binary)) + " " +
                                            std::string(name(dtype)) + " round " +
                                            std::to_string(round)));
  }
}

TEST(IsaElementwise, FillCoversTheWholeTile) {
  Random random(20260803);
  VectorPort gm(1, 0);
  for (int round = 0; round < 1000; ++round) {
    const DType dtype = random.of(kDTypes);
    std::vector<std::byte> ub(2 * kSlot);
    random.fill(ub);
    TFill op{random.tile(dtype, kSlot / 2, random.in(1, 12), random.in(1, 40), true), {}};
    op.value = {DType::index, random.in(-100, 100), 0.0};
    std::vector<std::byte> expected = ub;
    std::byte element[8];
    if (is_float(dtype))
      reference::encode(dtype, static_cast<Number>(op.value.i), RoundMode::rint, element);
    else
      reference::store_bits(element, 8, static_cast<std::uint64_t>(op.value.i));
    for (std::int64_t r = 0; r < op.dst.rows; ++r)
      for (std::int64_t c = 0; c < op.dst.cols; ++c)
        std::memcpy(&expected[byte_of(op.dst, r, c)], element,
                    static_cast<std::size_t>(size_of(dtype)));
    execute(op, ub, gm);
    ASSERT_EQ(ub, expected) << name(dtype) << " round " << round;
  }
}

}  // namespace
}  // namespace a2a3::isa::isa_elementwise_test
