// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/put_get.hpp"
#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir::rules {
namespace {

constexpr std::size_t kStage = 3;
constexpr std::size_t kStage2 = 4;

/// A staging tile: 2-D, of the transfer's dtype, not larger than what is moved.
bool check_stage(OpCall& call, const std::string& name, std::size_t operand,
                 const std::optional<std::vector<Dim>>& shape) {
  if (!call.is_tile(operand, name + " " + call.parameter(operand) + " must be a tile"))
    return false;
  const Type& stage = call.type(operand);
  if (stage.shape.size() != 2) {
    call.error(operand,
               name + " " + call.parameter(operand) + " must be 2-D, got " + call.show(stage));
    return false;
  }
  if (call.type(0).is_tensor_like() && stage.dtype != call.type(0).dtype) {
    call.error(operand, name + " " + call.parameter(operand) + " must have the transfer's dtype " +
                            std::string(isa::name(call.type(0).dtype)) + ", got " +
                            call.show(stage));
    return false;
  }
  if (!shape || shape->empty()) return true;
  Dim rows(1);
  for (std::size_t i = 0; i + 1 < shape->size(); ++i)
    rows = rows * (*shape)[i];
  // The valid box counts: rows are padded to whole 32-byte blocks.
  if (!stage.valid_shape[0].provably_greater(rows) &&
      !stage.valid_shape[1].provably_greater(shape->back())) {
    return true;
  }
  call.error(operand, name + " " + call.parameter(operand) + " " + call.show(stage) +
                          " is larger than the transfer [" + call.show(rows) + ", " +
                          call.show(shape->back()) + "]");
  return false;
}

Type transfer(OpCall& call, const std::string& name, bool is_put) {
  // With one stage and a region the second stage is left out in the middle (7 operands).
  if (call.has(kStage2) && call.type(kStage2).kind == TypeKind::tuple && !call.has(7)) {
    call.skip_operand(kStage2);
  }
  TransferOperands at;
  at.dst_offsets = 5;
  at.src_offsets = 6;
  at.shape = 7;
  at.adds = is_put && call.type(0).is_tensor_like() &&
            atomic_add(call, 8, call.type(0).dtype, name) == true;
  const auto shape = check_transfer(call, name, at, is_put);
  const bool stage = check_stage(call, name, kStage, shape);
  if (call.has(kStage2)) {
    const bool stage2 = check_stage(call, name, kStage2, shape);
    if (stage && stage2 &&
        (call.type(kStage).shape != call.type(kStage2).shape ||
         call.type(kStage).valid_shape != call.type(kStage2).valid_shape)) {
      call.error(kStage2, name + " needs two identical staging tiles, got " +
                              call.show(call.type(kStage)) + " and " +
                              call.show(call.type(kStage2)));
    }
  }
  return call.result_is(0);
}

}  // namespace

// pld.tile.put(dst, peer, src, stage[, stage2][, dst_offsets, src_offsets, shape], *, atomic=None_)
Type tile_put(OpCall& call) {
  return transfer(call, "pld.tile.put", true);
}

// pld.tile.get(dst, peer, src, stage[, stage2][, dst_offsets, src_offsets, shape])
Type tile_get(OpCall& call) {
  return transfer(call, "pld.tile.get", false);
}

}  // namespace a2a3::ir::rules
