// SPDX-License-Identifier: Apache-2.0
#include "ir/parse/expression_parser.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace a2a3::ir {

void ExpressionParser::error(SourceLocation location, std::string message) {
  if (reporting_ != Reporting::none && !line_is_faulty()) {
    diagnostics_.error(location, std::move(message));
  }
}

void ExpressionParser::unsupported(SourceLocation location, std::string message) {
  if (reporting_ == Reporting::all && !line_is_faulty()) {
    diagnostics_.error(location, std::move(message));
  }
}

void ExpressionParser::unexpected(std::string_view expected) {
  error(cursor_.here(), fmt::format("expected {}, got {}", expected, cursor_.describe()));
}

bool ExpressionParser::expect(std::string_view op) {
  if (cursor_.accept(op)) return true;
  unexpected(fmt::format("'{}'", op));
  return false;
}

bool ExpressionParser::line_is_faulty() {
  const std::size_t position = cursor_.position();
  if (position < last_line_.begin || position > last_line_.end) last_line_ = cursor_.line();
  return last_line_.has_invalid;
}

bool ExpressionParser::too_deep(std::string_view what) {
  if (depth_ <= max_nesting_) return false;
  error(cursor_.here(), nesting_error(what, max_nesting_));
  return true;
}

Tree ExpressionParser::make(decltype(Expr::node) node, std::uint32_t height_of_children,
                            std::size_t first_token) {
  const SourceLocation location = cursor_.since(first_token);
  if (height_of_children >= max_nesting_) {
    unsupported(location, nesting_error("the operations of this expression", max_nesting_));
    return {};
  }
  auto expr = std::make_unique<Expr>();
  expr->node = std::move(node);
  expr->location = location;
  return {std::move(expr), height_of_children + 1};
}

Tree ExpressionParser::parse_whole_text() {
  Tree tree = parse_expression();
  if (tree && !cursor_.at(TokenKind::end)) {
    unexpected("end of expression");
    return {};
  }
  return tree;
}

Tree ExpressionParser::parse_expression_list() {
  const std::size_t first = cursor_.position();
  Tree tree = parse_expression();
  if (!tree || !cursor_.at(",")) return tree;
  Sequence tuple{Sequence::Kind::tuple, {}};
  std::uint32_t height = tree.height;
  tuple.items.push_back(std::move(tree.expr));
  while (cursor_.accept(",")) {
    if (cursor_.at(TokenKind::newline) || cursor_.at("=") || cursor_.at(";")) break;
    Tree item = parse_expression();
    if (!item) return {};
    height = std::max(height, item.height);
    tuple.items.push_back(std::move(item.expr));
  }
  return make(std::move(tuple), height, first);
}

Tree ExpressionParser::parse_operand() {
  return parse_binary(0);
}

Tree ExpressionParser::parse_expression() {
  const std::size_t first = cursor_.position();
  Tree tree = parse_operand();
  if (!tree) return {};
  const SourceLocation up_to_here = cursor_.location(first, cursor_.position());
  if (cursor_.at("if")) {
    unsupported(up_to_here, "Unsupported expression type: IfExp; use an if statement");
    return {};
  }
  if (cursor_.at(":=")) {
    unsupported(up_to_here, "Unsupported expression type: NamedExpr; assign in a statement");
    return {};
  }
  return tree;
}

}  // namespace a2a3::ir
