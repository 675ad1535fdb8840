// SPDX-License-Identifier: Apache-2.0
// Random programs: what the printer writes parses, and prints as the same text again.
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "ir/parser.hpp"
#include "ir/printer.hpp"

namespace a2a3::ir::ir_printer_test {
namespace {

/// Random syntax trees of everything that the parser can make.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  ExprPtr expression(int depth) {
    if (depth == 0) return atom();
    switch (below(10)) {
      case 0:
        return make(Unary{pick<UnaryOp, 3>(), expression(depth - 1)});
      case 1:
      case 2:
        return make(Binary{pick<BinaryOp, 8>(), expression(depth - 1), expression(depth - 1)});
      case 3:
        return make(Compare{pick<CompareOp, 6>(), expression(depth - 1), expression(depth - 1)});
      case 4:
        return make(Logical{pick<LogicalOp, 2>(), expression(depth - 1), expression(depth - 1)});
      case 5:
        return make(Attribute{expression(depth - 1), id()});
      case 6:
        return call(depth);
      case 7:
        return make(Sequence{pick<Sequence::Kind, 2>(), expressions(depth - 1, below(4))});
      case 8:
        return subscript(depth);
      default:
        return atom();
    }
  }

  Block block(int depth) {
    Block result;
    for (std::size_t n = below(4); n > 0; --n)
      result.push_back(statement(depth));
    return result;
  }

  File file() {
    File result;
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      if (below(3) == 0) {
        ConstantDef constant;
        constant.name = id();
        constant.value = expression(2);
        result.items.emplace_back(std::move(constant));
      } else if (below(3) == 0) {
        ParsedClass program;
        program.name = id();
        if (below(2) == 0) program.docstring = text();
        for (std::size_t m = below(3); m > 0; --m) {
          program.methods.push_back(function("pl.function"));
        }
        result.items.emplace_back(std::move(program));
      } else {
        result.items.emplace_back(function("pl.jit.incore"));
      }
    }
    return result;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  template <class Enum, int count>
  Enum pick() {
    return static_cast<Enum>(below(count));
  }
  template <class Node>
  static ExprPtr make(Node node) {
    auto result = std::make_unique<Expr>();
    result->node = std::move(node);
    return result;
  }
  template <class Node>
  static Stmt stmt(Node node) {
    return {std::move(node), {}};
  }

  std::string id() {
    static constexpr std::array<const char*, 8> kNames = {"a",  "b",      "pl",   "self",
                                                          "x1", "_under", "变量", "rank"};
    return kNames[below(kNames.size())];
  }
  Name name() { return {id(), kNoSlot}; }
  std::vector<Name> names(std::size_t count) {
    std::vector<Name> result;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back(name());
    return result;
  }
  std::string text() {
    static constexpr std::array<std::string_view, 12> kParts = {
        "\"", "\\", "\n", "\t", "'", "\"\"\"", "é", "漢", "\x01", "plain", " ", "{x}"};
    std::string result;
    for (std::size_t n = below(6); n > 0; --n)
      result += kParts[below(kParts.size())];
    return result;
  }

