// SPDX-License-Identifier: Apache-2.0
#include "ir/arithmetic_warnings.hpp"
#include "ir/check/function_checker.hpp"
#include "ir/fold.hpp"
#include "ir/op.hpp"
#include "ir/ops/elementwise.hpp"
#include "ir/walk.hpp"

namespace a2a3::ir {
namespace {

bool is_scalar(const Type& type) {
  return type.kind == TypeKind::scalar;
}
bool is_integer_scalar(const Type& type) {
  return is_scalar(type) && isa::is_integer(type.dtype);
}
bool is_float_scalar(const Type& type) {
  return is_scalar(type) && isa::is_float(type.dtype);
}
bool is_boolean_scalar(const Type& type) {
  return is_scalar(type) && type.dtype == isa::DType::boolean;
}

std::optional<Elementwise> elementwise_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
      return Elementwise::add;
    case BinaryOp::sub:
      return Elementwise::sub;
    case BinaryOp::mul:
      return Elementwise::mul;
    case BinaryOp::div:
      return Elementwise::div;
    case BinaryOp::floordiv:
    case BinaryOp::mod:
    case BinaryOp::shift_left:
    case BinaryOp::shift_right:
      return std::nullopt;
  }
  return std::nullopt;
}

/// An integer written or captured, or computed from such: INDEX because nothing else was said, as
/// opposed to pl.const(1, pl.INDEX).
bool is_plain_integer(const Expr& expr) {
  if (expr.type.dtype != isa::DType::index || !expr.constant ||
      !std::holds_alternative<std::int64_t>(expr.constant->value)) {
    return false;
  }
  bool states_dtype = false;
  walk(expr, [&](const Expr& part) {
    const auto* call = std::get_if<Call>(&part.node);
    states_dtype = states_dtype || (call != nullptr && call->op == &op_info(OpId::const_value));
  });
  return !states_dtype;
}

}  // namespace

Type arithmetic_type(const Expr& a, const Expr& b) {
  if (a.type.dtype == b.type.dtype) return a.type;
  if (is_plain_integer(a) && fits(*a.constant, b.type.dtype)) return b.type;
  if (is_plain_integer(b) && fits(*b.constant, a.type.dtype)) return a.type;
  return Type::scalar(isa::DType::index);
}

Type FunctionChecker::unary(Expr& expr, Unary& node) {
  const Type type = expression(*node.operand);
  if (type.kind == TypeKind::unknown) return {};
  if (node.operand->constant) {
    Folded folded = fold(node.op, *node.operand->constant);
    if (folded.value) return with_constant(expr, std::move(*folded.value), type);
    if (!folded.problem.empty()) {
      error(expr.location, folded.problem);
      return {};
    }
  }
  switch (node.op) {
    case UnaryOp::logical_not:
      if (is_boolean_scalar(type)) return type;
      error(node.operand->location, "'not' needs a Boolean, got " + show_value(*node.operand));
      return {};
    case UnaryOp::invert:
      if (is_integer_scalar(type)) return type;
      error(node.operand->location,
            "'~' needs an integer scalar, got " + show_value(*node.operand));
      return {};
    case UnaryOp::negate:
      if (is_float_scalar(type)) {
        error(expr.location,
              "arith.negf explicitly marked illegal: floating-point scalars have no "
              "arithmetic in a kernel");
        return {};
      }
      if (is_integer_scalar(type)) {
        set_value(expr, Dim(0) - dim_of(*node.operand));
        return type;
      }
      error(node.operand->location,
            "'-' needs an integer scalar, got " + show_value(*node.operand));
      return {};
  }
  return {};
}

Type FunctionChecker::binary(Expr& expr, Binary& node) {
  const Type lhs = expression(*node.lhs);
  const Type rhs = expression(*node.rhs);
  if (lhs.kind == TypeKind::unknown || rhs.kind == TypeKind::unknown) return {};
  if (node.lhs->constant && node.rhs->constant) {
    Folded folded = fold(node.op, *node.lhs->constant, *node.rhs->constant, division());
    if (folded.value) {
      const Type type = arithmetic_type(*node.lhs, *node.rhs);
      warn_of_negative_operand(node, type.dtype);
      return with_constant(expr, std::move(*folded.value), type);
    }
    if (!folded.problem.empty()) {
      error(expr.location, folded.problem);
      return {};
    }
  }
  if (is_scalar(lhs) && is_scalar(rhs)) return scalar_arithmetic(expr, node);
  const auto elementwise = elementwise_of(node.op);
  const auto has_elements = [](const Type& type) {
    return type.kind == TypeKind::tile || type.kind == TypeKind::tensor ||
           type.kind == TypeKind::distributed_tensor;
  };
  if ((has_elements(lhs) || has_elements(rhs)) && elementwise) {
    return check_elementwise(*this, *elementwise, *node.lhs, *node.rhs, expr.location);
  }
  error(expr.location, "'" + std::string(spelling(node.op)) + "' is not defined for " +
                           show_value(*node.lhs) + " and " + show_value(*node.rhs));
  return {};
}

