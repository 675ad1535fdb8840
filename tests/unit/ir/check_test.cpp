// SPDX-License-Identifier: Apache-2.0
// What a checked module guarantees to the interpreter; the diagnostics are in tests/golden/verify.
#include "ir/check.hpp"

#include <gtest/gtest.h>

#include "ir/elaborate.hpp"
#include "ir/op.hpp"
#include "ir/parser.hpp"
#include "ir/walk.hpp"

namespace a2a3::ir::check_test {
namespace {

/// The module of a program whose kernel has this body; `data` is [NR, 64] FP32, `cells` [NR, 1].
std::unique_ptr<Module> checked(const std::string& body, const std::string& warning = "") {
  const std::string signature =
      "(x: pl.Tensor[[4, 64], pl.FP32], y: pl.Out[pl.Tensor[[4, 64], pl.FP32]], data: "
      "pld.DistributedTensor[[NR, 64], pl.FP32], cells: pld.DistributedTensor[[NR, 1], pl.INT32], "
      "n: pl.Scalar[pl.INT32]):\n";
  const std::string text =
      "NR = pl.dynamic(\"NR\")\nTOTAL = NR * 64\nSIZE = 64\nSHAPE = [1, SIZE]\n@pl.jit.incore\ndef "
      "kernel" +
      signature + body + "@pl.jit\ndef chip" + signature +
      "    kernel(cells=cells, n=n, x=x, y=y, data=data)\n@pl.jit.host\ndef host(x: pl.Tensor[[4, "
      "64], pl.FP32], y: pl.Out[pl.Tensor[[4, 64], pl.FP32]]):\n    p = pld.world_size()\n    db = "
      "pld.alloc_window_buffer(p * 256)\n    cb = pld.alloc_window_buffer([p, 1], "
      "dtype=pl.INT32)\n    for r in pl.range(p):\n        chip(x, y, pld.window(db, [p, 64], "
      "dtype=pl.FP32), pld.window(cb, [p, 1], dtype=pl.INT32), r, device=r)\n";
  auto parsed = parse_file(std::make_shared<SourceFile>("test.py", text));
  EXPECT_EQ(format(parsed.diagnostics), "");
  auto elaborated = elaborate(std::move(parsed.file), {});
  EXPECT_EQ(format(elaborated.diagnostics), "");
  const std::string found = format(check(*elaborated.module));
  EXPECT_EQ(found.substr(0, found.find('\n')), warning);
  return std::move(elaborated.module);
}

const Call& nth_call(const Block& block, std::size_t n) {
  std::vector<const Call*> calls;
  walk(block, [&](const Expr& expr) {
    if (const auto* call = std::get_if<Call>(&expr.node)) calls.push_back(call);
  });
  return *calls.at(n);
}

const Expr& value_of(const Stmt& stmt) {
  return *std::get<Assign>(stmt.node).value;
}

TEST(Check, BindsOperandsToFormalParameters) {
  const auto module = checked(
      "    pld.system.notify(cells, offsets=[n, 0], peer=0, op=pld.NotifyOp.AtomicAdd, value=1)\n"
      "    pld.system.wait(cells, [n, 0], 1, cmp=1)\n");
  const Block& body = module->find("kernel")->body;
  const Call& notify = nth_call(body, 0);
  ASSERT_EQ(notify.op, &op_info(OpId::notify));
  EXPECT_EQ(notify.operands, (std::vector<std::int32_t>{0, -3, -2, -5, -4}));
  EXPECT_EQ(std::get<IntLiteral>(notify.operand(3)->node).value, 1);
  const Call& wait = nth_call(body, 1);
  ASSERT_EQ(wait.op, &op_info(OpId::wait));
  EXPECT_EQ(*wait.operand(3)->constant, (Constant{EnumMember{"WaitCmp", "Ge", 1}}))
      << "an enum written as its integer becomes the member";
}

TEST(Check, PutsArgumentsInParameterOrder) {
  const auto module = checked("    pass\n");
  const Call& call = nth_call(module->find("chip")->body, 0);
  ASSERT_EQ(call.function, module->find("kernel"));
  EXPECT_TRUE(call.keywords.empty());
  std::string order;
  for (const ExprPtr& argument : call.args)
    order += std::get<Name>(argument->node).id + " ";
  EXPECT_EQ(order, "x y data cells n ");
}

TEST(Check, ResolvesNamesToSlotsAndCapturesToConstants) {
  const auto module = checked(
      "    m = n + 1\n    m = m * SIZE\n    k = NR\n    k = TOTAL - 64\n    t = pl.load(x, [0, 0], "
      "SHAPE)\n");
  const Function& kernel = *module->find("kernel");
  ASSERT_EQ(kernel.slot_names,
            (std::vector<std::string>{"x", "y", "data", "cells", "n", "m", "k", "t"}));
  EXPECT_EQ(std::get<Assign>(kernel.body[0].node).names[0].slot, 5);
  const auto& product = std::get<Binary>(value_of(kernel.body[1]).node);
  EXPECT_EQ(std::get<Name>(product.lhs->node).slot, 5);
  EXPECT_EQ(*product.rhs->constant, Constant{std::int64_t{64}});
  EXPECT_EQ(*value_of(kernel.body[2]).constant, Constant{DynamicDim{0}});
  EXPECT_EQ(value_of(kernel.body[2]).type, Type::scalar(isa::DType::index));
  const auto& total = std::get<Binary>(std::get<Binary>(value_of(kernel.body[3]).node).lhs->node);
  EXPECT_EQ(*total.lhs->constant, Constant{DynamicDim{0}}) << "NR * 64 is written out";
  const auto& shape = std::get<Sequence>(nth_call(kernel.body, 0).operand(2)->node);
  EXPECT_EQ(shape.items.size(), 2u) << "a captured list is written out";
}

TEST(Check, TypesScalars) {
  const auto module = checked(
      "    a = n + n\n    b = n + 1\n    c = n == 1\n    d = pld.rank(pld.get_comm_ctx(data))\n    "
      "e = 1.5\n    f = pl.cast(n, pl.FP32)\n    g = -7 // 2\n    for i in pl.range(2):\n        h "
      "= i\n",
      "test.py:13:9: warning: // has a negative operand in a kernel");
  const Block& body = module->find("kernel")->body;
  const isa::DType expected[] = {isa::DType::int32, isa::DType::int32, isa::DType::boolean,
                                 isa::DType::int32, isa::DType::fp32,  isa::DType::fp32,
                                 isa::DType::index};
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(value_of(body[i]).type, Type::scalar(expected[i])) << "statement " << i;
  }
  EXPECT_EQ(*value_of(body[6]).constant, Constant{std::int64_t{-3}}) << "kernels truncate";
  const auto& loop = std::get<For>(body[7].node);
  EXPECT_EQ(value_of(loop.body[0]).type, Type::scalar(isa::DType::index));
  ASSERT_NE(loop.stop, nullptr);
  EXPECT_EQ(*loop.stop->constant, Constant{std::int64_t{2}});
  EXPECT_EQ(loop.start, nullptr);
}

TEST(Check, AResultIsTheBufferThatWasWritten) {
  const auto module = checked(
      "    t = pl.load(x, [0, 0], [1, 64])\n    data = pl.store(t, [n, 0], data)\n    y = "
      "pl.store(t, [0, 0], y)\n    if n == 0:\n        return y\n    return "
      "pl.store(pl.load(data, [0, 0], [1, 64]), [1, 0], y)\n");
  const Function& kernel = *module->find("kernel");
  EXPECT_EQ(kernel.result_parameters, std::vector<std::int32_t>{1});
  EXPECT_EQ(value_of(kernel.body[1]).type, kernel.parameters[2].type);
  EXPECT_EQ(module->describe(kernel.result), "Out[Tensor[[4, 64], FP32]]");
  EXPECT_EQ(module->find("host")->result, Type::none());
}

TEST(Check, EveryExpressionOfAValidProgramHasAType) {
  const auto module = checked(
      "    t = pl.load(x, [0, 0], [1, 64], valid_shape=[1, n])\n    while n < 3 and not (n == 2):\n"
      "        t = t * 2.0 + t\n        n = n + 1\n    y = pl.store(t, [0, 0], y)\n");
  for (const auto& function : module->functions) {
    walk(function->body, [&](const Expr& expr) {
      if (std::holds_alternative<Call>(expr.node) || std::holds_alternative<Binary>(expr.node) ||
          std::holds_alternative<IntLiteral>(expr.node)) {
        EXPECT_NE(expr.type.kind, TypeKind::unknown)
            << expr.location.line << ":" << expr.location.column;
      }
    });
  }
}

TEST(EvaluateDim, BindsDynamicDimsTheWorldAndQuotients) {
  Module module;
  module.dynamic_dims.push_back({"NR", {}});
  const Dim half = module.quotient(Dim::symbol(0), Dim(2));
  EXPECT_EQ(module.quotient(Dim::symbol(0), Dim(2)), half) << "equal quotients are one symbol";
  const Dim dim = half * 64 + Dim::world_size();
  EXPECT_EQ(evaluate(module, dim, {{{0, 5}}, 3}), 131);
  EXPECT_EQ(evaluate(module, dim, {{{0, 5}}, std::nullopt}), std::nullopt);
  EXPECT_EQ(evaluate(module, dim, {{}, 3}), std::nullopt);
  EXPECT_EQ(evaluate(module, module.add_opaque("n"), {{{0, 5}}, 3}), std::nullopt);
  EXPECT_EQ(module.describe(half), "(NR // 2)");
}

TEST(Check, FoldsInTheDtypeOfTheOperands) {
  const auto module = checked(
      "    a = pl.const(2147483647, pl.INT32) + pl.const(1, pl.INT32)\n    b = -pl.const(-128, "
      "pl.INT8)\n    c = pl.const(255, pl.UINT8) + 1\n    d = pl.cast(-pl.const(1, pl.INT32), "
      "pl.FP32)\n",
      "test.py:7:9: warning: wraps around: 2147483648 does not fit into INT32");
  const Block& body = module->find("kernel")->body;
  EXPECT_EQ(value_of(body[0]).type, Type::scalar(isa::DType::int32));
  EXPECT_EQ(*value_of(body[0]).constant, Constant{std::int64_t{-2147483648}});
  EXPECT_EQ(value_of(body[1]).type, Type::scalar(isa::DType::int8));
  EXPECT_EQ(*value_of(body[1]).constant, Constant{std::int64_t{-128}});
  EXPECT_EQ(value_of(body[2]).type, Type::scalar(isa::DType::uint8));
  EXPECT_EQ(*value_of(body[2]).constant, Constant{std::int64_t{0}});
}

TEST(Check, AnIntegerWithoutADtypeTakesTheOtherOperands) {
  const std::vector<std::pair<std::string, isa::DType>> cases{
      {"n + 1", isa::DType::int32},
      {"2 * n", isa::DType::int32},
      {"n - SIZE", isa::DType::int32},
      {"n * (SIZE // 2 - 1)", isa::DType::int32},
      {"n * pl.FP32.get_byte()", isa::DType::int32},
      {"n % -3", isa::DType::int32},
      {"n << 2", isa::DType::int32},
      {"pl.min(n, 3)", isa::DType::int32},
      {"pl.max(0, n)", isa::DType::int32},
      {"pl.add(n, 7)", isa::DType::int32},
      {"pl.maximum(7, n)", isa::DType::int32},
      {"pl.const(7, pl.INT16) * 3", isa::DType::int16},
      {"n + NR", isa::DType::index},
      {"n + pl.const(1, pl.INDEX)", isa::DType::index},
      {"n + 5000000000", isa::DType::index},
      {"pl.const(7, pl.INT8) + 200", isa::DType::index},
      {"pl.const(7, pl.INT8) + n", isa::DType::index},
  };
  for (const auto& [text, dtype] : cases) {
    const auto module = checked("    a = " + text + "\n");
    EXPECT_EQ(value_of(module->find("kernel")->body[0]).type, Type::scalar(dtype)) << text;
  }
}

TEST(Check, AnAnnotatedConstantHasTheDeclaredDtype) {
  const auto module = checked("    a: pl.Scalar[pl.INT8] = 5\n    b = a + a\n");
  const Block& body = module->find("kernel")->body;
  EXPECT_EQ(value_of(body[0]).type, Type::scalar(isa::DType::int8));
  EXPECT_EQ(value_of(body[1]).type, Type::scalar(isa::DType::int8));
}

TEST(Check, WhatAListKnowsBeforeTheRunIsAConstant) {
  const auto module = checked("    k = 64\n    t = pl.load(x, [0, 0], [1, k])\n");
  const auto& shape =
      std::get<Sequence>(nth_call(module->find("kernel")->body, 0).operand(2)->node);
  ASSERT_TRUE(shape.items[1]->constant.has_value());
  EXPECT_EQ(*shape.items[1]->constant, Constant{std::int64_t{64}});
}

TEST(Check, BranchesCostWhatTheyAssign) {
  std::string body;
  for (int i = 0; i < 5000; ++i) {
    const std::string name = "v" + std::to_string(i);
    body += "    " + name + " = n + 1\n    if n == 1:\n        " + name + " = n\n";
  }
  const auto module = checked(body);
  EXPECT_EQ(module->find("kernel")->slot_names.size(), 5005u);
}

TEST(Check, PowersOfRunTimeScalarsEnd) {
  std::string body = "    v = n + 2\n";
  for (int i = 0; i < 40; ++i)
    body += "    v = v * v\n";
  EXPECT_NE(checked(body), nullptr);
}

TEST(Check, CountsErrorsBehindTheFirstHundred) {
  std::string text = "@pl.jit.host\ndef host():\n";
  for (int i = 0; i < 3000; ++i)
    text += "    a" + std::to_string(i) + " = b" + std::to_string(i) + "\n";
  text += "    c = " + std::string(1u << 20, 'x') + "\n";
  auto parsed = parse_file(std::make_shared<SourceFile>("test.py", text));
  auto elaborated = elaborate(std::move(parsed.file), {});
  const Diagnostics diagnostics = check(*elaborated.module);
  ASSERT_EQ(diagnostics.all().size(), kMostErrors + 1);
  EXPECT_EQ(diagnostics.all().back().message, "and 2901 more errors");
}

}  // namespace
}  // namespace a2a3::ir::check_test
