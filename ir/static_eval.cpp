// SPDX-License-Identifier: Apache-2.0
#include "ir/static_eval.hpp"

#include <algorithm>
#include <cmath>

#include "ir/fold.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3::ir {
namespace {

using Result = StaticEvaluator::Result;

Result not_constant(const Expr& expr, std::string message) {
  return StaticError{expr.location, std::move(message), true};
}

Result from_folded(const Expr& expr, Folded folded, std::string_view operation) {
  if (folded.value) return StaticValue{std::move(*folded.value)};
  if (!folded.problem.empty()) {
    return StaticError{expr.location, std::move(folded.problem), folded.too_large};
  }
  // Python may well have a value: "-" * 60, [0] * 4.
  return not_constant(expr, "'" + std::string(operation) + "' is not defined for these values");
}

const StaticError* error_of(const Result& result) {
  return std::get_if<StaticError>(&result);
}

const Constant* constant_of(const Result& result) {
  const auto* value = std::get_if<StaticValue>(&result);
  return value == nullptr ? nullptr : std::get_if<Constant>(value);
}

/// A dimension without symbols is a plain integer.
Result simplified(const Expr& expr, Dim dim) {
  if (!dim.is_known()) {
    return not_constant(expr, "this dimension has more than " + std::to_string(Dim::kMostTerms) +
                                  " terms, more than " + std::to_string(Dim::kHighestDegree) +
                                  " factors in one, or a factor of more than 64 bits");
  }
  if (const auto constant = dim.constant()) return StaticValue{Constant{*constant}};
  return StaticValue{std::move(dim)};
}

bool is_symbolic(const Result& result) {
  if (const Constant* constant = constant_of(result)) {
    return std::holds_alternative<DynamicDim>(constant->value);
  }
  return error_of(result) == nullptr;
}

}  // namespace

std::optional<Dim> as_dim(const StaticValue& value) {
  if (const auto* dim = std::get_if<Dim>(&value)) return *dim;
  const Constant& constant = std::get<Constant>(value);
  if (const auto* integer = std::get_if<std::int64_t>(&constant.value)) return Dim(*integer);
  if (const auto* dynamic = std::get_if<DynamicDim>(&constant.value)) {
    return Dim::symbol(dynamic->id);
  }
  return std::nullopt;
}

Result StaticEvaluator::evaluate(const Expr& expr) {
  struct Visitor {
    StaticEvaluator& self;
    const Expr& expr;

    Result operator()(const IntLiteral& literal) const { return Constant{literal.value}; }
    Result operator()(const FloatLiteral& literal) const { return Constant{literal.value}; }
    Result operator()(const StringLiteral& literal) const { return Constant{literal.value}; }
    Result operator()(const BoolLiteral& literal) const { return Constant{literal.value}; }
    Result operator()(const NoneLiteral&) const { return Constant{NoneValue{}}; }
    Result operator()(const Name& node) const { return self.name(expr, node); }
    Result operator()(const Attribute&) const { return self.attribute(expr); }
    Result operator()(const Call& node) const { return self.call(expr, node); }
    Result operator()(const Unary& node) const {
      Result operand = self.evaluate(*node.operand);
      if (error_of(operand) != nullptr) return operand;
      if (is_symbolic(operand)) {
        if (node.op != UnaryOp::negate) return not_constant(expr, "not a constant expression");
        return simplified(expr, Dim(0) - *as_dim(std::get<StaticValue>(operand)));
      }
      return from_folded(expr, fold(node.op, *constant_of(operand)), spelling(node.op));
    }
    Result operator()(const Binary& node) const { return self.binary(expr, node); }
    Result operator()(const Compare& node) const {
      Result lhs = self.evaluate(*node.lhs);
      if (error_of(lhs) != nullptr) return lhs;
      Result rhs = self.evaluate(*node.rhs);
      if (error_of(rhs) != nullptr) return rhs;
      if (is_symbolic(lhs) || is_symbolic(rhs)) {
        return not_constant(expr, "the value of a pl.dynamic dimension is not known here");
      }
      return from_folded(expr, fold(node.op, *constant_of(lhs), *constant_of(rhs)),
                         spelling(node.op));
    }
    Result operator()(const Logical& node) const { return self.logical(expr, node); }
    Result operator()(const Sequence& node) const { return self.sequence(node); }
    Result operator()(const Slice&) const {
      return not_constant(expr, "not a constant expression");
    }
    Result operator()(const Subscript& node) const { return self.subscript(expr, node); }
  };
  return std::visit(Visitor{*this, expr}, expr.node);
}

