// SPDX-License-Identifier: Apache-2.0
// Row sums, and the cube: its operands and its product.
#include <fmt/format.h>

#include "interp/kernel_core.hpp"

namespace a2a3::interp {
namespace {

TileValue matrix(isa::DType dtype, isa::MemorySpace space, std::int32_t rows, std::int32_t cols) {
  TileValue value;
  value.rank = 2;
  value.shape[0] = rows;
  value.shape[1] = cols;
  value.tile.dtype = dtype;
  value.tile.space = space;
  value.tile.rows = value.tile.valid_rows = rows;
  value.tile.cols = value.tile.valid_cols = cols;
  return value;
}

}  // namespace

KernelCore::Step KernelCore::row_sum(const Op& op) {
  const isa::Tile source = tile(op.a).tile;
  const isa::Tile scratch = tile(op.b).tile;
  TileValue sums = matrix(source.dtype, isa::MemorySpace::ub, source.rows, 1);
  sums.tile.valid_rows = source.valid_rows;
  if (source.rows > 1) sums.tile.layout = isa::TileLayout::col_major;
  if (place_tile(op.dst, sums, op) == Step::fault) return Step::fault;
  instruction_.operation = isa::TRowSum{source, scratch, tile(op.dst).tile};
  return Step::emit;
}

KernelCore::Step KernelCore::feed_cube(const Op& op, const TileBoxSite& site) {
  const isa::Tile source = tile(op.a).tile;
  TileValue value = tile(op.a);
  value.tile.space = site.space;
  if (place_tile(op.dst, value, op) == Step::fault) return Step::fault;
  isa::TMove move;
  move.src = source;
  move.dst = tile(op.dst).tile;
  move.rows = source.valid_rows;
  move.cols = source.valid_cols;
  instruction_.operation = move;
  return Step::emit;
}

KernelCore::Step KernelCore::matmul(const Op& op) {
  const isa::Tile lhs = tile(op.a).tile;
  const isa::Tile rhs = tile(op.b).tile;
  if (lhs.valid_cols != rhs.valid_rows) {
    return fault(op, fmt::format("matmul of a left operand with {} valid columns and a right "
                                 "operand with {} valid rows",
                                 lhs.valid_cols, rhs.valid_rows));
  }
  TileValue product = matrix(op.dtype, isa::MemorySpace::l0c, lhs.rows, rhs.cols);
  if (rhs.cols == 1 && lhs.rows > 1) product.tile.layout = isa::TileLayout::col_major;
  product.tile.valid_rows = lhs.valid_rows;
  product.tile.valid_cols = rhs.valid_cols;
  if (place_tile(op.dst, product, op) == Step::fault) return Step::fault;
  instruction_.operation = isa::TMatmul{lhs, rhs, tile(op.dst).tile};
  return Step::emit;
}

}  // namespace a2a3::interp
