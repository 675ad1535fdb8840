// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <variant>

#include "ir/parse/expression_parser.hpp"
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
  int precedence;
  std::string_view message;
};

constexpr std::array kUnsupportedOperators = {
    UnsupportedOperator{"|", 5, "Unsupported binary operator: BitOr"},
    UnsupportedOperator{"^", 6, "Unsupported binary operator: BitXor"},
    UnsupportedOperator{"&", 7, "Unsupported binary operator: BitAnd"},
    UnsupportedOperator{"@", 10, "Unsupported binary operator: MatMult"},
    UnsupportedOperator{"**", 12, "Unsupported binary operator: Pow"},
    UnsupportedOperator{"is", 4, "Unsupported comparison operator: Is"},
    UnsupportedOperator{"in", 4, "Unsupported comparison operator: In"},
    UnsupportedOperator{"not", 4, "Unsupported comparison operator: NotIn"},
};

template <class Table>
const auto* find_operator(const Table& table, const TokenCursor& cursor) {
  if (!cursor.at(TokenKind::op) && !cursor.at(TokenKind::name)) return decltype(table.data())();
  const auto* found = std::find_if(
      table.begin(), table.end(), [&](const auto& candidate) { return cursor.at(candidate.text); });
  return found == table.end() ? nullptr : found;
}

// In a factory `is` compares as `==` does.
constexpr Operator kIs{"is", kComparison, CompareOp::eq};
constexpr Operator kIsNot{"is not", kComparison, CompareOp::ne};

/// An operator that waits for its right operand.
struct Pending {
  Tree lhs;
  std::size_t first;  ///< the first token of `lhs`
  const Operator* op;
};

decltype(Expr::node) node_of(const Operator& op, ExprPtr lhs, ExprPtr rhs) {
  return std::visit(
      [&](auto kind) -> decltype(Expr::node) {
        using Kind = decltype(kind);
        using Node = std::conditional_t<
            std::is_same_v<Kind, LogicalOp>, Logical,
            std::conditional_t<std::is_same_v<Kind, CompareOp>, Compare, Binary>>;
        return Node{kind, std::move(lhs), std::move(rhs)};
      },
      op.op);
}

}  // namespace

// Operators wait on a list of rising precedence rather than on the stack, so that brackets may nest
// deep.
Tree ExpressionParser::parse_binary(int min_precedence) {
  std::vector<Pending> pending;
  std::size_t first = cursor_.position();
  Tree operand = min_precedence <= kNot && cursor_.at("not") ? parse_not() : parse_unary();
  // Where the left operand of an operator with this precedence begins.
  const auto begin_of_lhs = [&](int precedence) {
    const auto inner = std::find_if(pending.begin(), pending.end(), [&](const Pending& p) {
      return p.op->precedence >= precedence;
    });
    return inner == pending.end() ? first : inner->first;
  };
  while (operand) {
    const Operator* op = find_operator(kOperators, cursor_);
    if (!op && allows_is_ && cursor_.at("is")) op = cursor_.is(1, "not") ? &kIsNot : &kIs;
    if (!op) {
      if (const auto* refused = find_operator(kUnsupportedOperators, cursor_)) {
        const std::size_t begin = begin_of_lhs(refused->precedence);
        unsupported(cursor_.location(begin, cursor_.position()), std::string(refused->message));
        return {};
      }
    }
    if (op && op->precedence < min_precedence) op = nullptr;
    if (op && op->precedence == kComparison && begin_of_lhs(kComparison) != begin_of_lhs(kShift)) {
      unsupported(cursor_.location(begin_of_lhs(kComparison), cursor_.position()),
                  "Only simple comparisons supported: compare two values and join with `and`");
      return {};
    }
    while (operand && !pending.empty() &&
           (!op || pending.back().op->precedence >= op->precedence)) {
      Pending& last = pending.back();
      first = last.first;
      const std::uint32_t height = std::max(last.lhs.height, operand.height);
      operand =
          make(node_of(*last.op, std::move(last.lhs.expr), std::move(operand.expr)), height, first);
      pending.pop_back();
    }
    if (!op || !operand) break;
    pending.push_back({std::move(operand), first, op});
    cursor_.advance();
    if (op == &kIsNot) cursor_.advance();
    first = cursor_.position();
    operand = op->precedence < kNot && cursor_.at("not") ? parse_not() : parse_unary();
  }
  return operand;
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
