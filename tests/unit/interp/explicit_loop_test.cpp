// SPDX-License-Identifier: Apache-2.0
// The explicit form of loops (init_values and pl.yield_). The checker refuses it so far, so the
// names are resolved here: every name is an INDEX scalar.
#include <algorithm>

#include <gtest/gtest.h>

#include "interp/flatten.hpp"
#include "interp/frame.hpp"
#include "ir/parser.hpp"
#include "kernels.hpp"

namespace a2a3::interp {
namespace {

class Resolver {
 public:
  void function(ir::Function& function) {
    function_ = &function;
    block(function.body);
  }

 private:
  void name(ir::Name& name) {
    if (name.id.empty()) return;
    auto& names = function_->slot_names;
    const auto found = std::find(names.begin(), names.end(), name.id);
    name.slot = static_cast<ir::Slot>(found - names.begin());
    if (found == names.end()) names.push_back(name.id);
  }

  void expression(const ir::ExprPtr& expr) {
    if (!expr) return;
    expr->type = ir::Type::scalar(isa::DType::index);
    if (auto* variable = std::get_if<ir::Name>(&expr->node)) name(*variable);
    if (auto* binary = std::get_if<ir::Binary>(&expr->node)) {
      expression(binary->lhs);
      expression(binary->rhs);
    }
    if (auto* compare = std::get_if<ir::Compare>(&expr->node)) {
      expression(compare->lhs);
      expression(compare->rhs);
    }
    if (auto* sequence = std::get_if<ir::Sequence>(&expr->node)) {
      for (const auto& item : sequence->items)
        expression(item);
    }
    if (auto* call = std::get_if<ir::Call>(&expr->node)) {
      for (const auto& argument : call->args)
        expression(argument);
    }
  }

  void block(ir::Block& statements) {
    for (ir::Stmt& stmt : statements) {
      if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) {
        expression(assign->value);
        for (ir::Name& target : assign->names)
          name(target);
      } else if (auto* loop = std::get_if<ir::For>(&stmt.node)) {
        for_loop(*loop);
      } else if (auto* branch = std::get_if<ir::If>(&stmt.node)) {
        expression(branch->condition);
        block(branch->then_body);
        block(branch->else_body);
      } else if (auto* result = std::get_if<ir::Return>(&stmt.node)) {
        expression(result->value);
      } else if (auto* plain = std::get_if<ir::ExprStmt>(&stmt.node)) {
        expression(plain->value);
      }
    }
  }

  void for_loop(ir::For& loop) {
    auto& bounds = std::get<ir::Call>(loop.iterator->node).args;
    if (bounds.size() > 1) loop.start = ir::clone(bounds[0]);
    if (!bounds.empty()) loop.stop = ir::clone(bounds[bounds.size() > 1 ? 1 : 0]);
    if (bounds.size() > 2) loop.step = ir::clone(bounds[2]);
    for (const auto& bound : {&loop.start, &loop.stop, &loop.step})
      expression(*bound);
    for (const auto& init : loop.init_values)
      expression(init);
    name(loop.index);
    for (ir::Name& carried : loop.carried)
      name(carried);
    block(loop.body);
  }

  ir::Function* function_ = nullptr;
};

/// What a host function of scalars returns.
std::vector<std::int64_t> returned(const std::string& body) {
  auto parsed = ir::parse_file(
      std::make_shared<ir::SourceFile>("loop.py", kImports + "@pl.jit.host\ndef host():\n" + body));
  EXPECT_FALSE(parsed.diagnostics.has_errors()) << ir::format(parsed.diagnostics);
  ir::Function& function = std::get<ir::ParsedFunction>(parsed.file.items.at(0)).function;
  function.kind = ir::FunctionKind::host;
  Resolver().function(function);
  SourceTable sources;
  ir::Diagnostics diagnostics;
  const Program program = flatten(function, sources, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << ir::format(diagnostics);
  Frame frame;
  frame.start(program);
  const Advance end = advance(frame, 10'000);
  EXPECT_EQ(end.stop, Stop::effect);
  EXPECT_EQ(end.op->code, OpCode::finish);
  std::vector<std::int64_t> values;
  for (const TypedRegister& result : program.results[end.op->site]) {
    values.push_back(frame.scalars[static_cast<std::size_t>(result.index)]);
  }
  return values;
}

using Values = std::vector<std::int64_t>;

TEST(ExplicitLoop, YieldCarriesTheValueAndKeepsTheInitialName) {
  EXPECT_EQ(returned(R"(
    s0 = 100
    for i, (s,) in pl.range(1, 5, 1, init_values=(s0,)):
        t = s + i
        total = pl.yield_(t)
    return total, s0
)"),
            (Values{110, 100}));
}

TEST(ExplicitLoop, SeveralValuesAreYieldedAtOnce) {
  EXPECT_EQ(returned(R"(
    for i, (a, b) in pl.range(0, 10, 1, init_values=(0, 1)):
        x, y = pl.yield_(b, a + b)
    return x, y
)"),
            (Values{55, 89}));
}

TEST(ExplicitLoop, SwapsDoNotMixUp) {
  EXPECT_EQ(returned(R"(
    for i, (a, b) in pl.range(0, 3, 1, init_values=(1, 2)):
        a, b = pl.yield_(b, a)
    return a, b
)"),
            (Values{2, 1}));
}

TEST(ExplicitLoop, ALoopThatDoesNotRunYieldsTheInitialValues) {
  EXPECT_EQ(returned(R"(
    for i, (a,) in pl.range(3, 3, 1, init_values=(7,)):
        x = pl.yield_(a + 1)
    return x
)"),
            (Values{7}));
}

TEST(ExplicitLoop, BranchesYieldToo) {
  EXPECT_EQ(returned(R"(
    for i, (a,) in pl.range(0, 6, 1, init_values=(0,)):
        if i < 2:
            step = pl.yield_(1)
        else:
            step = pl.yield_(10)
        x = pl.yield_(a + step)
    return x
)"),
            (Values{42}));
}

TEST(ExplicitLoop, WhileTestsItsCondition) {
  EXPECT_EQ(returned(R"(
    for (x,) in pl.while_(init_values=(1,)):
        pl.cond(x < 100)
        z = x * 3
        y = pl.yield_(z)
    return y
)"),
            (Values{243}));
}

}  // namespace
}  // namespace a2a3::interp
