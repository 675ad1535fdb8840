// SPDX-License-Identifier: Apache-2.0
#include "ir/printer.hpp"

#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "ir/parser.hpp"

namespace a2a3::ir::printer_test {
namespace {

template <class Node>
ExprPtr expr(Node node) {
  auto result = std::make_unique<Expr>();
  result->node = std::move(node);
  return result;
}

ExprPtr name(const std::string& id) {
  return expr(Name{id, kNoSlot});
}

ExprPtr parsed(const std::string& text) {
  auto result = parse_expression(std::make_shared<SourceFile>("text", text));
  EXPECT_EQ(format(result.diagnostics), "");
  return std::move(result.expr);
}

TEST(PrintExpr, ParenthesesFollowPrecedence) {
  const auto sum = [] { return expr(Binary{BinaryOp::add, name("a"), name("b")}); };
  EXPECT_EQ(print(*expr(Binary{BinaryOp::mul, sum(), name("c")})), "(a + b) * c");
  EXPECT_EQ(print(*expr(Binary{BinaryOp::sub, name("c"), sum()})), "c - (a + b)");
  EXPECT_EQ(print(*expr(Binary{BinaryOp::sub, sum(), name("c")})), "a + b - c");
  EXPECT_EQ(print(*expr(Unary{UnaryOp::negate, sum()})), "-(a + b)");
  EXPECT_EQ(print(*expr(Attribute{sum(), "x"})), "(a + b).x");
  EXPECT_EQ(print(*expr(Compare{CompareOp::lt, sum(), name("c")})), "a + b < c");
}

TEST(PrintExpr, NegativeLiteralsBindLikeTheirSign) {
  const auto minus_two = [] { return expr(IntLiteral{-2}); };
  EXPECT_EQ(print(*expr(Binary{BinaryOp::sub, name("a"), minus_two()})), "a - -2");
  EXPECT_EQ(print(*expr(Attribute{minus_two(), "x"})), "(-2).x");
  EXPECT_EQ(print(*expr(Attribute{expr(IntLiteral{2}), "x"})), "(2).x");
  const auto smallest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(print(*expr(IntLiteral{smallest})), "-9223372036854775808");
  EXPECT_EQ(std::get<IntLiteral>(parsed("-9223372036854775808")->node).value, smallest);
}

TEST(PrintExpr, FloatsReadBackAsFloats) {
  const auto text = [](double value) { return print(*expr(FloatLiteral{value, ""})); };
  EXPECT_EQ(text(1.0), "1.0");
  EXPECT_EQ(text(-0.5), "-0.5");
  EXPECT_EQ(text(1e300), "1e+300");
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(std::numeric_limits<double>::infinity()), "1e999");
  EXPECT_EQ(print(*expr(FloatLiteral{1.5, "1.50"})), "1.50");
}

TEST(PrintExpr, StringsAreEscaped) {
  const std::string value("a\"b\\\n\t\r\x01\x7F \xC3\xA9\0z", 14);
  const std::string text = print(*expr(StringLiteral{value}));
  EXPECT_EQ(text, "\"a\\\"b\\\\\\n\\t\\r\\x01\\x7f \xC3\xA9\\x00z\"");
  EXPECT_EQ(std::get<StringLiteral>(parsed(text)->node).value, value);
}

TEST(PrintExpr, CloneIsTheSameText) {
  const auto original =
      parsed("f(a, -1, k=[x[1:, :2], (1.5, \"s\", True, None)])(b.c and not d or e < 3)[i]");
  EXPECT_EQ(print(*clone(original)), print(*original));
  EXPECT_EQ(clone(ExprPtr()), nullptr);
}

/// A module with one kernel, parsed from text; what elaboration would fill is filled by hand.
Module module_of(const std::string& text) {
  auto file = parse_file(std::make_shared<SourceFile>("k.py", text));
  EXPECT_EQ(format(file.diagnostics), "");
  Module module;
  module.name = "M";
  for (auto& item : file.file.items) {
    module.functions.push_back(
        std::make_unique<Function>(std::move(std::get<ParsedFunction>(item).function)));
  }
  return module;
}

void capture(Module& module, const std::string& id, const StaticValue& value) {
  for (const auto& function : module.functions)
    (*function->captures)[id].value = value;
}

TEST(PrintModule, WritesCapturedConstants) {
  Module module = module_of(
      "@pl.jit.incore\ndef k(x: pl.Tensor[[N, M], T]):\n"
      "  y = f(N - M, F, S, OP, L, B, -M, M.x)\n  k(y)\n");
  capture(module, "N", Constant{std::int64_t{64}});
  capture(module, "M", Constant{std::int64_t{-2}});
  capture(module, "F", Constant{1.0});
  capture(module, "S", Constant{std::string("a\"b")});
  capture(module, "T", Constant{isa::DType::fp16});
  capture(module, "OP", Constant{EnumMember{"NotifyOp", "Set", 1}});
  capture(module, "L", Constant{ConstantList{{std::int64_t{1}}, {true}}});
  capture(module, "B", Constant{NoneValue{}});
  EXPECT_EQ(
      print(module),
      "import pypto.language as pl\n"
      "import pypto.language.distributed as pld\n\n\n"
      "@pl.program\n"
      "class M:\n"
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def k(self, x: pl.Tensor[[64, -2], pl.FP16]):\n"
      "        y = f(64 - -2, 1.0, \"a\\\"b\", pld.NotifyOp.Set, [1, True], None, --2, (-2).x)\n"
      "        self.k(y)\n");
}

TEST(PrintModule, NamesOfTheFunctionHideCapturedOnes) {
  Module module = module_of("@pl.jit\ndef k(x: pl.Tensor[[N], pl.FP32]):\n  N = 3\n  return N\n");
  capture(module, "N", Constant{std::int64_t{64}});
  module.functions[0]->kind = FunctionKind::chip;
  const std::string text = print(module);
  EXPECT_NE(text.find("x: pl.Tensor[[64], pl.FP32]"), std::string::npos) << text;
  EXPECT_NE(text.find("N = 3\n        return N\n"), std::string::npos) << text;
}

TEST(PrintModule, TwoDimensionsNeverShareAName) {
  Module module =
      module_of("@pl.jit.host\ndef k(x: pl.Tensor[[A, B, C], pl.FP32]):\n  NR = 1\n  return NR\n");
  module.functions[0]->kind = FunctionKind::host;
  module.dynamic_dims = {{"NR", {}}, {"NR", {}}};
  capture(module, "A", Constant{DynamicDim{0}});
  capture(module, "B", Constant{DynamicDim{1}});
  capture(module, "C", Dim::symbol(0) * Dim::symbol(1) * Dim(4) - Dim(3));
  EXPECT_EQ(print(module),
            "import pypto.language as pl\n"
            "import pypto.language.distributed as pld\n\n"
            "NR_2 = pl.dynamic(\"NR\")\n"
            "NR_3 = pl.dynamic(\"NR\")\n\n\n"
            "@pl.program\n"
            "class M:\n"
            "    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"
            "    def k(self, x: pl.Tensor[[NR_2, NR_3, -3 + NR_2 * NR_3 * 4], pl.FP32]):\n"
            "        NR = 1\n"
            "        return NR\n");
}

TEST(PrintModule, LoopsAreWrittenFromWhatTheCheckerMadeOfThem) {
  Module module = module_of(
      "@pl.jit.incore\ndef k(n):\n  for i, (a,) in pl.pipeline(n, init_values=(b,), stage=2):\n"
      "    pass\n");
  auto& loop = std::get<For>(module.functions[0]->body.at(0).node);
  loop.start = expr(IntLiteral{1});
  loop.stop = name("n");
  EXPECT_NE(print(module).find("for i, (a,) in pl.pipeline(1, n, init_values=(b,), stage=2):"),
            std::string::npos)
      << print(module);
}

}  // namespace
}  // namespace a2a3::ir::printer_test
