// SPDX-License-Identifier: Apache-2.0
#include "ir/node.hpp"

#include <utility>

namespace a2a3::ir {
namespace {

std::vector<ExprPtr> clone_all(const std::vector<ExprPtr>& exprs) {
  std::vector<ExprPtr> copies;
  copies.reserve(exprs.size());
  for (const ExprPtr& expr : exprs)
    copies.push_back(clone(expr));
  return copies;
}

/// Copies one node and what it holds.
struct Cloner {
  IntLiteral operator()(const IntLiteral& node) const { return node; }
  FloatLiteral operator()(const FloatLiteral& node) const { return node; }
  StringLiteral operator()(const StringLiteral& node) const { return node; }
  BoolLiteral operator()(const BoolLiteral& node) const { return node; }
  NoneLiteral operator()(const NoneLiteral& node) const { return node; }
  Name operator()(const Name& node) const { return node; }
  Attribute operator()(const Attribute& node) const { return {clone(node.object), node.attribute}; }
  Call operator()(const Call& node) const {
    Call copy{clone(node.callee), clone_all(node.args), {}, node.op, node.function, node.operands,
              node.collective,    node.reshape_of};
    copy.keywords.reserve(node.keywords.size());
    for (const Keyword& keyword : node.keywords) {
      copy.keywords.push_back({keyword.name, clone(keyword.value), keyword.location});
    }
    return copy;
  }
  Unary operator()(const Unary& node) const { return {node.op, clone(node.operand)}; }
  Binary operator()(const Binary& node) const {
    return {node.op, clone(node.lhs), clone(node.rhs)};
  }
  Compare operator()(const Compare& node) const {
    return {node.op, clone(node.lhs), clone(node.rhs)};
  }
  Logical operator()(const Logical& node) const {
    return {node.op, clone(node.lhs), clone(node.rhs)};
  }
  Sequence operator()(const Sequence& node) const { return {node.kind, clone_all(node.items)}; }
  Slice operator()(const Slice& node) const { return {clone(node.lower), clone(node.upper)}; }
  Subscript operator()(const Subscript& node) const {
    return {clone(node.object), clone_all(node.indices)};
  }
};

}  // namespace

const Expr* Call::operand(std::size_t index) const {
  if (index >= operands.size() || operands[index] == -1) return nullptr;
  const std::int32_t place = operands[index];
  return place >= 0 ? args[static_cast<std::size_t>(place)].get()
                    : keywords[static_cast<std::size_t>(-place - 2)].value.get();
}

ExprPtr make_expr(decltype(Expr::node) node, SourceLocation location) {
  auto expr = std::make_unique<Expr>();
  expr->node = std::move(node);
  expr->location = location;
  return expr;
}

ExprPtr clone(const Expr& expr) {
  return std::make_unique<Expr>(Expr{
      std::visit([](const auto& node) { return decltype(Expr::node)(Cloner{}(node)); }, expr.node),
      expr.location, expr.type, expr.constant});
}

ExprPtr clone(const ExprPtr& expr) {
  return expr ? clone(*expr) : nullptr;
}

bool is_unparsed(const Expr& expr) {
  const auto* name = std::get_if<Name>(&expr.node);
  return name && name->id.empty();
}

}  // namespace a2a3::ir
