// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir::rules {
namespace {

/// The source: a tile for the tile form, a tensor for the tensor form, either for the short name.
bool is_source(OpCall& call, const std::string& name) {
  const Type& type = call.type(0);
  if (type.kind == TypeKind::unknown) return false;
  const bool tensor = type.is_tensor_like() || type.is_computed_tensor();
  const std::string spelled = call.spelled();
  const bool is_short = spelled != "pld.tile.remote_store" && spelled != "pld.tensor.remote_store";
  if (spelled == "pld.tensor.remote_store" ? !tensor
                                           : type.kind != TypeKind::tile && !(is_short && tensor)) {
    call.error(0, spelled == "pld.tensor.remote_store"
                      ? name + " src must be a TensorType, got " + call.shown_type(0) +
                            ". In a tile-level kernel (@pl.jit.incore) call pld.tile.remote_store "
                            "instead (pld.remote_store dispatches between the two)."
                      : name + " src_tile must be a TileType, got " + call.shown_type(0) +
                            ". In a tensor-level kernel (@pl.jit) call pld.tensor.remote_store "
                            "instead (pld.remote_store dispatches between the two).");
    return false;
  }
  return !type.is_tensor_like() ||
         is_loadable(call.checker(), call.operand(0), "tensor.remote_store");
}

Type load(OpCall& call, const std::string& name, bool padded) {
  const bool window =
      call.is_window(0, name + " target must be a DistributedTensor (window-bound)");
  (void)check_peer(call, 1, name);
  const auto offsets = call.dims(2, name);
  const auto shape = tile_shape(call, 3, name);
  if (!shape) return {};
  const auto valid = valid_shape(call, 4, *shape, name);
  if (!window) return {};
  const Type& target = call.type(0);
  Type tile = Type::tile(target.dtype, *shape);
  if (valid) tile.valid_shape = *valid;
  bool good = rank_matches(call, 3, *shape, target, name);
  if (offsets) good = rank_matches(call, 2, *offsets, target, name) && good;
  if (good && offsets && valid && !padded) {
    (void)inside(call, name, 2, *offsets, tile.valid_shape, target, "the target");
  }
  (void)is_aligned_tile(call.checker(), tile, call.operand(3).location);
  return tile;
}

}  // namespace

// pld.tile.remote_load(target, peer, offsets, shape, valid_shape=None)
Type remote_load(OpCall& call) {
  return load(call, "pld.tile.remote_load", false);
}

// pld.tile.remote_load_padded(target, peer, offsets, shape, valid_shape=None)
Type remote_load_padded(OpCall& call) {
  return load(call, "pld.tile.remote_load_padded", true);
}

// pld.tile.remote_store(src, target, peer, offsets, *, atomic=None_) and pld.tensor.remote_store
Type remote_store(OpCall& call) {
  const bool of_tensor =
      call.type(0).kind == TypeKind::tensor || call.type(0).kind == TypeKind::distributed_tensor;
  const std::string spelled = call.spelled();
  const std::string name =
      spelled == "pld.tensor.remote_store" || (spelled != "pld.tile.remote_store" && of_tensor)
          ? "pld.tensor.remote_store"
          : "pld.tile.remote_store";
  const bool source = is_source(call, name);
  const bool window =
      call.is_window(1, name + " target must be a DistributedTensor (window-bound)");
  (void)check_peer(call, 2, name);
  const auto offsets = call.dims(3, name);
  if (!window) return {};
  const Type& target = call.type(1);
  (void)atomic_add(call, 4, target.dtype, name);
  if (target.shape.size() < 2) {
    call.error(1, name + " target must have rank 2 or more, got " + call.show(target));
    return call.result_is(1);
  }
  if (!source) return call.result_is(1);
  const Type& src = call.type(0);
  if (src.dtype != target.dtype) {
    call.error(0, name + " src dtype (" + std::string(isa::name(src.dtype)) +
                      ") must match target dtype (" + std::string(isa::name(target.dtype)) + ")");
    return call.result_is(1);
  }
  // A tile is two-dimensional on the device: more dimensions must be ones, in front.
  bool good = src.shape.size() >= 2 && src.shape.size() <= target.shape.size();
  for (std::size_t i = 0; good && i + 2 < src.shape.size(); ++i)
    good = src.shape[i] == Dim(1);
  if (!good) {
    call.error(0, name +
                      " src must be at least 2-D with leading dimensions 1 and at most the "
                      "target's rank, got " +
                      call.show(src));
    return call.result_is(1);
  }
  if (!offsets || !rank_matches(call, 3, *offsets, target, name)) return call.result_is(1);
  const std::size_t skipped = target.shape.size() - src.shape.size();
  for (std::size_t i = 0; i < offsets->size(); ++i) {
    const Dim& offset = (*offsets)[i];
    const std::vector<Dim>& extents = src.valid_shape.empty() ? src.shape : src.valid_shape;
    const Dim extent = i < skipped ? Dim(1) : extents[i - skipped];
    const bool negative = offset.constant() && *offset.constant() < 0;
    if (!negative && !(offset + extent).provably_greater(target.reach()[i])) continue;
    call.checker().error(call.item_location(3, i),
                         name + " push exceeds the peer's target region in dimension " +
                             std::to_string(i) + " (offset=" + call.show(offset) +
                             ", extent=" + call.show(extent) +
                             ", target_dim=" + call.show(target.reach()[i]) + ")");
    break;
  }
  return call.result_is(1);
}

}  // namespace a2a3::ir::rules
