// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "ir/fold.hpp"
#include "ir/print/printer.hpp"

namespace a2a3::ir {
namespace {

constexpr int kOr = 1;
constexpr int kAnd = 2;
constexpr int kNot = 3;
constexpr int kCompare = 4;
constexpr int kShift = 8;

int precedence(BinaryOp op) {
  switch (op) {
    case BinaryOp::shift_left:
    case BinaryOp::shift_right:
      return kShift;
    case BinaryOp::add:
    case BinaryOp::sub:
      return kSumPrecedence;
    case BinaryOp::mul:
    case BinaryOp::div:
    case BinaryOp::floordiv:
    case BinaryOp::mod:
      return kTermPrecedence;
  }
  return kTermPrecedence;
}

void append_escape(std::string& text, char c) {
  switch (c) {
    case '\\':
      text += "\\\\";
      break;
    case '\n':
      text += "\\n";
      break;
    case '\t':
      text += "\\t";
      break;
    case '\r':
      text += "\\r";
      break;
    default:
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
}

bool needs_escape(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F || c == '\\';
}

}  // namespace

std::string quoted(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"') {
      text += "\\\"";
    } else if (needs_escape(c)) {
      append_escape(text, c);
    } else {
      text += c;
    }
  }
  return text + '"';
}

std::string float_text(double value) {
  // A literal too large to hold is how Python writes infinity.
  if (std::isinf(value)) return value > 0 ? "1e999" : "-1e999";
  if (std::isnan(value)) return "(1e999 - 1e999)";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// One node of an expression.
struct ExpressionWriter {
  Printer& out;
  const Expr& expr;
  int min_precedence;

  void operator()(const IntLiteral& node) const {
    out.write(std::to_string(node.value), node.value < 0 ? kUnaryPrecedence : kNumberPrecedence,
              min_precedence);
  }
  void operator()(const FloatLiteral& node) const {
    const std::string text = node.text.empty() ? float_text(node.value) : node.text;
    out.write(text, text.starts_with('-') ? kUnaryPrecedence : kNumberPrecedence, min_precedence);
  }
  void operator()(const StringLiteral& node) const { out.write(quoted(node.value)); }
  void operator()(const BoolLiteral& node) const { out.write(node.value ? "True" : "False"); }
  void operator()(const NoneLiteral&) const { out.write("None"); }
  void operator()(const Name& node) const { out.print_name(node, expr, min_precedence); }
  void operator()(const Attribute& node) const {
    out.print(*node.object, kAtomPrecedence);
    out.write(".");
    out.write(node.attribute);
  }
  void operator()(const Call& node) const {
    out.print_callee(node);
    out.write("(");
    out.print_list(node.args);
    for (std::size_t i = 0; i < node.keywords.size(); ++i) {
      if (i > 0 || !node.args.empty()) out.write(", ");
      out.write(node.keywords[i].name);
      out.write("=");
      out.print(*node.keywords[i].value);
    }
    out.write(")");
  }
  void operator()(const Unary& node) const {
    const bool is_not = node.op == UnaryOp::logical_not;
    const int own = is_not ? kNot : kUnaryPrecedence;
    parenthesised(own, [&] {
      out.write(is_not ? "not " : node.op == UnaryOp::negate ? "-" : "~");
      out.print(*node.operand, own);
    });
  }
  void operator()(const Binary& node) const {
    const int own = precedence(node.op);
    infix(node.lhs, spelling(node.op), node.rhs, own, own);
  }
  void operator()(const Compare& node) const {
    infix(node.lhs, spelling(node.op), node.rhs, kCompare, kCompare + 1);
  }
  void operator()(const Logical& node) const {
    const bool is_or = node.op == LogicalOp::logical_or;
    infix(node.lhs, is_or ? "or" : "and", node.rhs, is_or ? kOr : kAnd, is_or ? kOr : kAnd);
  }
  void operator()(const Sequence& node) const {
    const bool is_tuple = node.kind == Sequence::Kind::tuple;
    out.write(is_tuple ? "(" : "[");
    out.print_list(node.items);
    if (is_tuple && node.items.size() == 1) out.write(",");
    out.write(is_tuple ? ")" : "]");
  }
  void operator()(const Slice& node) const {
    if (node.lower) out.print(*node.lower);
    out.write(":");
    if (node.upper) out.print(*node.upper);
  }
  void operator()(const Subscript& node) const {
    out.print(*node.object, kAtomPrecedence);
    out.write("[");
    out.print_list(node.indices);
    out.write("]");
  }

  template <class Body>
  void parenthesised(int own, Body body) const {
    const bool needed = own < min_precedence;
    if (needed) out.write("(");
    body();
    if (needed) out.write(")");
  }
  void infix(const ExprPtr& lhs, std::string_view op, const ExprPtr& rhs, int own,
             int lhs_precedence) const {
    parenthesised(own, [&] {
      out.print(*lhs, lhs_precedence);
      out.write(" ");
      out.write(op);
      out.write(" ");
      out.print(*rhs, own + 1);
    });
  }
};

void Printer::print(const Expr& expr, int min_precedence) {
  std::visit(ExpressionWriter{*this, expr, min_precedence}, expr.node);
}

void Printer::print_list(const std::vector<ExprPtr>& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) write(", ");
    print(*items[i]);
  }
}

void Printer::write(std::string_view text, int precedence, int min_precedence) {
  const bool needed = precedence < min_precedence;
  if (needed) write("(");
  write(text);
  if (needed) write(")");
}

void Printer::print_name(const Name& name, const Expr&, int) {
  write(name.id.empty() ? "..." : std::string_view(name.id));
}

void Printer::print_callee(const Call& call) {
  print(*call.callee, kAtomPrecedence);
}

}  // namespace a2a3::ir
