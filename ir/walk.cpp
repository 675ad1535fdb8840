// SPDX-License-Identifier: Apache-2.0
#include "ir/walk.hpp"

namespace a2a3::ir {
namespace {

template <typename Inner, typename Statement>
std::vector<Inner*> blocks_of(Statement& stmt) {
  if (auto* loop = std::get_if<For>(&stmt.node)) return {&loop->body};
  if (auto* loop = std::get_if<While>(&stmt.node)) return {&loop->body};
  if (auto* branch = std::get_if<If>(&stmt.node)) return {&branch->then_body, &branch->else_body};
  if (auto* scope = std::get_if<With>(&stmt.node)) return {&scope->body};
  return {};
}

using Visit = std::function<void(const Expr&)>;

void walk(const ExprPtr& expr, const Visit& visit) {
  if (expr != nullptr) ir::walk(*expr, visit);
}

void walk(const std::vector<ExprPtr>& exprs, const Visit& visit) {
  for (const ExprPtr& expr : exprs)
    walk(expr, visit);
}

struct ExprWalker {
  const Visit& visit;

  void operator()(const IntLiteral&) const {}
  void operator()(const FloatLiteral&) const {}
  void operator()(const StringLiteral&) const {}
  void operator()(const BoolLiteral&) const {}
  void operator()(const NoneLiteral&) const {}
  void operator()(const Name&) const {}
  void operator()(const Attribute& node) const { walk(node.object, visit); }
  void operator()(const Call& node) const {
    walk(node.callee, visit);
    walk(node.args, visit);
    for (const Keyword& keyword : node.keywords)
      walk(keyword.value, visit);
  }
  void operator()(const Unary& node) const { walk(node.operand, visit); }
  void operator()(const Binary& node) const { both(node); }
  void operator()(const Compare& node) const { both(node); }
  void operator()(const Logical& node) const { both(node); }
  void operator()(const Sequence& node) const { walk(node.items, visit); }
  void operator()(const Slice& node) const {
    walk(node.lower, visit);
    walk(node.upper, visit);
  }
  void operator()(const Subscript& node) const {
    walk(node.object, visit);
    walk(node.indices, visit);
  }

  template <typename Node>
  void both(const Node& node) const {
    walk(node.lhs, visit);
    walk(node.rhs, visit);
  }
};

struct StmtWalker {
  const Visit& visit;

  void operator()(const Assign& node) const {
    walk(node.subscript, visit);
    if (node.annotation) walk(node.annotation->expr, visit);
    walk(node.value, visit);
  }
  void operator()(const For& node) const {
    walk(node.iterator, visit);
    walk(node.init_values, visit);
    ir::walk(node.body, visit);
  }
  void operator()(const While& node) const {
    walk(node.condition, visit);
    ir::walk(node.body, visit);
  }
  void operator()(const If& node) const {
    walk(node.condition, visit);
    ir::walk(node.then_body, visit);
    ir::walk(node.else_body, visit);
  }
  void operator()(const With& node) const {
    walk(node.manager, visit);
    ir::walk(node.body, visit);
  }
  void operator()(const Return& node) const { walk(node.value, visit); }
  void operator()(const ExprStmt& node) const { walk(node.value, visit); }
  void operator()(const Pass&) const {}
  void operator()(const Break&) const {}
  void operator()(const Continue&) const {}
};

struct BoundNames {
  std::set<std::string>& names;

  void operator()(const Assign& node) const {
    for (const Name& name : node.names)
      names.insert(name.id);
  }
  void operator()(const For& node) const {
    names.insert(node.index.id);
    for (const Name& name : node.carried)
      names.insert(name.id);
    add(node.body);
  }
  void operator()(const While& node) const { add(node.body); }
  void operator()(const If& node) const {
    add(node.then_body);
    add(node.else_body);
  }
  void operator()(const With& node) const {
    if (node.as) names.insert(node.as->id);
    add(node.body);
  }
  void operator()(const Return&) const {}
  void operator()(const ExprStmt&) const {}
  void operator()(const Pass&) const {}
  void operator()(const Break&) const {}
  void operator()(const Continue&) const {}

  void add(const Block& block) const {
    for (const Stmt& stmt : block)
      std::visit(*this, stmt.node);
  }
};

}  // namespace

void walk(const Expr& expr, const Visit& visit) {
  visit(expr);
  std::visit(ExprWalker{visit}, expr.node);
}

void walk(const Stmt& stmt, const Visit& visit) {
  std::visit(StmtWalker{visit}, stmt.node);
}

void walk(const Block& block, const Visit& visit) {
  for (const Stmt& stmt : block)
    walk(stmt, visit);
}

std::set<std::string> bound_names(const Block& block) {
  std::set<std::string> names;
  BoundNames{names}.add(block);
  return names;
}

std::vector<Block*> inner_blocks(Stmt& stmt) {
  return blocks_of<Block>(stmt);
}

std::vector<const Block*> inner_blocks(const Stmt& stmt) {
  return blocks_of<const Block>(stmt);
}

}  // namespace a2a3::ir
