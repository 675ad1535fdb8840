// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "ir/ops/put_get.hpp"
#include "ir/ops/region.hpp"

namespace a2a3::ir {
namespace {

bool check_ends(OpCall& call, const std::string& name, const TransferOperands& at, bool is_put) {
  const std::size_t remote = is_put ? at.dst : at.src;
  const std::size_t local = is_put ? at.src : at.dst;
  const bool remote_good = call.is_window(
      remote, name + " " + call.parameter(remote) + " must be a DistributedTensor (window-bound)");
  bool local_good = call.type(local).is_tensor_like();
  const bool lowers_to_tile =
      call.type(local).kind == TypeKind::tile || call.type(local).is_computed_tensor();
  if (!local_good && lowers_to_tile) {
    call.error(local, name + " " + call.parameter(local) +
                          " must be a GM tensor, but got a computed value that lowers to a tile");
  } else if (!local_good) {
    local_good = call.is_tensor_like(
        local, name + " " + call.parameter(local) + " must be a Tensor or a DistributedTensor");
  }
  if (!is_put && local_good) (void)is_writable(call, local, name);
  if (!remote_good || !local_good) return false;
  const Type& dst = call.type(at.dst);
  const Type& src = call.type(at.src);
  if (dst.dtype != src.dtype) {
    call.error(at.src, name + " dst and src must have the same element type, got dst " +
                           std::string(isa::name(dst.dtype)) + " vs src " +
                           std::string(isa::name(src.dtype)));
    return false;
  }
  if (dst.shape.size() != src.shape.size()) {
    call.error(at.src, name + " dst rank (" + std::to_string(dst.shape.size()) +
                           ") must match src rank (" + std::to_string(src.shape.size()) + ")");
    return false;
  }
  return true;
}

bool check_full_slice(OpCall& call, const std::string& name, const TransferOperands& at) {
  const Type& dst = call.type(at.dst);
  const Type& src = call.type(at.src);
  for (std::size_t i = 0; i < dst.shape.size(); ++i) {
    if (dst.shape[i] == src.shape[i]) continue;
    const bool constants = dst.shape[i].is_constant() && src.shape[i].is_constant();
    const std::string dst_text = call.show(dst.shape[i]);
    const std::string src_text = call.show(src.shape[i]);
    Diagnostic& error = call.error(
        at.src, constants ? name + " dst and src must have the same static shape; dimension " +
                                std::to_string(i) + " differs (dst=" + dst_text +
                                ", src=" + src_text + ")"
                          : name + " full-slice dst and src must have the same shape; dimension " +
                                std::to_string(i) +
                                " differs (dynamic dims must match structurally): dst=" + dst_text +
                                ", src=" + src_text);
    if (dst_text == src_text) {
      error.notes.push_back(
          {"two calls of pl.dynamic make two dimensions, also with one name: use "
           "one object for both",
           {}});
    }
    return false;
  }
  return true;
}

bool check_side(OpCall& call, const std::string& name, std::size_t tensor_operand,
                std::size_t offsets_operand, const std::vector<Dim>& offsets,
                const std::vector<Dim>& shape) {
  const std::string side = call.parameter(tensor_operand);
  const Type& tensor = call.type(tensor_operand);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const SourceLocation location = call.item_location(offsets_operand, i);
    if (const auto constant = offsets[i].constant(); constant && *constant < 0) {
      call.checker().error(location, name + " " + side + "_offsets[" + std::to_string(i) +
                                         "] is negative: " + std::to_string(*constant));
      return false;
    }
    if (!(offsets[i] + shape[i]).provably_greater(tensor.shape[i])) continue;
    call.checker().error(location, name + " " + side + " subregion dimension " + std::to_string(i) +
                                       " exceeds " + side + " shape (offset=" +
                                       call.show(offsets[i]) + ", shape=" + call.show(shape[i]) +
                                       ", " + side + "_dim=" + call.show(tensor.shape[i]) + ")");
    return false;
  }
  return true;
}

/// A copy from the own rank to itself within one buffer must not overlap. A region copied onto
/// itself stays as it is, as with the root of a broadcast; that is no use but no mistake either.
void check_self_overlap(OpCall& call, const std::string& name, const TransferOperands& at,
                        const std::vector<Dim>& dst_offsets, const std::vector<Dim>& src_offsets,
                        const std::vector<Dim>& shape) {
  const Origin dst = call.origin(at.dst);
  if (!dst.is_whole_parameter() || !(dst == call.origin(at.src))) return;
  if (call.type(at.peer).kind != TypeKind::scalar) return;
  if (!call.checker().is_own_rank(call.dim_of(call.operand(at.peer)))) return;
  bool same = true;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto distance = (dst_offsets[i] - src_offsets[i]).constant();
    if (!distance || !shape[i].provably_greater(Dim(std::abs(*distance)))) return;
    same = same && *distance == 0;
  }
  if (same && !at.adds) {
    // The tile forms come from the tensor forms, which were warned of.
    if (!name.starts_with("pld.tensor.")) return;
    call.checker().program().diagnostics().warning(
        call.operand(at.peer).location,
        name + " to the own rank copies a region onto itself: it changes nothing");
    return;
  }
  call.error(at.peer, name +
                          " to the own rank copies within one buffer, and its dst and src "
                          "regions overlap");
}

}  // namespace

std::optional<std::vector<Dim>> check_transfer(OpCall& call, const std::string& name,
                                               const TransferOperands& at, bool is_put) {
  const bool ends = check_ends(call, name, at, is_put);
  (void)check_peer(call, at.peer, name);
  const int given =
      int{call.has(at.dst_offsets)} + int{call.has(at.src_offsets)} + int{call.has(at.shape)};
  const auto dst_offsets = call.dims(at.dst_offsets, name);
  const auto src_offsets = call.dims(at.src_offsets, name);
  const auto shape = call.dims(at.shape, name);
  if (given != 0 && given != 3) {
    call.error(name + " dst_offsets, src_offsets, and shape must be provided together");
    return std::nullopt;
  }
  if (!ends) return std::nullopt;
  const Type& dst = call.type(at.dst);
  if (given == 0) {
    if (!check_full_slice(call, name, at)) return std::nullopt;
    const std::vector<Dim> origin(dst.shape.size(), Dim(0));
    check_self_overlap(call, name, at, origin, origin, dst.shape);
    return dst.shape;
  }
  if (!dst_offsets || !src_offsets || !shape) return std::nullopt;
  bool good = true;
  for (const auto& [operand, dims] : {std::pair{at.dst_offsets, &*dst_offsets},
                                      {at.src_offsets, &*src_offsets},
                                      {at.shape, &*shape}}) {
    good = rank_matches(call, operand, *dims, dst, name) && good;
  }
  if (!good) return std::nullopt;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const auto constant = (*shape)[i].constant();
    if (!constant || *constant > 0) continue;
    call.checker().error(call.item_location(at.shape, i), name + " shape[" + std::to_string(i) +
                                                              "] must be positive, got " +
                                                              std::to_string(*constant));
    return std::nullopt;
  }
  good = check_side(call, name, at.dst, at.dst_offsets, *dst_offsets, *shape) &&
         check_side(call, name, at.src, at.src_offsets, *src_offsets, *shape);
  if (good) check_self_overlap(call, name, at, *dst_offsets, *src_offsets, *shape);
  return shape;
}

}  // namespace a2a3::ir
