// SPDX-License-Identifier: Apache-2.0
// Operations that show the same data with another shape or valid box, and checks of shapes.
#include "interp/flattener.hpp"

namespace a2a3::interp {
namespace {

std::string text_of(const ir::Expr* expr) {
  const auto* text =
      expr && expr->constant ? std::get_if<std::string>(&expr->constant->value) : nullptr;
  return text != nullptr ? *text : std::string{};
}

}  // namespace

Value Flattener::view_op(const ir::Call& call, const ir::Expr& expr, Value target) {
  switch (call.op->id) {
    case ir::OpId::tile_set_validshape: {
      const Register tile = expression(*call.operand(0)).index;
      const Register rows = expression(*call.operand(1)).index;
      const Register cols = expression(*call.operand(2)).index;
      const Value result = new_value(expr.type, target);
      Op& op = emit(OpCode::set_valid_shape, expr.location);
      op.dst = result.index;
      op.a = tile;
      op.b = rows;
      op.c = cols;
      return result;
    }
    case ir::OpId::tile_fillpad: {
      const Register tile = expression(*call.operand(0)).index;
      TileSite site;
      site.dtype = expr.type.dtype;
      site.value = call.operand(1) != nullptr
                       ? expression(*call.operand(1))
                       : Value{RegisterFile::scalar, isa::DType::index, scalar_constant(0)};
      const Value result = new_value(expr.type, target);
      // The padding is written in place: into a tile that nothing else names.
      Op& copy = emit(OpCode::tile_copy, expr.location);
      copy.dst = result.index;
      copy.site = static_cast<std::uint32_t>(program_.casts.size());
      program_.casts.push_back({tile, site.dtype, isa::RoundMode::none});
      Op& op = emit(OpCode::fill_padding, expr.location);
      op.dst = result.index;
      op.a = result.index;
      op.site = static_cast<std::uint32_t>(program_.tiles.size());
      program_.tiles.push_back(site);
      return result;
    }
    case ir::OpId::tensor_reshape: {
      const Register tensor = expression(*call.operand(0)).index;
      ShapeSite site;
      site.list = list(*call.operand(1));
      site.name = call.reshape_of;
      const Value result = new_value(expr.type, target);
      Op& op = emit(OpCode::reshape, expr.location);
      op.dst = result.index;
      op.a = tensor;
      op.site = static_cast<std::uint32_t>(program_.shapes.size());
      program_.shapes.push_back(std::move(site));
      return result;
    }
    case ir::OpId::tensor_dim: {
      const Register tensor = expression(*call.operand(0)).index;
      const Register axis = expression(*call.operand(1)).index;
      const Value result = new_value(expr.type, target);
      Op& op = emit(OpCode::extent, expr.location, 1);
      op.dst = result.index;
      op.a = tensor;
      op.b = axis;
      return result;
    }
    case ir::OpId::check_signal: {
      SignalCheckSite site;
      site.signal = expression(*call.operand(0)).index;
      site.collective = text_of(call.operand(1));
      site.layout = ir::signal_layout(text_of(call.operand(2))).value_or(ir::SignalLayout::mesh);
      if (const ir::Expr* elements = call.operand(3)) {
        site.elements = std::get<std::int64_t>(elements->constant->value);
      }
      emit(OpCode::check_signal, expr.location).site =
          static_cast<std::uint32_t>(program_.signal_checks.size());
      program_.signal_checks.push_back(std::move(site));
      return {};
    }
    case ir::OpId::check_count: {
      const Register count = expression(*call.operand(0)).index;
      const Register peer = expression(*call.operand(1)).index;
      Op& op = emit(OpCode::check_count, expr.location);
      op.a = count;
      op.b = peer;
      return {};
    }
    default:
      return box_op(call, expr, target);
  }
}

}  // namespace a2a3::interp
