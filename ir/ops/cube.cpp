// SPDX-License-Identifier: Apache-2.0
// Sums of rows, and the path of a matrix product: Mat, Left and Right, Acc.
#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir::rules {

// pl.tile.row_sum(tile, tmp)
Type row_sum(OpCall& call) {
  const std::string name = "pl.tile.row_sum";
  const bool tile = call.is_tile(0, name + " tile must be a tile");
  const bool scratch = call.is_tile(1, name + " tmp must be a tile");
  if (!tile) return {};
  const Type& source = call.type(0);
  if (source.shape.size() != 2) {
    call.error(0, name + " takes a 2-D tile, got " + call.show(source));
    return {};
  }
  if (scratch && call.type(1).dtype != source.dtype) {
    call.error(1, name + " tmp dtype (" + std::string(isa::name(call.type(1).dtype)) +
                      ") must match the dtype of tile (" + std::string(isa::name(source.dtype)) +
                      ")");
  }
  Type sums = Type::tile(source.dtype, {source.shape[0], Dim(1)});
  sums.valid_shape[0] = source.valid_shape[0];
  (void)is_aligned_tile(call.checker(), sums, call.operand(0).location);
  return sums;
}

// pl.move(tile, target_memory)
Type tile_move(OpCall& call) {
  const std::string name = "pl.move";
  const bool tile = call.is_tile(0, name + " tile must be a tile");
  const auto memory = target_memory(call, 1, name, {"Left", "Right"},
                                    "; other moves are not supported, see docs/coverage.md");
  if (!tile || !memory) return {};
  if (!is_in_memory(call.checker(), call.operand(0), name, {isa::MemorySpace::l1})) return {};
  Type result = call.type(0);
  if (result.shape.size() != 2) {
    call.error(0, name + " takes a 2-D tile, got " + call.show(result));
    return {};
  }
  result.space = *memory;
  return result;
}

// pl.matmul(lhs, rhs)
Type matmul(OpCall& call) {
  const std::string name = "pl.matmul";
  bool good = call.is_tile(0, name + " lhs must be a tile");
  good = call.is_tile(1, name + " rhs must be a tile") && good;
  if (!good) return {};
  good = is_in_memory(call.checker(), call.operand(0), name + " lhs", {isa::MemorySpace::l0a});
  good =
      is_in_memory(call.checker(), call.operand(1), name + " rhs", {isa::MemorySpace::l0b}) && good;
  if (!good) return {};
  const Type& lhs = call.type(0);
  const Type& rhs = call.type(1);
  if (lhs.dtype != rhs.dtype) {
    call.error(1, name + " requires operands of one dtype, but got " + call.show(lhs) + " and " +
                      call.show(rhs));
    return {};
  }
  const auto accumulator = isa::accumulator_of(lhs.dtype);
  if (!accumulator) {
    call.error(0, name + " multiplies FP16, BF16, FP32 and INT8, got " + call.show(lhs));
    return {};
  }
  if (!(lhs.shape[1] == rhs.shape[0])) {
    call.error(1, name + " requires compatible shapes, but got " + call.show(lhs) + " and " +
                      call.show(rhs));
    return {};
  }
  Type product = Type::tile(*accumulator, {lhs.shape[0], rhs.shape[1]});
  product.space = isa::MemorySpace::l0c;
  product.valid_shape = {lhs.valid_shape[0], rhs.valid_shape[1]};
  (void)is_aligned_tile(call.checker(), product, call.operand(1).location);
  return product;
}

}  // namespace a2a3::ir::rules
