// SPDX-License-Identifier: Apache-2.0
#include "ir/parser.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "ir/printer.hpp"

namespace a2a3::ir::parser_test {
namespace {

SourceFilePtr source(const std::string& text) {
  return std::make_shared<SourceFile>("k.py", text);
}

std::string errors(const Diagnostics& diagnostics) {
  std::string result;
  for (const Diagnostic& d : diagnostics.all()) {
    result += std::to_string(d.location.line) + ":" + std::to_string(d.location.column) + " " +
              d.message + "\n";
  }
  return result;
}

std::string errors(const std::string& text) {
  return errors(parse_file(source(text)).diagnostics);
}

/// The statements of a kernel with this body, each indented already.
Block body(const std::string& statements) {
  ParsedFile parsed = parse_file(source("@pl.jit.incore\ndef k(a):\n" + statements));
  EXPECT_EQ(parsed.file.items.size(), 1u);
  return std::move(std::get<ParsedFunction>(parsed.file.items.at(0)).function.body);
}

std::string where(const SourceLocation& at) {
  return std::to_string(at.line) + ":" + std::to_string(at.column) + "+" +
         std::to_string(at.length);
}

TEST(ParseFile, FilesWithoutKernelsAreEmpty) {
  for (const std::string text :
       {"", "\n", "# nothing", "import torch\nprint('x')\n", "\"\"\"doc\"\"\"",
        "def f(x):\n    return x ** 2\n", "class A(B): pass"}) {
    const ParsedFile parsed = parse_file(source(text));
    EXPECT_EQ(errors(parsed.diagnostics), "") << text;
    EXPECT_TRUE(parsed.file.items.empty()) << text;
  }
}

TEST(ParseFile, KeepsDecoratorsAndSelf) {
  const ParsedFile parsed = parse_file(source(
      "@pl.program\nclass A:\n  @other.thing(1)\n  @pl.function(level=pl.Level.HOST, role=X)\n"
      "  def host(self, x: pl.Tensor[[1], pl.FP32]) -> pl.Tensor[[1], pl.FP32]:\n    return x\n"));
  EXPECT_EQ(errors(parsed.diagnostics), "");
  const auto& method = std::get<ParsedClass>(parsed.file.items.at(0)).methods.at(0);
  ASSERT_EQ(method.decorators.size(), 1u);
  EXPECT_EQ(method.decorators[0].name, "pl.function");
  EXPECT_EQ(where(method.decorators[0].location), "4:3+12");
  EXPECT_EQ(method.decorators[0].keywords.at(1).name, "role");
  EXPECT_TRUE(method.has_self);
  ASSERT_EQ(method.function.parameters.size(), 2u);
  EXPECT_EQ(method.function.parameters[1].name, "x");
  EXPECT_EQ(where(method.function.parameters[1].location), "5:18+1");
  EXPECT_EQ(where(method.function.location), "5:7+4");
  EXPECT_TRUE(method.function.result_annotation.has_value());
}

TEST(ParseFile, ExpressionsKnowTheirRange) {
  const Block block = body("  x = pl.add(a, (b + c) * d)\n  y = f(a,\n        b)\n");
  const auto& call = *std::get<Assign>(block.at(0).node).value;
  EXPECT_EQ(where(call.location), "3:7+22");
  const auto& product = *std::get<Call>(call.node).args.at(1);
  EXPECT_EQ(where(product.location), "3:17+11");
  const auto& sum = *std::get<Binary>(product.node).lhs;
  EXPECT_EQ(where(sum.location), "3:18+5");
  EXPECT_EQ(where(block.at(0).location), "3:3+26");
  // What goes on on the next line is cut.
  EXPECT_EQ(where(std::get<Assign>(block.at(1).node).value->location), "4:7+4");
}

TEST(ParseFile, LoopsKnowTheirParts) {
  const Block block = body("  for i, (s, t) in pl.range(0, n, init_values=(a, b)):\n    pass\n");
  const auto& loop = std::get<For>(block.at(0).node);
  EXPECT_EQ(loop.kind, LoopKind::range);
  EXPECT_EQ(loop.index.id, "i");
  ASSERT_EQ(loop.carried.size(), 2u);
  EXPECT_EQ(loop.carried[1].id, "t");
  ASSERT_EQ(loop.init_values.size(), 2u);
  EXPECT_EQ(print(*loop.init_values[1]), "b");
  EXPECT_EQ(print(*loop.iterator), "pl.range(0, n, init_values=(a, b))");
  EXPECT_EQ(where(block.at(0).location), "3:3+51");
}

TEST(ParseFile, WhatDoesNotParseIsKeptAsAPlaceholder) {
  const Block block =
      body("  x = a ** 2\n  for i in range(3):\n    y = i\n  if a ** 2:\n    z = 1\n");
  ASSERT_EQ(block.size(), 3u);
  const auto& assign = std::get<Assign>(block[0].node);
  EXPECT_EQ(assign.names.at(0).id, "x");
  EXPECT_TRUE(is_unparsed(*assign.value));
  const auto& loop = std::get<While>(block[1].node);
  EXPECT_TRUE(is_unparsed(*loop.condition));
  EXPECT_EQ(std::get<Assign>(loop.body.at(0).node).names.at(0).id, "i");
  EXPECT_EQ(std::get<Assign>(loop.body.at(1).node).names.at(0).id, "y");
  EXPECT_TRUE(is_unparsed(*std::get<If>(block[2].node).condition));
}

TEST(ParseFile, ManyErrorsAreCounted) {
  std::string text = "@pl.jit\ndef k(a):\n";
  for (int i = 0; i < 250; ++i)
    text += "  a += 1\n";
  const ParsedFile parsed = parse_file(source(text));
  EXPECT_EQ(parsed.diagnostics.all().size(), kMostErrors + 1);
  EXPECT_EQ(parsed.diagnostics.all().back().message, "and 150 more errors");
}

TEST(ParseFile, BinaryFilesAreOneError) {
  std::string text =
      "\x7F"
      "ELF";
  for (int i = 0; i < 100000; ++i)
    text += static_cast<char>(i * 7919 % 251);
  EXPECT_EQ(parse_file(source(text)).diagnostics.all().size(), 1u);
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

TEST(ParseFile, NestingTenThousandDeepIsOneErrorThatNamesTheOption) {
  const std::size_t n = 10000;
  const std::string header = "@pl.jit\ndef k(a):\n";
  const std::vector<std::string> texts = {
      "X = " + repeated("(", n) + "1" + repeated(")", n) + "\n",
      header + "  x = " + repeated("(", n) + "1" + repeated(")", n) + "\n",
      header + "  x = " + repeated("[", n) + "\n",
      header + "  x = " + repeated("f(", n) + "\n",
      header + "  x = " + repeated("a[", n) + "\n",
      header + "  x = " + repeated("-", n) + "a\n",
      header + "  x = " + repeated("not ", n) + "a\n",
      header + "  x = a" + repeated(" + a", n) + "\n",
      header + "  x = a" + repeated(".a", n) + "\n",
      header + "  x = a" + repeated("()", n) + "\n",
      header + "  x = a" + repeated(" and a", n) + "\n",
      header + "  if a: pass\n" + repeated("  elif a: pass\n", n),
  };
  for (const std::string& text : texts) {
    const std::string found = errors(text);
    EXPECT_NE(found.find("--max-nesting"), std::string::npos) << text.substr(0, 60) << '\n'
                                                              << found;
    EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 1) << text.substr(0, 60) << '\n'
                                                               << found;
  }
}

TEST(ParseFile, NestingUpToTheLimitIsFine) {
  ParseLimits limits;
  limits.max_nesting = 1000000;  // counts as kDeepestNesting
  const std::size_t n = kDeepestNesting - 2;
  std::string text = "@pl.jit\ndef k(a):\n";
  std::string indent = "  ";
  for (std::size_t i = 0; i < n - 2; ++i, indent += ' ')
    text += indent + "if a:\n";
  text += indent + "x = " + repeated("a or b and c == d << e + f * -g(", n) + "1" +
          repeated(")", n) + "\n";
  // The heights of nested operators add up, those of brackets alone do not.
  EXPECT_NE(errors(parse_file(source(text), limits).diagnostics).find("--max-nesting"),
            std::string::npos);
  text =
      text.substr(0, text.find("x = ")) + "x = " + repeated("(", n) + "1" + repeated(")", n) + "\n";
  const ParsedFile parsed = parse_file(source(text), limits);
  EXPECT_EQ(errors(parsed.diagnostics), "");
  EXPECT_FALSE(print(parsed.file).empty());
}

TEST(ParseFile, ReadsEveryFunctionOfAMegabyte) {
  const std::string kernel =
      "@pl.jit.incore\ndef k(a: pl.Tensor[[1, 64], pl.FP32], b, c):\n"
      "  for i in pl.range(8):\n    if a != i:\n      x = pl.load(a, [0, i * 64], [1, 64])\n"
      "  return pl.store(x, [0, 0], b)\n\n";
  const std::size_t count = (1u << 20) / kernel.size();
  const ParsedFile parsed = parse_file(source(repeated(kernel, count)));
  EXPECT_EQ(errors(parsed.diagnostics), "");
  EXPECT_EQ(parsed.file.items.size(), count);
}

/// Their time is measured by tests/bench/parser_bench.cpp.
TEST(ParseFile, LargeFaultyAndOddFilesAreReadToTheEnd) {
  const std::string header = "@pl.jit\ndef k(a):\n";
  const std::size_t n = 1u << 16;
  const std::vector<std::string> texts = {
      repeated(")", n),
      repeated("x = 1\n", n),
      repeated("x = 1 if a else 2\n", n),
      header + "  x = [" + repeated("1, ", n) + "]\n",
      header + "  x = [" + repeated("?, ", n) + "]\n",
      header + repeated("  x = (a b)\n", n),
      header + repeated("  x = (a\n", n),
      header + repeated("\tx = 1\n  y = 2\n", n),
      header + "  x = " + repeated("f'{a}' ", n) + "\n",
      header + "  x = " + repeated("'", n) + "\n",
      "@pl.jit\ndef k(" + repeated("a b,", n) + "):\n  pass\n",
      "@pl.jit\ndef k(" + repeated("a: ),", n) + "\n",
      repeated("def f():\n  @pl.jit\n  def g(a): pass\n", n / 4),
      "def f():\n" + repeated("  def g():\n    pass\n", n / 4) + "  @pl.jit\n  def h(a): pass\n",
      header + "  f(" + repeated("k=1, ", n) + ")\n",
  };
  for (const std::string& text : texts) {
    const SourceFilePtr file = source(text);
    const ParsedFile parsed = parse_file(file);
    const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
    for (const Diagnostic& diagnostic : parsed.diagnostics.all())
      EXPECT_LE(diagnostic.location.line, lines) << text.substr(0, 60);
  }
}

TEST(ParseExpression, TakesTheWholeText) {
  const auto parsed = parse_expression(source("concat(x) * w[0]\n  + sum(x[(r + 1) % P])"));
  ASSERT_NE(parsed.expr, nullptr) << errors(parsed.diagnostics);
  EXPECT_EQ(print(*parsed.expr), "concat(x) * w[0] + sum(x[(r + 1) % P])");
}

TEST(ParseExpression, ReportsWhatIsNoExpression) {
  const auto found = [](const std::string& text) {
    const auto parsed = parse_expression(source(text));
    EXPECT_EQ(parsed.expr, nullptr);
    return errors(parsed.diagnostics);
  };
  EXPECT_EQ(found(""), "1:1 expected an expression, got end of file\n");
  EXPECT_EQ(found("a b"), "1:3 expected end of expression, got 'b'\n");
  EXPECT_EQ(found("a +"), "1:4 expected an expression, got end of file\n");
  EXPECT_EQ(found("x = 1"), "1:3 expected end of expression, got '='\n");
  EXPECT_EQ(found("(a"), "1:1 '(' was never closed\n");
  EXPECT_EQ(found("a if b else c"),
            "1:1 Unsupported expression type: IfExp; use an if statement\n");
}

}  // namespace
}  // namespace a2a3::ir::parser_test
