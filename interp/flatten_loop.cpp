// SPDX-License-Identifier: Apache-2.0
// Loops, with the explicit form of carried values.
#include <algorithm>

#include "interp/flattener.hpp"

namespace a2a3::interp {
namespace {

struct Yield {
  const ir::Assign* assign = nullptr;
  const ir::Call* call = nullptr;
};

/// The yield that closes a loop body in the explicit form.
Yield closing_yield(const ir::For& loop) {
  if (loop.carried.empty() || loop.body.empty()) return {};
  if (const auto* assign = std::get_if<ir::Assign>(&loop.body.back().node)) {
    if (const auto* call = call_of(assign->value.get(), "pl.yield_")) return {assign, call};
  }
  if (const auto* stmt = std::get_if<ir::ExprStmt>(&loop.body.back().node)) {
    if (const auto* call = call_of(stmt->value.get(), "pl.yield_")) return {nullptr, call};
  }
  return {};
}

}  // namespace

void Flattener::carried_start(const ir::For& loop, const ir::SourceLocation& where) {
  std::vector<const ir::Expr*> values;
  for (const auto& init : loop.init_values)
    values.push_back(init.get());
  assign_parallel(pointers(loop.carried), values, where);
  const Yield yield = closing_yield(loop);
  if (yield.assign == nullptr) return;
  for (std::size_t i = 0; i < std::min(yield.assign->names.size(), loop.carried.size()); ++i) {
    if (i >= values.size() || !has_register(values[i]->type)) continue;
    const RegisterFile file = register_file(values[i]->type);
    copy({file, values[i]->type.dtype, slot_register(loop.carried[i].slot, file)},
         {file, values[i]->type.dtype, slot_register(yield.assign->names[i].slot, file)}, where);
  }
}

void Flattener::carried_body(const ir::For& loop, std::size_t first_statement,
                             const ir::SourceLocation& where) {
  const Yield yield = closing_yield(loop);
  const std::size_t end = loop.body.size() - (yield.call ? 1 : 0);
  for (std::size_t i = first_statement; i < end; ++i)
    statement(loop.body[i]);
  if (yield.call == nullptr) return;
  const auto values = yielded(*yield.call);
  if (yield.assign != nullptr) assign_parallel(pointers(yield.assign->names), values, where);
  if (yield.assign == nullptr) return assign_parallel(pointers(loop.carried), values, where);
  for (std::size_t i = 0; i < std::min(loop.carried.size(), values.size()); ++i) {
    if (i >= yield.assign->names.size() || !has_register(values[i]->type)) continue;
    const RegisterFile file = register_file(values[i]->type);
    copy({file, values[i]->type.dtype, slot_register(yield.assign->names[i].slot, file)},
         {file, values[i]->type.dtype, slot_register(loop.carried[i].slot, file)}, where);
  }
}

void Flattener::for_range(const ir::For& loop, const ir::SourceLocation& where) {
  // Bounds are read once, before the first iteration: they need registers of their own.
  const auto keep = [&](const ir::Expr* expr, std::int64_t otherwise) {
    if (expr == nullptr) return scalar_constant(otherwise);
    if (expr->constant) return expression(*expr).index;
    const Register own = new_scalar();
    copy(expression(*expr, {RegisterFile::scalar, expr->type.dtype, own}),
         {RegisterFile::scalar, expr->type.dtype, own}, expr->location);
    return own;
  };
  const Register counter = new_scalar();
  Value start{RegisterFile::scalar, isa::DType::index, scalar_constant(0)};
  if (loop.start) start = expression(*loop.start);
  copy(start, {RegisterFile::scalar, isa::DType::index, counter}, where);
  const Register stop = keep(loop.stop.get(), 0);
  const Register step = keep(loop.step.get(), 1);
  carried_start(loop, where);

  Register variable = slot_register(loop.index.slot, RegisterFile::scalar);
  if (variable == kNoRegister) variable = new_scalar();
  const auto loop_op = [&](OpCode code, unsigned scalar_ops) {
    Op& op = emit(code, where, scalar_ops);
    op.dst = variable;
    op.a = counter;
    op.b = stop;
    op.c = step;
  };
  const std::size_t begin = here();
  loop_op(OpCode::loop_begin, 2);  // compare, jump
  const std::uint32_t first = here();
  loops_.emplace_back();
  carried_body(loop, 0, where);
  patch(loops_.back().continues, here());
  loop_op(OpCode::loop_next, 3);  // add, compare, jump
  program_.ops.back().target = first;
  program_.ops[begin].target = here();
  patch(loops_.back().breaks, here());
  loops_.pop_back();
}

void Flattener::for_while(const ir::For& loop, const ir::SourceLocation& where) {
  carried_start(loop, where);
  const std::uint32_t head = here();
  const auto* first = loop.body.empty() ? nullptr : std::get_if<ir::ExprStmt>(&loop.body[0].node);
  const ir::Call* condition = first ? call_of(first->value.get(), "pl.cond") : nullptr;
  if (condition == nullptr || condition->args.size() != 1) {
    return unsupported(where, "pl.while_ without pl.cond as its first statement");
  }
  const Register test = expression(*condition->args[0]).index;
  loops_.emplace_back();
  loops_.back().breaks.push_back(here());
  emit(OpCode::branch_false, where, 1).a = test;
  carried_body(loop, 1, where);
  patch(loops_.back().continues, here());
  emit(OpCode::jump, where, 1).target = head;
  patch(loops_.back().breaks, here());
  loops_.pop_back();
}

void Flattener::while_loop(const ir::While& loop, const ir::SourceLocation& where) {
  const std::uint32_t head = here();
  const Register test = expression(*loop.condition).index;
  loops_.emplace_back();
  loops_.back().breaks.push_back(here());
  emit(OpCode::branch_false, where, 1).a = test;
  block(loop.body);
  patch(loops_.back().continues, head);
  emit(OpCode::jump, where, 1).target = head;
  patch(loops_.back().breaks, here());
  loops_.pop_back();
}

}  // namespace a2a3::interp
