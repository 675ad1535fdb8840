// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <variant>

#include "ir/vocabulary.hpp"
#include "models/golden/evaluator.hpp"

namespace a2a3::models {
namespace {

bool depends(const ir::Expr& expr, const GoldenScope& scope, bool inside_aggregate);

bool depends_any(const std::vector<ir::ExprPtr>& exprs, const GoldenScope& scope, bool inside) {
  return std::any_of(exprs.begin(), exprs.end(),
                     [&](const ir::ExprPtr& e) { return depends(*e, scope, inside); });
}

bool depends(const ir::Expr& expr, const GoldenScope& scope, bool inside) {
  if (const auto* name = std::get_if<ir::Name>(&expr.node)) {
    if (scope.tensors.count(name->id) != 0) return !inside;
    if (scope.settings.count(name->id) != 0) return false;
    return name->id == "r" || name->id == "rank";
  }
  if (const auto* unary = std::get_if<ir::Unary>(&expr.node)) {
    return depends(*unary->operand, scope, inside);
  }
  if (const auto* binary = std::get_if<ir::Binary>(&expr.node)) {
    return depends(*binary->lhs, scope, inside) || depends(*binary->rhs, scope, inside);
  }
  if (const auto* compare = std::get_if<ir::Compare>(&expr.node)) {
    return depends(*compare->lhs, scope, inside) || depends(*compare->rhs, scope, inside);
  }
  if (const auto* logical = std::get_if<ir::Logical>(&expr.node)) {
    return depends(*logical->lhs, scope, inside) || depends(*logical->rhs, scope, inside);
  }
  if (const auto* sequence = std::get_if<ir::Sequence>(&expr.node)) {
    return depends_any(sequence->items, scope, inside);
  }
  if (const auto* slice = std::get_if<ir::Slice>(&expr.node)) {
    return (slice->lower && depends(*slice->lower, scope, inside)) ||
           (slice->upper && depends(*slice->upper, scope, inside));
  }
  if (const auto* subscript = std::get_if<ir::Subscript>(&expr.node)) {
    const auto* name = std::get_if<ir::Name>(&subscript->object->node);
    const bool tensor = name != nullptr && scope.tensors.count(name->id) != 0;
    return (!tensor && depends(*subscript->object, scope, inside)) ||
           depends_any(subscript->indices, scope, inside);
  }
  if (const auto* call = std::get_if<ir::Call>(&expr.node)) {
    const std::string function = ir::dotted_name(*call->callee).value_or("");
    const bool whole = function == "whole";
    const bool aggregate = is_aggregate(function, call->args.size());
    if (scope.order && scope.order->differs_between_ranks() && depends_on_order(*call)) return true;
    return (!whole && depends_any(call->args, scope, inside || aggregate)) ||
           std::any_of(call->keywords.begin(), call->keywords.end(),
                       [&](const auto& keyword) { return depends(*keyword.value, scope, inside); });
  }
  return false;
}

}  // namespace

bool depends_on_rank(const ir::Expr& expr, const GoldenScope& scope) {
  return depends(expr, scope, false);
}

bool argument_depends_on_rank(const ir::Expr& expr, const GoldenScope& scope) {
  return depends(expr, scope, true);
}

bool depends_on_order(const ir::Call& call) {
  const std::string function = ir::dotted_name(*call.callee).value_or("");
  return function == "sum" || function == "prod";
}

}  // namespace a2a3::models