Result StaticEvaluator::name(const Expr& expr, const Name& name) {
  // A dimension that an annotation made itself, inline, is no name of the Python scopes.
  if (expr.constant && std::holds_alternative<DynamicDim>(expr.constant->value)) {
    return StaticValue{*expr.constant};
  }
  const auto found = scope_.find(name.id);
  if (found == scope_.end()) {
    const auto known = [this] {
      std::vector<std::string> names;
      for (const auto& [candidate, capture] : scope_)
        names.push_back(candidate);
      return names;
    };
    return StaticError{expr.location,
                       "undefined name '" + name.id + "'" + module_.suggest(name.id, known), true};
  }
  if (!found->second.value) {
    return StaticError{expr.location,
                       "'" + name.id + "' has no constant value: " + found->second.problem, true};
  }
  const auto* constant = std::get_if<Constant>(&*found->second.value);
  if (constant != nullptr && !module_.may_copy(*constant)) {
    return StaticError{expr.location, too_many_constants(), false};
  }
  return *found->second.value;
}

Result StaticEvaluator::attribute(const Expr& expr) {
  const auto dotted = dotted_name(expr);
  if (!dotted) return not_constant(expr, "not a constant expression");
  if (auto constant = language_constant(*dotted)) return StaticValue{std::move(*constant)};
  const bool ours = dotted->starts_with("pl.") || dotted->starts_with("pld.");
  return StaticError{expr.location,
                     "unknown name '" + *dotted + "'" +
                         (ours ? suggestion(*dotted, language_constant_names()) : std::string()),
                     !ours};
}

Result StaticEvaluator::call(const Expr& expr, const Call& call) {
  if (const auto* attribute = std::get_if<Attribute>(&call.callee->node);
      attribute != nullptr && attribute->attribute == "get_byte") {
    Result object = evaluate(*attribute->object);
    const Constant* constant = constant_of(object);
    const auto* dtype = constant == nullptr ? nullptr : std::get_if<isa::DType>(&constant->value);
    if (dtype != nullptr) return StaticValue{Constant{isa::size_of(*dtype)}};
  }
  const auto function = dotted_name(*call.callee);
  if (function == "pl.dynamic") return dynamic(expr, call);
  if (function == "min" || function == "max" || function == "len" || function == "int" ||
      function == "abs") {
    return builtin(expr, call, *function);
  }
  return not_constant(
      expr, "a call of '" + function.value_or("an expression") + "' is not a constant expression");
}

Result StaticEvaluator::dynamic(const Expr& expr, const Call& call) {
  const auto* text = call.args.size() == 1 && call.keywords.empty()
                         ? std::get_if<StringLiteral>(&call.args[0]->node)
                         : nullptr;
  if (text == nullptr) {
    return StaticError{expr.location, "pl.dynamic takes one string, the name of the dimension",
                       false};
  }
  const auto id = static_cast<std::uint32_t>(module_.dynamic_dims.size());
  module_.dynamic_dims.push_back({text->value, expr.location});
  return StaticValue{Constant{DynamicDim{id}}};
}

Result StaticEvaluator::builtin(const Expr& expr, const Call& call, const std::string& function) {
  ConstantList values;
  for (const ExprPtr& argument : call.args) {
    Result value = evaluate(*argument);
    if (error_of(value) != nullptr) return value;
    const Constant* constant = constant_of(value);
    if (constant == nullptr) return not_constant(expr, "not a constant expression");
    values.push_back(*constant);
  }
  const auto* list = values.size() == 1 ? std::get_if<ConstantList>(&values[0].value) : nullptr;
  if (function == "len") {
    if (list != nullptr) return StaticValue{Constant{static_cast<std::int64_t>(list->size())}};
  } else if (function == "int" || function == "abs") {
    const auto* integer =
        values.size() == 1 ? std::get_if<std::int64_t>(&values[0].value) : nullptr;
    if (integer != nullptr) {
      if (function == "int" || *integer >= 0) return StaticValue{values[0]};
      return from_folded(expr, fold(UnaryOp::negate, values[0]), function);
    }
    const auto* number = values.size() == 1 ? std::get_if<double>(&values[0].value) : nullptr;
    if (number != nullptr && std::abs(*number) < 9e18) {
      if (function == "abs") return StaticValue{Constant{std::abs(*number)}};
      return StaticValue{Constant{static_cast<std::int64_t>(*number)}};
    }
  } else {
    ConstantList candidates = list != nullptr ? *list : values;
    const CompareOp better = function == "min" ? CompareOp::lt : CompareOp::gt;
    for (std::size_t i = 1; i < candidates.size(); ++i) {
      const Folded order = fold(better, candidates[i], candidates[0]);
      const bool* wins = order.value ? std::get_if<bool>(&order.value->value) : nullptr;
      if (wins == nullptr) return not_constant(expr, "not a constant expression");
      if (*wins) candidates[0] = candidates[i];
    }
    if (!candidates.empty()) return StaticValue{candidates[0]};
  }
  return not_constant(expr, "not a constant expression");
}

