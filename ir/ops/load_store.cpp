// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir::rules {

// pl.load(tensor, offsets, shapes, valid_shape=None, target_memory=Vec, clamp=False)
Type tile_load(OpCall& call) {
  const std::string name = "pl.load";
  const bool tensor =
      call.is_tensor_like(0,
                          "The operator tile.load requires first argument to be a TensorType or "
                          "DistributedTensorType, but");
  const auto offsets = call.dims(1, name);
  const auto shape = tile_shape(call, 2, name);
  const auto clamp = call.constant_bool(5, false, name);
  const auto memory =
      target_memory(call, 4, name, {"Vec", "Mat"},
                    "; Left and Right are filled by pl.move from Mat, Acc by pl.matmul");
  if (!shape) return {};
  const auto valid = valid_shape(call, 3, *shape, name);
  if (!tensor || !memory) return {};
  const Type& source = call.type(0);
  Type tile = Type::tile(source.dtype, *shape);
  tile.space = *memory;
  if (valid) tile.valid_shape = *valid;
  bool good = rank_matches(call, 2, *shape, source, name);
  if (offsets) good = rank_matches(call, 1, *offsets, source, name) && good;
  if (good && offsets && clamp == true) {
    // How much lies behind the tensor's end is known where offset and dimension are.
    for (std::size_t i = 0; i < tile.valid_shape.size(); ++i) {
      const Dim rest = source.reach()[i] - (*offsets)[i];
      if (rest.provably_at_least(tile.valid_shape[i])) continue;
      tile.valid_shape[i] = call.module().add_opaque("?");
    }
    for (std::size_t i = 0; i < offsets->size(); ++i) {
      const auto constant = (*offsets)[i].constant();
      if (!constant || *constant >= 0) continue;
      call.checker().error(
          call.item_location(1, i),
          name + " offsets[" + std::to_string(i) + "] is negative: " + std::to_string(*constant));
    }
  } else if (good && offsets && valid) {
    (void)inside(call, name, 1, *offsets, tile.valid_shape, source, "the tensor");
  }
  (void)is_aligned_tile(call.checker(), tile, call.operand(2).location);
  return tile;
}

// pl.store(tile, offsets, output_tensor, shapes=None, *, atomic=None_)
Type tile_store(OpCall& call) {
  const std::string name = "pl.store";
  const bool tile =
      call.is_tile(0, "The operator tile.store requires first argument to be a TileType, but") &&
      is_in_memory(call.checker(), call.operand(0), name,
                   {isa::MemorySpace::ub, isa::MemorySpace::l0c});
  const bool tensor =
      call.is_tensor_like(2,
                          "The operator tile.store requires output_tensor to be a TensorType or "
                          "DistributedTensorType, but");
  const auto offsets = call.dims(1, name);
  const auto shapes = call.dims(3, name);
  if (!tensor) return call.type(2).kind == TypeKind::unknown ? Type{} : call.type(2);
  const Type& target = call.type(2);
  (void)is_writable(call, 2, name);
  (void)atomic_add(call, 4, target.dtype, name);
  if (tile && call.type(0).dtype != target.dtype) {
    call.error(0, name + " src dtype (" + std::string(isa::name(call.type(0).dtype)) +
                      ") must match target dtype (" + std::string(isa::name(target.dtype)) + ")");
    return call.result_is(2);
  }
  if (tile && call.type(0).shape.size() > target.shape.size()) {
    call.error(0, name + ": a tile of rank " + std::to_string(call.type(0).shape.size()) +
                      " does not fit a tensor of rank " + std::to_string(target.shape.size()));
    return call.result_is(2);
  }
  bool good = true;
  if (shapes) good = rank_matches(call, 3, *shapes, target, name);
  if (offsets && rank_matches(call, 1, *offsets, target, name) && tile && good) {
    (void)inside(call, name, 1, *offsets, shapes ? *shapes : call.type(0).valid_shape, target,
                 "the tensor");
  }
  return call.result_is(2);
}

}  // namespace a2a3::ir::rules
