// SPDX-License-Identifier: Apache-2.0
#include "ir/parse/expression_parser.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "ir/parse/literal.hpp"

namespace a2a3::ir {
namespace {

// Python's precedences; those between comparison and shift belong to | ^ &.
constexpr int kOr = 1;
constexpr int kAnd = 2;
constexpr int kNot = 3;
constexpr int kComparison = 4;
constexpr int kShift = 8;
constexpr int kSum = 9;
constexpr int kTerm = 10;

struct Operator {
  std::string_view text;
  int precedence;
  std::variant<LogicalOp, CompareOp, BinaryOp> op;
};

constexpr std::array kOperators = {
    Operator{"or", kOr, LogicalOp::logical_or},   Operator{"and", kAnd, LogicalOp::logical_and},
    Operator{"==", kComparison, CompareOp::eq},   Operator{"!=", kComparison, CompareOp::ne},
    Operator{"<", kComparison, CompareOp::lt},    Operator{"<=", kComparison, CompareOp::le},
    Operator{">", kComparison, CompareOp::gt},    Operator{">=", kComparison, CompareOp::ge},
    Operator{"<<", kShift, BinaryOp::shift_left}, Operator{">>", kShift, BinaryOp::shift_right},
    Operator{"+", kSum, BinaryOp::add},           Operator{"-", kSum, BinaryOp::sub},
    Operator{"*", kTerm, BinaryOp::mul},          Operator{"/", kTerm, BinaryOp::div},
    Operator{"//", kTerm, BinaryOp::floordiv},    Operator{"%", kTerm, BinaryOp::mod},
};

struct UnsupportedOperator {
  std::string_view text;
  std::string_view message;
};

constexpr std::array kUnsupportedOperators = {
    UnsupportedOperator{"|", "Unsupported binary operator: BitOr"},
    UnsupportedOperator{"^", "Unsupported binary operator: BitXor"},
    UnsupportedOperator{"&", "Unsupported binary operator: BitAnd"},
    UnsupportedOperator{"@", "Unsupported binary operator: MatMult"},
    UnsupportedOperator{"**", "Unsupported binary operator: Pow"},
    UnsupportedOperator{"is", "Unsupported comparison operator: Is"},
    UnsupportedOperator{"in", "Unsupported comparison operator: In"},
    UnsupportedOperator{"not", "Unsupported comparison operator: NotIn"},
};

template <class Table>
const auto* find_operator(const Table& table, const TokenCursor& cursor) {
  if (!cursor.at(TokenKind::op) && !cursor.at(TokenKind::name)) return decltype(table.data())();
  const auto* found = std::find_if(
      table.begin(), table.end(), [&](const auto& candidate) { return cursor.at(candidate.text); });
  return found == table.end() ? nullptr : found;
}

}  // namespace

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
  return parse_binary(kOr);
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

Tree ExpressionParser::parse_binary(int min_precedence) {
  const std::size_t first = cursor_.position();
  Tree lhs = min_precedence <= kNot && cursor_.at("not") ? parse_not() : parse_unary();
  bool has_comparison = false;
  while (lhs) {
    const Operator* found = find_operator(kOperators, cursor_);
    Operator is{"is", kComparison, CompareOp::eq};
    if (!found && allows_is_ && cursor_.at("is")) found = &is;
    if (!found) {
      const auto* refused = find_operator(kUnsupportedOperators, cursor_);
      if (!refused) break;
      unsupported(cursor_.location(first, cursor_.position()), std::string(refused->message));
      return {};
    }
    if (found->precedence < min_precedence) break;
    if (found->precedence == kComparison && has_comparison) {
      unsupported(cursor_.location(first, cursor_.position()),
                  "Only simple comparisons supported: compare two values and join with `and`");
      return {};
    }
    has_comparison = has_comparison || found->precedence == kComparison;
    cursor_.advance();
    if (found == &is && cursor_.accept("not")) is.op = CompareOp::ne;
    Tree rhs = parse_binary(found->precedence + 1);
    if (!rhs) return {};
    const std::uint32_t height = std::max(lhs.height, rhs.height);
    auto node = std::visit(
        [&](auto op) -> decltype(Expr::node) {
          using Node = std::conditional_t<
              std::is_same_v<decltype(op), LogicalOp>, Logical,
              std::conditional_t<std::is_same_v<decltype(op), CompareOp>, Compare, Binary>>;
          return Node{op, std::move(lhs.expr), std::move(rhs.expr)};
        },
        found->op);
    lhs = make(std::move(node), height, first);
  }
  return lhs;
}

Tree ExpressionParser::parse_not() {
  const Level level(*this);
  if (too_deep("operators")) return {};
  const std::size_t first = cursor_.position();
  cursor_.advance();
  Tree operand = parse_binary(kNot);
  if (!operand) return {};
  const std::uint32_t height = operand.height;
  return make(Unary{UnaryOp::logical_not, std::move(operand.expr)}, height, first);
}

Tree ExpressionParser::parse_unary() {
  const bool negates = cursor_.at("-");
  if (!negates && !cursor_.at("~")) {
    if (cursor_.at("+")) {
      unsupported(cursor_.here(), "Unsupported unary operator: UAdd");
      return {};
    }
    return parse_postfix();
  }
  const Level level(*this);
  if (too_deep("operators")) return {};
  const std::size_t first = cursor_.position();
  cursor_.advance();
  // The smallest int64 has no positive counterpart that a literal could hold.
  if (negates && cursor_.at(TokenKind::integer) &&
      integer_value(cursor_.text()) == std::uint64_t{1} << 63 && !cursor_.is(1, ".") &&
      !cursor_.is(1, "(") && !cursor_.is(1, "[") && !cursor_.is(1, "**")) {
    cursor_.advance();
    return make(IntLiteral{std::numeric_limits<std::int64_t>::min()}, 0, first);
  }
  Tree operand = parse_unary();
  if (!operand) return {};
  const std::uint32_t height = operand.height;
  return make(Unary{negates ? UnaryOp::negate : UnaryOp::invert, std::move(operand.expr)}, height,
              first);
}

}  // namespace a2a3::ir
