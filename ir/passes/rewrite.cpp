// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/rewrite.hpp"

#include <algorithm>

namespace a2a3::ir {
namespace {

/// The blocks inside a statement.
struct InnerBlocks {
  const Rewriter& rewriter;

  void operator()(For& node) const { rewrite(node.body, rewriter); }
  void operator()(While& node) const { rewrite(node.body, rewriter); }
  void operator()(If& node) const {
    rewrite(node.then_body, rewriter);
    const std::size_t statements = node.else_body.size();
    rewrite(node.else_body, rewriter);
    if (node.else_body.size() != statements) node.is_elif_chain = false;
  }
  void operator()(With& node) const { rewrite(node.body, rewriter); }
  void operator()(Assign&) const {}
  void operator()(Return&) const {}
  void operator()(ExprStmt&) const {}
  void operator()(Pass&) const {}
  void operator()(Break&) const {}
  void operator()(Continue&) const {}
};

}  // namespace

const Expr* statement_call(const Stmt& stmt) {
  const Expr* value = nullptr;
  if (const auto* assign = std::get_if<Assign>(&stmt.node)) {
    if (assign->names.size() == 1) value = assign->value.get();
  } else if (const auto* statement = std::get_if<ExprStmt>(&stmt.node)) {
    value = statement->value.get();
  } else if (const auto* result = std::get_if<Return>(&stmt.node)) {
    value = result->value.get();
  }
  return value != nullptr && std::holds_alternative<Call>(value->node) ? value : nullptr;
}

ExprPtr& statement_value(Stmt& stmt) {
  if (auto* assign = std::get_if<Assign>(&stmt.node)) return assign->value;
  if (auto* statement = std::get_if<ExprStmt>(&stmt.node)) return statement->value;
  return std::get<Return>(stmt.node).value;
}

void rewrite(Block& block, const Rewriter& rewriter) {
  Block out;
  out.reserve(block.size());
  for (Stmt& stmt : block) {
    std::visit(InnerBlocks{rewriter}, stmt.node);
    if (auto replacement = rewriter(stmt)) {
      std::move(replacement->begin(), replacement->end(), std::back_inserter(out));
    } else {
      out.push_back(std::move(stmt));
    }
  }
  block = std::move(out);
}

std::string fresh_prefix(const Function& function, const std::string& stem, int& next) {
  for (;;) {
    std::string prefix = "_" + stem + std::to_string(next++) + "_";
    const auto& names = function.slot_names;
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name.starts_with(prefix); })) {
      return prefix;
    }
  }
}

void use_result(const Stmt& stmt, ExprPtr result, Block& out) {
  if (const auto* assign = std::get_if<Assign>(&stmt.node)) {
    const auto* same = std::get_if<Name>(&result->node);
    if (same != nullptr && same->id == assign->names[0].id) return;
    Assign copy;
    copy.names = assign->names;
    copy.name_locations = assign->name_locations;
    if (assign->annotation) copy.annotation = TypeExpr{clone(assign->annotation->expr)};
    copy.value = std::move(result);
    out.push_back({std::move(copy), stmt.location});
  } else if (std::holds_alternative<Return>(stmt.node)) {
    out.push_back({Return{std::move(result)}, stmt.location});
  }
}

}  // namespace a2a3::ir
