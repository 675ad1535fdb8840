// SPDX-License-Identifier: Apache-2.0
// Scopes of chip-level functions: how their kernel calls are launched.
#include "interp/flattener.hpp"
#include "ir/launch_scope.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3::interp {

void Flattener::spmd(const ir::Expr& count, ir::Slot index, const ir::Block& body,
                     const ir::SourceLocation& where) {
  const Register counter = new_scalar();
  const Register blocks = new_scalar();
  const Register step = scalar_constant(1);
  copy(expression(count), {RegisterFile::scalar, isa::DType::index, blocks}, where);
  copy({RegisterFile::scalar, isa::DType::index, scalar_constant(0)},
       {RegisterFile::scalar, isa::DType::index, counter}, where);
  Register variable = slot_register(index, RegisterFile::scalar);
  if (variable == kNoRegister) variable = new_scalar();
  const auto loop_op = [&](OpCode code) {
    Op& op = emit(code, where);
    op.dst = variable;
    op.a = counter;
    op.b = blocks;
    op.c = step;
  };
  emit(OpCode::spmd_begin, where).a = blocks;
  const std::size_t begin = here();
  loop_op(OpCode::loop_begin);
  const std::uint32_t first = here();
  block(body);
  loop_op(OpCode::loop_next);
  program_.ops.back().target = first;
  program_.ops[begin].target = here();
  emit(OpCode::spmd_end, where);
}

void Flattener::task(const ir::With& scope, const ir::Call& manager,
                     const ir::SourceLocation& where) {
  std::vector<Register> dependences;
  if (const ir::ExprPtr* deps = ir::keyword_value(manager, "deps")) {
    for (const ir::ExprPtr& item : std::get<ir::Sequence>((*deps)->node).items)
      dependences.push_back(expression(*item).index);
  }
  emit(OpCode::task_begin, where).site =
      static_cast<std::uint32_t>(program_.task_dependences.size());
  program_.task_dependences.push_back(std::move(dependences));
  block(scope.body);
  emit(OpCode::task_end, where).dst =
      scope.as ? slot_register(scope.as->slot, RegisterFile::scalar) : kNoRegister;
}

void Flattener::with(const ir::With& scope, const ir::SourceLocation& where) {
  const auto* call = std::get_if<ir::Call>(&scope.manager->node);
  const std::string name = call != nullptr ? ir::dotted_name(*call->callee).value_or("") : "";
  if (name == "pl.spmd") return spmd(*ir::spmd_count(*call), ir::kNoSlot, scope.body, where);
  if (name == "pl.manual_scope") {
    emit(OpCode::manual_begin, where);
    block(scope.body);
    emit(OpCode::manual_end, where);
    return;
  }
  if (name == "pl.at" && function_.kind == ir::FunctionKind::host) return block(scope.body);
  if (name == "pl.at") return task(scope, *call, where);
  unsupported(where, "with " + (name.empty() ? "this manager" : name));
  block(scope.body);
}

}  // namespace a2a3::interp
