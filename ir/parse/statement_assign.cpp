// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ir/parse/statement_parser.hpp"

namespace a2a3::ir {
namespace {

constexpr std::array<std::string_view, 13> kAugmentedTokens = {
    "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**="};

bool has_string(const Expr& annotation) {
  if (std::holds_alternative<StringLiteral>(annotation.node)) return true;
  const auto* subscript = std::get_if<Subscript>(&annotation.node);
  return subscript && std::any_of(subscript->indices.begin(), subscript->indices.end(),
                                  [](const ExprPtr& index) { return has_string(*index); });
}

}  // namespace

ExprPtr StatementParser::parse_annotation() {
  Tree tree = parse_expression();
  if (!tree) return nullptr;
  if (has_string(*tree.expr)) {
    unsupported(tree.expr->location,
                "Unsupported annotation: write the type itself, not a string of it");
    return nullptr;
  }
  return std::move(tree.expr);
}

bool StatementParser::parse_expression_statement(Block& out) {
  const std::size_t first = cursor_.position();
  Tree tree = parse_expression_list();
  if (!tree) return false;
  if (cursor_.at(":")) return parse_annotated(out, std::move(tree.expr), first);
  if (cursor_.at("=")) return parse_assignment(out, std::move(tree.expr), first);
  if (cursor_.at(TokenKind::op) && std::find(kAugmentedTokens.begin(), kAugmentedTokens.end(),
                                             cursor_.text()) != kAugmentedTokens.end()) {
    const std::string_view op = cursor_.text().substr(0, cursor_.text().size() - 1);
    const bool exists = op != "@" && op != "&" && op != "|" && op != "^" && op != "**";
    cursor_.to_line_end();
    unsupported(cursor_.since(first),
                exists
                    ? fmt::format("Unsupported statement type: AugAssign; write `a = a {} b`", op)
                    : "Unsupported statement type: AugAssign");
    return false;
  }
  if (!cursor_.at(TokenKind::newline) && !cursor_.at(";") && !cursor_.at(TokenKind::end)) {
    unexpected("end of line");
    return false;
  }
  // A string is a comment.
  if (std::holds_alternative<StringLiteral>(tree.expr->node)) return true;
  if (!std::holds_alternative<Call>(tree.expr->node)) {
    unsupported(cursor_.since(first),
                "Unsupported expression statement: only a call can stand alone");
    return false;
  }
  out.push_back(make_statement(ExprStmt{std::move(tree.expr)}, first));
  return true;
}

std::optional<Assign> StatementParser::assignment_to(ExprPtr target) {
  Assign assign;
  const SourceLocation location = target->location;
  const auto refuse = [&](std::string_view why) {
    unsupported(location, fmt::format("Unsupported assignment: {}", why));
    return std::nullopt;
  };
  if (auto* name = std::get_if<Name>(&target->node)) {
    assign.names.push_back(std::move(*name));
    assign.name_locations.push_back(location);
    return assign;
  }
  if (std::holds_alternative<Subscript>(target->node)) {
    assign.subscript = std::move(target);
    return assign;
  }
  const auto* tuple = std::get_if<Sequence>(&target->node);
  if (!tuple || tuple->kind != Sequence::Kind::tuple) {
    return refuse("the target must be a name, names, or a subscript");
  }
  if (tuple->items.size() < 2) return refuse("a tuple target has at least two names");
  for (const ExprPtr& item : tuple->items) {
    const auto* name = std::get_if<Name>(&item->node);
    if (!name) return refuse("a tuple target consists of names");
    assign.names.push_back(*name);
    assign.name_locations.push_back(item->location);
  }
  return assign;
}

void StatementParser::assign_unparsed(Block& out, Assign assign, std::size_t first) {
  if (assign.names.empty()) return;
  assign.value = unparsed(cursor_.since(first));
  out.push_back(make_statement(std::move(assign), first));
}

bool StatementParser::parse_annotated(Block& out, ExprPtr target, std::size_t first) {
  if (!std::holds_alternative<Name>(target->node)) {
    unsupported(target->location, "Unsupported assignment: only a name can be annotated");
    return false;
  }
  std::optional<Assign> assign = assignment_to(std::move(target));
  cursor_.advance();
  ExprPtr annotation = parse_annotation();
  if (!annotation) {
    assign_unparsed(out, std::move(*assign), first);
    return false;
  }
  assign->annotation = TypeExpr{std::move(annotation)};
  if (!cursor_.at("=")) {
    if (cursor_.at(TokenKind::newline) || cursor_.at(";")) {
      unsupported(cursor_.since(first), "Unsupported assignment: an annotation needs a value");
    } else {
      unexpected("'='");
    }
    assign_unparsed(out, std::move(*assign), first);
    return false;
  }
  cursor_.advance();
  Tree value = parse_expression_list();
  if (!value) {
    assign_unparsed(out, std::move(*assign), first);
    return false;
  }
  assign->value = std::move(value.expr);
  out.push_back(make_statement(std::move(*assign), first));
  return true;
}

bool StatementParser::parse_assignment(Block& out, ExprPtr target, std::size_t first) {
  std::optional<Assign> assign = assignment_to(std::move(target));
  if (!assign) return false;
  cursor_.advance();
  Tree value = parse_expression_list();
  if (!value) {
    assign_unparsed(out, std::move(*assign), first);
    return false;
  }
  if (cursor_.at("=")) {
    cursor_.to_line_end();
    unsupported(cursor_.since(first),
                "Unsupported assignment: several targets; assign to one at a time");
    if (const auto* name = std::get_if<Name>(&value.expr->node)) {
      assign_unparsed(out, Assign{{*name}, {value.expr->location}, nullptr, std::nullopt, nullptr},
                      first);
    }
    assign_unparsed(out, std::move(*assign), first);
    return false;
  }
  if (assign->names.size() > 1 && !std::holds_alternative<Call>(value.expr->node)) {
    unsupported(value.expr->location,
                "Unsupported assignment: several names take the result of a call");
    assign_unparsed(out, std::move(*assign), first);
    return false;
  }
  assign->value = std::move(value.expr);
  out.push_back(make_statement(std::move(*assign), first));
  return true;
}

}  // namespace a2a3::ir
