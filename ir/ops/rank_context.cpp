// SPDX-License-Identifier: Apache-2.0
#include "ir/check/op_call.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir::rules {
namespace {

bool is_context(OpCall& call) {
  if (call.type(0).kind == TypeKind::comm_ctx) return true;
  if (call.type(0).kind != TypeKind::unknown) {
    call.error(0, std::string(call.op().name) +
                      " expects a CommCtx (output of pld.system.get_comm_ctx), got " +
                      call.shown_type(0));
  }
  return false;
}

}  // namespace

Type get_comm_ctx(OpCall& call) {
  if (!call.is_window(0, "pld.system.get_comm_ctx expects a DistributedTensor (window-bound)")) {
    return Type::of(TypeKind::comm_ctx);
  }
  call.checker().set_origin(call.expr(), call.origin(0));
  return Type::of(TypeKind::comm_ctx);
}

Type rank(OpCall& call) {
  if (is_context(call)) {
    call.checker().set_value(call.expr(),
                             call.checker().context_dim(false, call.origin(0).parameter));
  }
  return Type::scalar(isa::DType::int32);
}

Type nranks(OpCall& call) {
  if (is_context(call)) {
    call.checker().set_value(call.expr(),
                             call.checker().context_dim(true, call.origin(0).parameter));
  }
  return Type::scalar(isa::DType::int32);
}

Type world_size(OpCall& call) {
  call.checker().set_value(call.expr(), Dim::world_size());
  return Type::scalar(isa::DType::int64);
}

// pl.tile.get_block_idx(), pl.tile.get_block_num()
Type block_index(OpCall& /*call*/) {
  return Type::scalar(isa::DType::index);
}

}  // namespace a2a3::ir::rules
