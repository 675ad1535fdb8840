// SPDX-License-Identifier: Apache-2.0
#include "interp/flattener.hpp"
#include "interp/scalar.hpp"

namespace a2a3::interp {
namespace {

OpCode integer_code(ir::BinaryOp op, bool truncates) {
  switch (op) {
    case ir::BinaryOp::add:
      return OpCode::add;
    case ir::BinaryOp::sub:
      return OpCode::subtract;
    case ir::BinaryOp::mul:
      return OpCode::multiply;
    case ir::BinaryOp::div:
      return OpCode::divide;
    case ir::BinaryOp::floordiv:
      return truncates ? OpCode::divide : OpCode::divide_floor;
    case ir::BinaryOp::mod:
      return truncates ? OpCode::modulo : OpCode::modulo_floor;
    case ir::BinaryOp::shift_left:
      return OpCode::shift_left;
    case ir::BinaryOp::shift_right:
      return OpCode::shift_right;
  }
  return OpCode::add;
}

/// The floating-point form of an integer code, or the code itself when there is none.
OpCode float_code(OpCode code) {
  switch (code) {
    case OpCode::add:
      return OpCode::float_add;
    case OpCode::subtract:
      return OpCode::float_subtract;
    case OpCode::multiply:
      return OpCode::float_multiply;
    case OpCode::divide:
      return OpCode::float_divide;
    case OpCode::minimum:
      return OpCode::float_minimum;
    case OpCode::maximum:
      return OpCode::float_maximum;
    case OpCode::negate:
      return OpCode::float_negate;
    case OpCode::equal:
      return OpCode::float_equal;
    case OpCode::not_equal:
      return OpCode::float_not_equal;
    case OpCode::less:
      return OpCode::float_less;
    case OpCode::less_equal:
      return OpCode::float_less_equal;
    default:
      return code;
  }
}

}  // namespace

Value Flattener::expression(const ir::Expr& expr, Value target) {
  if (expr.constant) return constant(*expr.constant, expr.type, expr.location);
  struct Visitor {
    Flattener& self;
    const ir::Expr& expr;
    Value target;
    Value operator()(const ir::IntLiteral& node) const {
      return self.constant({node.value}, expr.type, expr.location);
    }
    Value operator()(const ir::FloatLiteral& node) const {
      return self.constant({node.value}, expr.type, expr.location);
    }
    Value operator()(const ir::StringLiteral&) const { return {}; }
    Value operator()(const ir::BoolLiteral& node) const {
      return self.constant({node.value}, expr.type, expr.location);
    }
    Value operator()(const ir::NoneLiteral&) const { return {}; }
    Value operator()(const ir::Name& node) const { return self.name(node, expr.type); }
    Value operator()(const ir::Attribute&) const {
      self.unsupported(expr.location, "this attribute");
      return {};
    }
    Value operator()(const ir::Call& node) const { return self.call(node, expr, target); }
    Value operator()(const ir::Unary& node) const { return self.unary(node, expr, target); }
    Value operator()(const ir::Binary& node) const { return self.binary(node, expr, target); }
    Value operator()(const ir::Compare& node) const { return self.compare(node, expr, target); }
    Value operator()(const ir::Logical& node) const { return self.logical(node, expr, target); }
    Value operator()(const ir::Sequence&) const {
      self.unsupported(expr.location, "a list as a value");
      return {};
    }
    Value operator()(const ir::Slice&) const {
      self.unsupported(expr.location, "a slice");
      return {};
    }
    Value operator()(const ir::Subscript& node) const { return self.subscript(node, expr, target); }
  };
  return std::visit(Visitor{*this, expr, target}, expr.node);
}

Value Flattener::constant(const ir::Constant& value, const ir::Type& type,
                          const ir::SourceLocation& where) {
  Value result{RegisterFile::scalar, type.dtype, kNoRegister};
  const bool as_float = type.kind == ir::TypeKind::scalar && isa::is_float(type.dtype);
  if (const auto* integer = std::get_if<std::int64_t>(&value.value)) {
    result.index = scalar_constant(as_float ? as_bits(static_cast<double>(*integer)) : *integer);
  } else if (const auto* flag = std::get_if<bool>(&value.value)) {
    result.index = scalar_constant(*flag ? 1 : 0);
  } else if (const auto* number = std::get_if<double>(&value.value)) {
    result.index = scalar_constant(as_bits(*number));
    if (!as_float) result.dtype = isa::DType::fp32;
  } else if (const auto* dim = std::get_if<ir::DynamicDim>(&value.value)) {
    result.index = dim_register(dim->id);
    result.dtype = isa::DType::index;
  } else if (const auto* member = std::get_if<ir::EnumMember>(&value.value)) {
    result.index = scalar_constant(member->value);
  } else if (has_register(type)) {
    unsupported(where, "this constant");
  }
  return result;
}

Value Flattener::name(const ir::Name& name, const ir::Type& type) {
  if (!has_register(type)) return {};
  const RegisterFile file = register_file(type);
  return {file, type.dtype, slot_register(name.slot, file)};
}

Value Flattener::convert(Value value, isa::DType dtype, const ir::SourceLocation& where,
                         Value target, bool is_cast) {
  if (value.index == kNoRegister || value.file != RegisterFile::scalar || value.dtype == dtype) {
    return value;
  }
  const bool from_float = isa::is_float(value.dtype);
  const bool into_float = isa::is_float(dtype);
  // Registers hold integers sign-extended, so a widening conversion needs no op.
  const bool widens = !from_float && !into_float && dtype != isa::DType::boolean &&
                      (dtype == isa::DType::index || dtype == isa::DType::int64);
  if (widens) return {value.file, dtype, value.index};
  const OpCode code = from_float   ? (into_float ? OpCode::to_float : OpCode::float_to_integer)
                      : into_float ? OpCode::integer_to_float
                      : is_cast    ? OpCode::to_integer
                                   : OpCode::fit_integer;
  ir::Type type;
  type.kind = ir::TypeKind::scalar;
  type.dtype = dtype;
  const Value result = new_value(type, target);
  Op& op = emit(code, where, 1);
  op.dtype = dtype;
  op.dst = result.index;
  op.a = value.index;
  return result;
}

Value Flattener::scalar_binary(OpCode code, Value lhs, Value rhs, isa::DType dtype,
                               const ir::Expr& expr, Value target) {
  const bool on_floats = isa::is_float(lhs.dtype) || isa::is_float(rhs.dtype);
  if (on_floats) {
    const isa::DType common = isa::is_float(lhs.dtype) ? lhs.dtype : rhs.dtype;
    lhs = convert(lhs, common, expr.location);
    rhs = convert(rhs, common, expr.location);
    code = float_code(code);
  }
  const Value result = new_value(expr.type, target);
  Op& op = emit(code, expr.location, 1);
  op.dtype = dtype;
  op.dst = result.index;
  op.a = lhs.index;
  op.b = rhs.index;
  return {RegisterFile::scalar, dtype, result.index};
}

Value Flattener::unary(const ir::Unary& node, const ir::Expr& expr, Value target) {
  const Value operand = expression(*node.operand);
  if (operand.file != RegisterFile::scalar) {
    unsupported(expr.location, "a unary operator on a tile or tensor");
    return {};
  }
  OpCode code = OpCode::logical_not;
  if (node.op == ir::UnaryOp::negate) code = OpCode::negate;
  if (node.op == ir::UnaryOp::invert) code = OpCode::invert;
  if (isa::is_float(operand.dtype)) code = float_code(code);
  const Value result = new_value(expr.type, target);
  Op& op = emit(code, expr.location, 1);
  op.dtype = expr.type.dtype;
  op.dst = result.index;
  op.a = operand.index;
  return result;
}

Value Flattener::binary(const ir::Binary& node, const ir::Expr& expr, Value target) {
  if (register_file(expr.type) == RegisterFile::tile) {
    switch (node.op) {
      case ir::BinaryOp::add:
        return arithmetic(isa::BinaryOp::add, *node.lhs, *node.rhs, expr, target);
      case ir::BinaryOp::sub:
        return arithmetic(isa::BinaryOp::sub, *node.lhs, *node.rhs, expr, target);
      case ir::BinaryOp::mul:
        return arithmetic(isa::BinaryOp::mul, *node.lhs, *node.rhs, expr, target);
      case ir::BinaryOp::div:
        return arithmetic(isa::BinaryOp::div, *node.lhs, *node.rhs, expr, target);
      default:
        unsupported(expr.location, "this operator on tiles");
        return {};
    }
  }
  const Value lhs = expression(*node.lhs);
  const Value rhs = expression(*node.rhs);
  // Python's // and % on the host; what is compiled for the device divides as C does.
  const bool truncates = function_.kind != ir::FunctionKind::host;
  return scalar_binary(integer_code(node.op, truncates), lhs, rhs, expr.type.dtype, expr, target);
}

Value Flattener::compare(const ir::Compare& node, const ir::Expr& expr, Value target) {
  Value lhs = expression(*node.lhs);
  Value rhs = expression(*node.rhs);
  if (node.op == ir::CompareOp::gt || node.op == ir::CompareOp::ge) std::swap(lhs, rhs);
  OpCode code = OpCode::equal;
  switch (node.op) {
    case ir::CompareOp::eq:
      break;
    case ir::CompareOp::ne:
      code = OpCode::not_equal;
      break;
    case ir::CompareOp::lt:
    case ir::CompareOp::gt:
      code = OpCode::less;
      break;
    case ir::CompareOp::le:
    case ir::CompareOp::ge:
      code = OpCode::less_equal;
      break;
  }
  return scalar_binary(code, lhs, rhs, isa::DType::boolean, expr, target);
}

Value Flattener::logical(const ir::Logical& node, const ir::Expr& expr, Value target) {
  // Both sides are evaluated: the language does not short-circuit.
  const Value lhs = expression(*node.lhs);
  const Value rhs = expression(*node.rhs);
  const OpCode code =
      node.op == ir::LogicalOp::logical_and ? OpCode::logical_and : OpCode::logical_or;
  return scalar_binary(code, lhs, rhs, isa::DType::boolean, expr, target);
}

RegisterList Flattener::list(const ir::Expr& expr) {
  RegisterList result;
  const auto add = [&](Register index) {
    if (result.rank < isa::kBoxDims) {
      result.index[result.rank] = index;
    } else if (result.rank == isa::kBoxDims) {
      diagnostics_.error(expr.location, "more than five dimensions");
    }
    if (result.rank <= isa::kBoxDims) ++result.rank;
  };
  if (const auto* items = std::get_if<ir::Sequence>(&expr.node)) {
    for (const auto& item : items->items)
      add(expression(*item).index);
  } else if (expr.constant && std::holds_alternative<ir::ConstantList>(expr.constant->value)) {
    ir::Type index;
    index.kind = ir::TypeKind::scalar;
    for (const ir::Constant& item : std::get<ir::ConstantList>(expr.constant->value)) {
      add(constant(item, index, expr.location).index);
    }
  } else {
    add(expression(expr).index);
  }
  if (result.rank > isa::kBoxDims) result.rank = isa::kBoxDims;
  return result;
}

RegisterList Flattener::optional_list(const ir::Expr* expr) {
  if (expr == nullptr || std::holds_alternative<ir::NoneLiteral>(expr->node)) return {};
  return list(*expr);
}

}  // namespace a2a3::interp