Result StaticEvaluator::binary(const Expr& expr, const Binary& binary) {
  Result lhs = evaluate(*binary.lhs);
  if (error_of(lhs) != nullptr) return lhs;
  Result rhs = evaluate(*binary.rhs);
  if (error_of(rhs) != nullptr) return rhs;
  if (!is_symbolic(lhs) && !is_symbolic(rhs)) {
    return from_folded(expr, fold(binary.op, *constant_of(lhs), *constant_of(rhs), Division::floor),
                       spelling(binary.op));
  }
  const auto a = as_dim(std::get<StaticValue>(lhs));
  const auto b = as_dim(std::get<StaticValue>(rhs));
  if (a && b) {
    switch (binary.op) {
      case BinaryOp::add:
        return simplified(expr, *a + *b);
      case BinaryOp::sub:
        return simplified(expr, *a - *b);
      case BinaryOp::mul:
        return simplified(expr, *a * *b);
      case BinaryOp::floordiv:
        if (b->constant() == 0) return StaticError{expr.location, "division by zero", false};
        if (!b->provably_greater(Dim(0))) {
          return not_constant(expr, "the divisor of a pl.dynamic dimension must be positive");
        }
        return simplified(expr, module_.quotient(*a, *b));
      case BinaryOp::div:
      case BinaryOp::mod:
      case BinaryOp::shift_left:
      case BinaryOp::shift_right:
        break;
    }
  }
  return not_constant(
      expr, "'" + std::string(spelling(binary.op)) + "' is not defined for a pl.dynamic dimension");
}

Result StaticEvaluator::logical(const Expr& expr, const Logical& logical) {
  // Python's short circuit: the right side may only make sense when the left one allows it.
  Result lhs = evaluate(*logical.lhs);
  if (error_of(lhs) != nullptr) return lhs;
  const Constant* left = constant_of(lhs);
  const auto decided = left == nullptr ? std::nullopt : truth(*left);
  if (!decided) return not_constant(expr, "not a constant condition");
  if (*decided == (logical.op == LogicalOp::logical_or)) return lhs;
  return evaluate(*logical.rhs);
}

Result StaticEvaluator::sequence(const Sequence& sequence) {
  ConstantList list;
  for (const ExprPtr& item : sequence.items) {
    Result value = evaluate(*item);
    if (error_of(value) != nullptr) return value;
    const Constant* constant = constant_of(value);
    if (constant == nullptr) return not_constant(*item, "not a constant expression");
    list.push_back(*constant);
  }
  return StaticValue{Constant{std::move(list)}};
}

Result StaticEvaluator::subscript(const Expr& expr, const Subscript& subscript) {
  Result object = evaluate(*subscript.object);
  if (error_of(object) != nullptr) return object;
  const Constant* constant = constant_of(object);
  const auto* list = constant == nullptr ? nullptr : std::get_if<ConstantList>(&constant->value);
  if (list == nullptr || subscript.indices.size() != 1) {
    return not_constant(expr, "not a constant expression");
  }
  Result index = evaluate(*subscript.indices[0]);
  if (error_of(index) != nullptr) return index;
  const Constant* position = constant_of(index);
  const auto* integer = position == nullptr ? nullptr : std::get_if<std::int64_t>(&position->value);
  const auto size = static_cast<std::int64_t>(list->size());
  if (integer == nullptr || *integer < -size || *integer >= size) {
    return StaticError{expr.location, "list index out of range", false};
  }
  return StaticValue{(*list)[static_cast<std::size_t>(*integer < 0 ? *integer + size : *integer)]};
}

}  // namespace a2a3::ir
