// SPDX-License-Identifier: Apache-2.0
// Boxes of tensors and tiles: slices, assemblies, subscripts; the other operations on whole tiles.
#include <algorithm>

#include "interp/flattener.hpp"

namespace a2a3::interp {
namespace {

bool is_slice(const ir::ExprPtr& index) {
  return std::holds_alternative<ir::Slice>(index->node);
}

/// Every axis has an index that is no slice: one element.
bool is_element(const ir::Subscript& node) {
  return node.indices.size() == node.object->type.shape.size() &&
         std::none_of(node.indices.begin(), node.indices.end(), is_slice);
}

void append(RegisterList& list, Register index) {
  list.index[list.rank++] = index;
}

}  // namespace

Value Flattener::tile_operand(const ir::Expr& expr) {
  if (!expr.type.is_tensor_like()) return expression(expr);
  LoadSite site;
  site.tensor = expression(expr).index;
  for (const ir::Dim& dim : expr.type.shape) {
    append(site.offsets, scalar_constant(0));
    append(site.shape, scalar_constant(dim.constant().value_or(0)));
  }
  const Value result = new_value(ir::Type::tile(expr.type.dtype, expr.type.shape));
  site.tile = result.index;
  emit(OpCode::load, expr.location).site = static_cast<std::uint32_t>(program_.loads.size());
  program_.loads.push_back(site);
  return result;
}

Register Flattener::minus(Register lhs, Register rhs, const ir::SourceLocation& where) {
  const Register result = temporary_scalar();
  Op& op = emit(OpCode::subtract, where, 1);
  op.dst = result;
  op.a = lhs;
  op.b = rhs;
  return result;
}

Register Flattener::axis_extent(const ir::Type& type, Value object, std::size_t axis,
                                const ir::SourceLocation& where) {
  if (const auto constant = type.shape[axis].constant()) return scalar_constant(*constant);
  const Register result = temporary_scalar();
  Op& op = emit(OpCode::extent, where, 1);
  op.dst = result;
  op.a = object.index;
  op.b = scalar_constant(static_cast<std::int64_t>(axis));
  return result;
}

Flattener::Box Flattener::box(const ir::Subscript& node, Value object) {
  Box box;
  const ir::Type& type = node.object->type;
  for (std::size_t d = 0; d < type.shape.size() && d < isa::kBoxDims; ++d) {
    const ir::Expr* index = d < node.indices.size() ? node.indices[d].get() : nullptr;
    const auto* range = index ? std::get_if<ir::Slice>(&index->node) : nullptr;
    if (index != nullptr && range == nullptr) {
      append(box.offsets, expression(*index).index);
      append(box.shape, scalar_constant(1));
      box.dropped[d] = true;
      continue;
    }
    const ir::SourceLocation& where = index ? index->location : node.object->location;
    const bool from_start = range == nullptr || range->lower == nullptr;
    const Register lower = from_start ? scalar_constant(0) : expression(*range->lower).index;
    const Register upper = range != nullptr && range->upper != nullptr
                               ? expression(*range->upper).index
                               : axis_extent(type, object, d, where);
    append(box.offsets, lower);
    append(box.shape, from_start ? upper : minus(upper, lower, where));
  }
  return box;
}

Value Flattener::subscript(const ir::Subscript& node, const ir::Expr& expr, Value target) {
  const Value object = expression(*node.object);
  if (node.object->type.kind == ir::TypeKind::array) {
    const Register index = expression(*node.indices[0]).index;
    const Value result = new_value(expr.type, target);
    Op& op = emit(OpCode::array_load, expr.location, 2);  // address, load
    op.dst = result.index;
    op.a = object.index;
    op.b = index;
    return result;
  }
  return slice(object, box(node, object), expr, target);
}

Value Flattener::slice(Value object, const Box& box, const ir::Expr& expr, Value target) {
  const Value result = new_value(expr.type, target);
  if (result.file == RegisterFile::scalar) {
    emit(OpCode::read, expr.location).site = static_cast<std::uint32_t>(program_.elements.size());
    program_.elements.push_back({object, box.offsets, result});
    return result;
  }
  const bool is_tile = result.file == RegisterFile::tile;
  Op& op = emit(is_tile ? OpCode::tile_slice : OpCode::view, expr.location, is_tile ? 0 : 1);
  op.dst = result.index;
  op.a = object.index;
  if (is_tile) {
    op.site = static_cast<std::uint32_t>(program_.boxes.size());
    program_.boxes.push_back({box.offsets, box.shape, box.dropped, isa::MemorySpace::ub});
  } else {
    op.site = static_cast<std::uint32_t>(program_.views.size());
    program_.views.push_back({box.offsets, box.shape, box.dropped});
  }
  return result;
}

Value Flattener::slice_with_valid_shape(Value object, const Box& box, const RegisterList& valid,
                                        const ir::Expr& expr, Value target) {
  const Value whole = slice(object, box, expr, target);
  if (whole.file != RegisterFile::tile) {
    // What lies outside of the valid part cannot be reached.
    Box part;
    part.shape = valid;
    for (std::size_t d = 0; d < valid.rank; ++d)
      append(part.offsets, scalar_constant(0));
    return slice(whole, part, expr, target);
  }
  Op& op = emit(OpCode::set_valid_shape, expr.location);
  op.dst = whole.index;
  op.a = whole.index;
  op.b = valid.rank > 1 ? valid.index[0] : scalar_constant(1);
  op.c = valid.index[valid.rank - 1u];
  return whole;
}

void Flattener::assemble(Value target, const Box& box, const ir::Expr& source,
                         const ir::SourceLocation& where) {
  if (function_.kind != ir::FunctionKind::kernel) {
    const Register result = expression(source).index;
    Op& op = emit(OpCode::assemble, where);
    op.a = target.index;
    op.b = result;
    op.site = static_cast<std::uint32_t>(program_.views.size());
    program_.views.push_back({box.offsets, box.shape, box.dropped});
    return;
  }
  const Value tile = tile_operand(source);
  if (target.file == RegisterFile::reference) {
    StoreSite site;
    site.tile = tile.index;
    site.tensor = target.index;
    site.offsets = box.offsets;
    site.shape = box.shape;
    emit(OpCode::store, where).site = static_cast<std::uint32_t>(program_.stores.size());
    program_.stores.push_back(site);
    return;
  }
  Op& op = emit(OpCode::tile_insert, where);
  op.dst = target.index;
  op.a = target.index;
  op.b = tile.index;
  op.site = static_cast<std::uint32_t>(program_.boxes.size());
  program_.boxes.push_back({box.offsets, box.shape, box.dropped, isa::MemorySpace::ub});
}

void Flattener::assign_subscript(const ir::Assign& assign, const ir::SourceLocation& where) {
  const auto* node =
      assign.subscript ? std::get_if<ir::Subscript>(&assign.subscript->node) : nullptr;
  if (node == nullptr) return unsupported(where, "assignment to an element or slice");
  const Value object = expression(*node->object);
  const ir::Type& type = node->object->type;
  if (type.kind == ir::TypeKind::array) {
    const Register index = expression(*node->indices[0]).index;
    const Value value = convert(expression(*assign.value), type.dtype, where);
    Op& op = emit(OpCode::array_store, where, 2);  // address, store
    op.a = object.index;
    op.b = index;
    op.c = value.index;
    return;
  }
  const Box place = box(*node, object);
  if (!is_element(*node)) return assemble(object, place, *assign.value, where);
  const Value value = convert(expression(*assign.value), type.dtype, where);
  emit(OpCode::write, where).site = static_cast<std::uint32_t>(program_.elements.size());
  program_.elements.push_back({object, place.offsets, value});
}

Value Flattener::on_tiles(OpCode code, const ir::Call& call, const ir::Expr& expr, Value target) {
  const Register first = expression(*call.operand(0)).index;
  const bool is_move = code == OpCode::tile_move;
  const Register second = is_move ? kNoRegister : expression(*call.operand(1)).index;
  const Value result = new_value(expr.type, target);
  Op& op = emit(code, expr.location);
  op.dtype = expr.type.dtype;
  op.dst = result.index;
  op.a = first;
  op.b = second;
  if (is_move) {
    op.site = static_cast<std::uint32_t>(program_.boxes.size());
    program_.boxes.push_back({{}, {}, {}, expr.type.space});
  }
  return result;
}

Value Flattener::box_op(const ir::Call& call, const ir::Expr& expr, Value target) {
  switch (call.op->id) {
    case ir::OpId::slice: {
      const Value object = expression(*call.operand(0));
      Box box;
      box.shape = list(*call.operand(1));
      box.offsets = list(*call.operand(2));
      if (call.operand(3) == nullptr) return slice(object, box, expr, target);
      return slice_with_valid_shape(object, box, list(*call.operand(3)), expr, target);
    }
    case ir::OpId::assemble: {
      const Value object = expression(*call.operand(0));
      const ir::Type& source = call.operand(1)->type;
      Box box;
      box.offsets = list(*call.operand(2));
      while (box.shape.rank + source.shape.size() < box.offsets.rank)
        append(box.shape, scalar_constant(1));
      // Above kernels the box is as large as the result turns out to be.
      for (const ir::Dim& dim : source.shape) {
        if (function_.kind != ir::FunctionKind::kernel) break;
        append(box.shape, scalar_constant(dim.constant().value_or(0)));
      }
      assemble(object, box, *call.operand(1), expr.location);
      return object;
    }
    case ir::OpId::tile_reshape: {
      const Value object = expression(*call.operand(0));
      const bool is_tile = object.file == RegisterFile::tile;
      const RegisterList shape = list(*call.operand(1));
      const Value result = new_value(expr.type, target);
      Op& op = emit(is_tile ? OpCode::tile_reshape : OpCode::reshape, expr.location);
      op.dst = result.index;
      op.a = object.index;
      if (is_tile) {
        op.site = static_cast<std::uint32_t>(program_.tiles.size());
        program_.tiles.push_back({shape, expr.type.dtype, {}, isa::MemorySpace::ub});
      } else {
        op.site = static_cast<std::uint32_t>(program_.shapes.size());
        program_.shapes.push_back({shape, expr.type.dtype, {}});
      }
      return result;
    }
    case ir::OpId::row_sum:
      return on_tiles(OpCode::row_sum, call, expr, target);
    case ir::OpId::tile_move:
      return on_tiles(OpCode::tile_move, call, expr, target);
    case ir::OpId::matmul:
      return on_tiles(OpCode::matmul, call, expr, target);
    case ir::OpId::array_create: {
      const Register count = expression(*call.operand(0)).index;
      const Value result = new_value(expr.type, target);
      Op& op = emit(OpCode::array_create, expr.location, 1);
      op.dst = result.index;
      op.a = count;
      return result;
    }
    default:
      return remote_op(call, expr, target);
  }
}

}  // namespace a2a3::interp