  ExprPtr atom() {
    switch (below(7)) {
      case 0:
        return make(IntLiteral{static_cast<std::int64_t>(random_() >> below(64))});
      case 1:
        return make(IntLiteral{-static_cast<std::int64_t>(below(100))});
      case 2:
        return make(FloatLiteral{
            std::ldexp(static_cast<double>(below(1000)), static_cast<int>(below(100)) - 50), ""});
      case 3:
        return make(StringLiteral{text()});
      case 4:
        return make(BoolLiteral{below(2) == 0});
      case 5:
        return make(NoneLiteral{});
      default:
        return make(name());
    }
  }
  std::vector<ExprPtr> expressions(int depth, std::size_t count) {
    std::vector<ExprPtr> result;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back(expression(depth));
    return result;
  }
  ExprPtr call(int depth) {
    Call result;
    result.callee = expression(depth - 1);
    result.args = expressions(depth - 1, below(3));
    for (std::size_t n = below(3); n > 0; --n) {
      result.keywords.push_back({"k" + std::to_string(n), expression(depth - 1), {}});
    }
    return make(std::move(result));
  }
  ExprPtr subscript(int depth) {
    Subscript result;
    result.object = expression(depth - 1);
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      if (below(3) > 0) {
        result.indices.push_back(expression(depth - 1));
      } else {
        result.indices.push_back(make(Slice{below(2) ? expression(depth - 1) : nullptr,
                                            below(2) ? expression(depth - 1) : nullptr}));
      }
    }
    return make(std::move(result));
  }

  Stmt statement(int depth) {
    switch (below(depth > 0 ? 12 : 7)) {
      case 0:
        return stmt(Pass{});
      case 1:
        return stmt(ExprStmt{call(2)});
      case 2:
        return stmt(Return{below(3) ? expression(2) : nullptr});
      case 3:
        return assign(names(1), expression(3));
      case 4:
        return assign(names(2 + below(2)), call(2));
      case 5: {
        Assign node;
        node.subscript = subscript(2);
        node.value = expression(2);
        return stmt(std::move(node));
      }
      case 6:
        return below(2) ? stmt(Break{}) : stmt(Continue{});
      case 7:
        return loop(depth);
      case 8:
        return stmt(While{expression(2), block(depth - 1)});
      case 9:
        return stmt(
            With{call(2), below(2) ? std::optional(name()) : std::nullopt, block(depth - 1)});
      default:
        return condition(depth);
    }
  }
  Stmt assign(std::vector<Name> targets, ExprPtr value) {
    Assign node;
    node.names = std::move(targets);
    node.value = std::move(value);
    if (node.names.size() == 1 && below(4) == 0) node.annotation = annotation();
    return stmt(std::move(node));
  }
  Stmt loop(int depth) {
    static constexpr std::array<const char*, 4> kForms = {"range", "parallel", "unroll", "spmd"};
    For node;
    const bool is_while = below(5) == 0;
    if (!is_while) node.index = name();
    node.carried = names(below(3));
    auto iterator = call(2);
    std::get<Call>(iterator->node).callee = make(
        Attribute{make(Name{"pl", kNoSlot}), is_while ? "while_" : kForms[below(kForms.size())]});
    node.iterator = std::move(iterator);
    node.body = block(depth - 1);
    return stmt(std::move(node));
  }
  Stmt condition(int depth) {
    If node{expression(2), block(depth - 1), {}, false};
    if (below(2) == 0) {
      node.else_body = block(depth - 1);
    } else if (below(2) == 0) {
      node.else_body.push_back(condition(depth - 1 > 0 ? depth - 1 : 1));
      node.is_elif_chain = below(2) == 0;
    }
    return stmt(std::move(node));
  }

  TypeExpr annotation() {
    Subscript type;
    type.object = make(Attribute{make(Name{"pl", kNoSlot}), "Tensor"});
    type.indices.push_back(make(Sequence{Sequence::Kind::list, expressions(0, 0)}));
    type.indices.push_back(make(name()));
    return {make(std::move(type))};
  }
  ParsedFunction function(const char* decorator) {
    ParsedFunction result;
    Decorator own{decorator, {}, {}};
    for (std::size_t n = below(3); n > 0; --n) {
      own.keywords.push_back({"k" + std::to_string(n), expression(2), {}});
    }
    result.decorators.push_back(std::move(own));
    Function& out = result.function;
    out.name = id();
    for (std::size_t n = below(8); n > 0; --n) {
      Parameter parameter;
      parameter.name = "p" + std::to_string(n);
      if (below(2) == 0) parameter.annotation = annotation();
      out.parameters.push_back(std::move(parameter));
    }
    if (below(3) == 0) out.result_annotation = annotation();
    if (below(3) == 0) out.docstring = text();
    out.body = block(3);
    return result;
  }

  std::mt19937_64 random_;
};

SourceFilePtr source(std::string text) {
  return std::make_shared<SourceFile>("printed.py", std::move(text));
}

TEST(PrinterProperty, ExpressionsPrintParseAndPrintAlike) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Generator generator(seed);
    const std::string text = print(*generator.expression(1 + static_cast<int>(seed % 6)));
    const auto parsed = parse_expression(source(text));
    ASSERT_NE(parsed.expr, nullptr) << "seed " << seed << '\n' << format(parsed.diagnostics);
    ASSERT_EQ(print(*parsed.expr), text) << "seed " << seed;
  }
}

TEST(PrinterProperty, FilesPrintParseAndPrintAlike) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Generator generator(seed);
    const std::string text = print(generator.file());
    const auto parsed = parse_file(source(text));
    ASSERT_EQ(format(parsed.diagnostics), "") << "seed " << seed << '\n' << text;
    ASSERT_EQ(print(parsed.file), text) << "seed " << seed;
  }
}

}  // namespace
}  // namespace a2a3::ir::ir_printer_test