void FunctionChecker::warn_of_negative_operand(const Binary& node, isa::DType dtype) {
  const auto* lhs = std::get_if<std::int64_t>(&node.lhs->constant->value);
  const auto* rhs = std::get_if<std::int64_t>(&node.rhs->constant->value);
  const bool divides = node.op == BinaryOp::floordiv || node.op == BinaryOp::mod;
  if (is_host() || !divides || lhs == nullptr || rhs == nullptr) return;
  const DeviceDivision division{node.op == BinaryOp::mod, *lhs, *rhs, dtype, function_.kind};
  if (!division.has_negative_operand()) return;
  warn_of_truncation(program_.diagnostics(), *lhs < 0 ? node.lhs->location : node.rhs->location,
                     division);
}

Type FunctionChecker::scalar_arithmetic(Expr& expr, const Binary& node) {
  const Type& lhs = node.lhs->type;
  const Type& rhs = node.rhs->type;
  if (is_float_scalar(lhs) || is_float_scalar(rhs)) {
    std::string name = "arith.addf";
    if (node.op == BinaryOp::sub) name = "arith.subf";
    if (node.op == BinaryOp::mul) name = "arith.mulf";
    if (node.op == BinaryOp::div) name = "arith.divf";
    if (function_.kind == FunctionKind::kernel) {
      error(expr.location, name +
                               " explicitly marked illegal: floating-point scalars have no "
                               "arithmetic in a kernel")
          .notes.push_back({"compute the value outside of the kernel, or on a tile", {}});
    } else {
      error(expr.location,
            "floating-point arithmetic is not available in orchestration code: "
            "compute the value outside of the function");
    }
    return {};
  }
  if (!is_integer_scalar(lhs) || !is_integer_scalar(rhs)) {
    error(expr.location, "'" + std::string(spelling(node.op)) + "' is not defined for " +
                             show_value(*node.lhs) + " and " + show_value(*node.rhs));
    return {};
  }
  if (node.op == BinaryOp::div) {
    error(expr.location, "'/' of integers would be a floating-point scalar; use '//'");
    return {};
  }
  const bool divides = node.op == BinaryOp::floordiv || node.op == BinaryOp::mod;
  if (divides && dim_of(*node.rhs) == Dim(0)) {
    error(node.rhs->location, "division by zero");
    return {};
  }
  return arithmetic_type(*node.lhs, *node.rhs);
}

Type FunctionChecker::compare(Expr& expr, Compare& node) {
  const Type lhs = expression(*node.lhs);
  const Type rhs = expression(*node.rhs);
  if (lhs.kind == TypeKind::unknown || rhs.kind == TypeKind::unknown) return {};
  if (node.lhs->constant && node.rhs->constant) {
    Folded folded = fold(node.op, *node.lhs->constant, *node.rhs->constant);
    if (folded.value) return with_constant(expr, std::move(*folded.value));
  }
  const bool integers = is_integer_scalar(lhs) && is_integer_scalar(rhs);
  const bool floats = is_float_scalar(lhs) && is_float_scalar(rhs);
  const bool booleans = is_boolean_scalar(lhs) && is_boolean_scalar(rhs) &&
                        (node.op == CompareOp::eq || node.op == CompareOp::ne);
  if (!integers && !floats && !booleans) {
    error(expr.location, "'" + std::string(spelling(node.op)) + "' cannot compare " +
                             show_value(*node.lhs) + " and " + show_value(*node.rhs));
    return {};
  }
  return Type::scalar(isa::DType::boolean);
}

Type FunctionChecker::logical(Expr& expr, Logical& node) {
  const Type lhs = expression(*node.lhs);
  const Type rhs = expression(*node.rhs);
  const char* word = node.op == LogicalOp::logical_and ? "and" : "or";
  bool good = true;
  for (const Expr* side : {node.lhs.get(), node.rhs.get()}) {
    if (side->type.kind == TypeKind::unknown) {
      good = false;
    } else if (!is_boolean_scalar(side->type)) {
      error(side->location, std::string("'") + word + "' needs Booleans, got " + show_value(*side));
      good = false;
    }
  }
  if (!good) return {};
  if (node.lhs->constant && node.rhs->constant) {
    Folded folded = fold(node.op, *node.lhs->constant, *node.rhs->constant);
    if (folded.value) return with_constant(expr, std::move(*folded.value));
  }
  return Type::scalar(isa::DType::boolean);
}

}  // namespace a2a3::ir
