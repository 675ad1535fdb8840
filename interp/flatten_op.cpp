// SPDX-License-Identifier: Apache-2.0
// Operations of kernels: their operands become registers of a site.
#include "interp/flattener.hpp"

namespace a2a3::interp {
namespace {

bool is_member(const ir::Expr* expr, std::string_view member) {
  const auto* value =
      expr && expr->constant ? std::get_if<ir::EnumMember>(&expr->constant->value) : nullptr;
  return value != nullptr && value->member == member;
}

bool is_true(const ir::Expr* expr) {
  const auto* value = expr && expr->constant ? std::get_if<bool>(&expr->constant->value) : nullptr;
  return value != nullptr && *value;
}

isa::RoundMode round_mode(const ir::Expr* expr) {
  const auto* text =
      expr && expr->constant ? std::get_if<std::string>(&expr->constant->value) : nullptr;
  if (text == nullptr || *text == "round") return isa::RoundMode::round;
  if (*text == "none") return isa::RoundMode::none;
  if (*text == "rint") return isa::RoundMode::rint;
  if (*text == "floor") return isa::RoundMode::floor;
  if (*text == "ceil") return isa::RoundMode::ceil;
  if (*text == "trunc") return isa::RoundMode::trunc;
  return isa::RoundMode::odd;
}

template <class Site>
std::uint32_t add_site(std::vector<Site>& sites, Site site) {
  sites.push_back(std::move(site));
  return static_cast<std::uint32_t>(sites.size() - 1);
}

}  // namespace

Value Flattener::arithmetic(isa::BinaryOp op, const ir::Expr& lhs, const ir::Expr& rhs,
                            const ir::Expr& expr, Value target) {
  Value left = tile_operand(lhs);
  Value right = tile_operand(rhs);
  if (left.file == RegisterFile::scalar && right.file == RegisterFile::scalar) {
    constexpr OpCode kCodes[] = {OpCode::add,    OpCode::subtract, OpCode::multiply,
                                 OpCode::divide, OpCode::maximum,  OpCode::minimum};
    return scalar_binary(kCodes[static_cast<int>(op)], left, right, expr.type.dtype, expr, target);
  }
  BinarySite site;
  site.op = op;
  site.scalar_first = left.file == RegisterFile::scalar;
  if (site.scalar_first) std::swap(left, right);
  site.lhs = left.index;
  site.rhs = right.index;
  site.scalar_dtype = right.dtype;
  const Value result = new_value(expr.type, target);
  Op& code =
      emit(right.file == RegisterFile::scalar ? OpCode::tile_binary_scalar : OpCode::tile_binary,
           expr.location);
  code.dst = result.index;
  code.site = add_site(program_.binaries, site);
  return result;
}

Value Flattener::transfer(const ir::Call& call, const ir::Expr& expr, bool get, bool staged) {
  TransferSite site;
  site.get = get;
  const Value dst = expression(*call.operand(0));
  site.dst = dst.index;
  site.peer = expression(*call.operand(1)).index;
  site.src = expression(*call.operand(2)).index;
  site.dst_offsets = optional_list(ir::named_operand(call, "dst_offsets"));
  site.src_offsets = optional_list(ir::named_operand(call, "src_offsets"));
  site.shape = optional_list(ir::named_operand(call, "shape"));
  site.atomic_add = is_member(ir::named_operand(call, "atomic"), "Add");
  site.pipeline = is_true(ir::named_operand(call, "pipeline"));
  const auto scalar = [&](const char* name) {
    const ir::Expr* chunk = ir::named_operand(call, name);
    return chunk ? expression(*chunk).index : kNoRegister;
  };
  site.chunk_rows = scalar("chunk_rows");
  site.chunk_cols = scalar("chunk_cols");
  if (staged) {
    site.stage = scalar("stage");
    site.stage2 = scalar("stage2");
  }
  emit(OpCode::transfer, expr.location).site = add_site(program_.transfers, site);
  return dst;
}

Value Flattener::remote_op(const ir::Call& call, const ir::Expr& expr, Value target) {
  switch (call.op->id) {
    case ir::OpId::get_comm_ctx: {
      // A context is its tensor's handle: both say which domain and rank this is.
      const Value context = expression(*call.operand(0));
      if (call.collective != nullptr) {
        emit(OpCode::begin_collective, expr.location).site =
            add_site(program_.collectives, CollectiveSite{context.index, call.collective.get()});
      }
      return context;
    }
    case ir::OpId::rank:
    case ir::OpId::nranks: {
      const Register ctx = expression(*call.operand(0)).index;
      const Value result = new_value(expr.type, target);
      Op& op =
          emit(call.op->id == ir::OpId::rank ? OpCode::rank : OpCode::nranks, expr.location, 1);
      op.dst = result.index;
      op.a = ctx;
      return result;
    }
    case ir::OpId::get_block_idx:
    case ir::OpId::get_block_num: {
      const Value result = new_value(expr.type, target);
      const bool index = call.op->id == ir::OpId::get_block_idx;
      emit(index ? OpCode::block_index : OpCode::block_count, expr.location, 1).dst = result.index;
      return result;
    }
    case ir::OpId::notify:
    case ir::OpId::wait:
    case ir::OpId::defer_wait: {
      const bool is_notify = call.op->id == ir::OpId::notify;
      SignalSite site;
      const Value tensor = expression(*call.operand(0));
      site.tensor = tensor.index;
      if (is_notify) site.peer = expression(*call.operand(1)).index;
      site.offsets = list(*call.operand(is_notify ? 2 : 1));
      site.value =
          convert(expression(*call.operand(is_notify ? 3 : 2)), isa::DType::int32, expr.location)
              .index;
      site.op = is_member(call.operand(4), "Set") ? isa::NotifyOp::set : isa::NotifyOp::atomic_add;
      site.cmp = is_member(call.operand(3), "Eq") ? isa::WaitCmp::eq : isa::WaitCmp::ge;
      const OpCode code = is_notify                             ? OpCode::notify
                          : call.op->id == ir::OpId::defer_wait ? OpCode::defer_wait
                                                                : OpCode::wait;
      emit(code, expr.location).site = add_site(program_.signals, site);
      return tensor;
    }
    case ir::OpId::remote_load:
    case ir::OpId::remote_load_padded: {
      LoadSite site;
      site.padded = call.op->id == ir::OpId::remote_load_padded;
      site.tensor = expression(*call.operand(0)).index;
      site.peer = expression(*call.operand(1)).index;
      site.offsets = list(*call.operand(2));
      site.shape = list(*call.operand(3));
      site.valid_shape = optional_list(call.operand(4));
      const Value result = new_value(expr.type, target);
      site.tile = result.index;
      emit(OpCode::load, expr.location).site = add_site(program_.loads, site);
      return result;
    }
    case ir::OpId::remote_store: {
      StoreSite site;
      site.tile = tile_operand(*call.operand(0)).index;
      const Value tensor = expression(*call.operand(1));
      site.tensor = tensor.index;
      site.peer = expression(*call.operand(2)).index;
      site.offsets = list(*call.operand(3));
      site.atomic_add = is_member(ir::named_operand(call, "atomic"), "Add");
      emit(OpCode::store, expr.location).site = add_site(program_.stores, site);
      return tensor;
    }
    case ir::OpId::tensor_put:
    case ir::OpId::tensor_get:
      return transfer(call, expr, call.op->id == ir::OpId::tensor_get, false);
    case ir::OpId::tile_put:
    case ir::OpId::tile_get:
      return transfer(call, expr, call.op->id == ir::OpId::tile_get, true);
    default:
      return host_op(call, expr, target);
  }
}

Value Flattener::local_op(const ir::Call& call, const ir::Expr& expr, Value target) {
  switch (call.op->id) {
    case ir::OpId::tile_load: {
      LoadSite site;
      site.tensor = expression(*call.operand(0)).index;
      site.offsets = list(*call.operand(1));
      site.shape = list(*call.operand(2));
      site.valid_shape = optional_list(call.operand(3));
      site.space = expr.type.space;
      site.clamp = is_true(ir::named_operand(call, "clamp"));
      const Value result = new_value(expr.type, target);
      site.tile = result.index;
      emit(OpCode::load, expr.location).site = add_site(program_.loads, site);
      return result;
    }
    case ir::OpId::tile_store: {
      StoreSite site;
      site.tile = expression(*call.operand(0)).index;
      site.offsets = list(*call.operand(1));
      const Value tensor = expression(*call.operand(2));
      site.tensor = tensor.index;
      site.shape = optional_list(call.operand(3));
      site.atomic_add = is_member(ir::named_operand(call, "atomic"), "Add");
      emit(OpCode::store, expr.location).site = add_site(program_.stores, site);
      return tensor;
    }
    case ir::OpId::add:
      return arithmetic(isa::BinaryOp::add, *call.operand(0), *call.operand(1), expr, target);
    case ir::OpId::sub:
      return arithmetic(isa::BinaryOp::sub, *call.operand(0), *call.operand(1), expr, target);
    case ir::OpId::mul:
      return arithmetic(isa::BinaryOp::mul, *call.operand(0), *call.operand(1), expr, target);
    case ir::OpId::div:
      return arithmetic(isa::BinaryOp::div, *call.operand(0), *call.operand(1), expr, target);
    case ir::OpId::maximum:
    case ir::OpId::scalar_max:
      return arithmetic(isa::BinaryOp::maximum, *call.operand(0), *call.operand(1), expr, target);
    case ir::OpId::minimum:
    case ir::OpId::scalar_min:
      return arithmetic(isa::BinaryOp::minimum, *call.operand(0), *call.operand(1), expr, target);
    case ir::OpId::cast: {
      const Value source = tile_operand(*call.operand(0));
      if (source.file == RegisterFile::scalar) {
        return convert(source, expr.type.dtype, expr.location, target, true);
      }
      const Value result = new_value(expr.type, target);
      Op& op = emit(OpCode::tile_cast, expr.location);
      op.dst = result.index;
      op.site = add_site(program_.casts,
                         {source.index, expr.type.dtype, round_mode(call.operand(2)), false});
      return result;
    }
    case ir::OpId::read:
    case ir::OpId::write: {
      ElementSite site;
      site.object = expression(*call.operand(0));
      site.index = list(*call.operand(1));
      const bool is_read = call.op->id == ir::OpId::read;
      site.value = is_read ? new_value(expr.type, target)
                           : convert(expression(*call.operand(2)), call.operand(0)->type.dtype,
                                     expr.location);
      emit(is_read ? OpCode::read : OpCode::write, expr.location).site =
          add_site(program_.elements, site);
      return is_read ? site.value : site.object;
    }
    case ir::OpId::tile_create:
    case ir::OpId::tile_full: {
      TileSite site;
      site.shape = list(*call.operand(0));
      site.dtype = expr.type.dtype;
      const bool full = call.op->id == ir::OpId::tile_full;
      if (full) site.value = expression(*ir::named_operand(call, "value"));
      const Value result = new_value(expr.type, target);
      Op& op = emit(full ? OpCode::tile_fill : OpCode::tile_create, expr.location);
      op.dst = result.index;
      op.site = add_site(program_.tiles, site);
      return result;
    }
    default:
      return view_op(call, expr, target);
  }
}

}  // namespace a2a3::interp
