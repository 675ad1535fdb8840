// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "interp/flattener.hpp"

namespace a2a3::interp {
namespace {

/// The call of an expression whose callee is written `dotted`; nullptr otherwise.
const ir::Call* call_of(const ir::Expr* expr, std::string_view dotted) {
  const auto* call = expr ? std::get_if<ir::Call>(&expr->node) : nullptr;
  return call && dotted_name(*call->callee) == dotted ? call : nullptr;
}

/// The values of a call of pl.yield_: its arguments, or the items of a single tuple.
std::vector<const ir::Expr*> yielded(const ir::Call& call) {
  std::vector<const ir::Expr*> values;
  for (const auto& arg : call.args)
    values.push_back(arg.get());
  if (values.size() == 1) {
    if (const auto* tuple = std::get_if<ir::Sequence>(&values[0]->node)) {
      std::vector<const ir::Expr*> items;
      for (const auto& item : tuple->items)
        items.push_back(item.get());
      return items;
    }
  }
  return values;
}

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

std::vector<const ir::Name*> pointers(const std::vector<ir::Name>& names) {
  std::vector<const ir::Name*> result;
  for (const ir::Name& name : names)
    result.push_back(&name);
  return result;
}

}  // namespace

void Flattener::block(const ir::Block& statements) {
  for (const ir::Stmt& stmt : statements)
    statement(stmt);
}

void Flattener::statement(const ir::Stmt& stmt) {
  const ir::SourceLocation& where = stmt.location;
  struct Visitor {
    Flattener& self;
    const ir::SourceLocation& where;
    void operator()(const ir::Assign& node) const { self.assign(node, where); }
    void operator()(const ir::For& node) const {
      if (node.kind == ir::LoopKind::while_) {
        self.for_while(node, where);
      } else if (node.kind == ir::LoopKind::spmd || node.kind == ir::LoopKind::split_aiv) {
        self.unsupported(where, node.kind == ir::LoopKind::spmd ? "pl.spmd" : "pl.split_aiv");
      } else {
        self.for_range(node, where);
      }
    }
    void operator()(const ir::While& node) const { self.while_loop(node, where); }
    void operator()(const ir::If& node) const { self.if_else(node, where); }
    void operator()(const ir::With& node) const {
      if (call_of(node.manager.get(), "pl.manual_scope") == nullptr) {
        const auto* call = std::get_if<ir::Call>(&node.manager->node);
        self.unsupported(where, "with " + (call ? dotted_name(*call->callee) : "this manager"));
      }
      self.block(node.body);
    }
    void operator()(const ir::Return& node) const { self.return_values(node, where); }
    void operator()(const ir::ExprStmt& node) const {
      if (!std::holds_alternative<ir::StringLiteral>(node.value->node)) {
        (void)self.expression(*node.value);
      }
    }
    void operator()(const ir::Pass&) const {}
    void operator()(const ir::Break&) const {
      if (self.loops_.empty()) return;
      self.loops_.back().breaks.push_back(self.here());
      self.emit(OpCode::jump, where, 1);
    }
    void operator()(const ir::Continue&) const {
      if (self.loops_.empty()) return;
      self.loops_.back().continues.push_back(self.here());
      self.emit(OpCode::jump, where, 1);
    }
  };
  std::visit(Visitor{*this, where}, stmt.node);
  // Statements that hold a value across a block of others gave it a register of its own.
  end_statement();
}

void Flattener::assign(const ir::Assign& assign, const ir::SourceLocation& where) {
  if (assign.names.empty()) return assign_element(assign, where);
  if (const ir::Call* yield = call_of(assign.value.get(), "pl.yield_")) {
    return assign_parallel(pointers(assign.names), yielded(*yield), where);
  }
  if (assign.names.size() > 1) {
    if (const auto* tuple = std::get_if<ir::Sequence>(&assign.value->node)) {
      std::vector<const ir::Expr*> items;
      for (const auto& item : tuple->items)
        items.push_back(item.get());
      return assign_parallel(pointers(assign.names), items, where);
    }
    const auto* call = std::get_if<ir::Call>(&assign.value->node);
    if (call == nullptr || call->function == nullptr) {
      return unsupported(where, "unpacking this expression");
    }
    std::vector<Value> targets;
    const auto& elements = assign.value->type.elements;
    for (std::size_t i = 0; i < assign.names.size() && i < elements.size(); ++i) {
      const RegisterFile file = register_file(elements[i]);
      targets.push_back({file, elements[i].dtype, slot_register(assign.names[i].slot, file)});
    }
    (void)function_call(*call, assign.value->location, targets);
    return;
  }
  const ir::Type& type = assign.value->type;
  const ir::Name& target_name = assign.names[0];
  window_name_ = &target_name;
  if (!has_register(type) || target_name.slot == ir::kNoSlot) {
    (void)expression(*assign.value);
  } else {
    const RegisterFile file = register_file(type);
    const Value target{file, type.dtype, slot_register(target_name.slot, file)};
    copy(expression(*assign.value, target), target, where);
  }
  window_name_ = nullptr;
}

void Flattener::assign_element(const ir::Assign& assign, const ir::SourceLocation& where) {
  const auto* target =
      assign.subscript ? std::get_if<ir::Subscript>(&assign.subscript->node) : nullptr;
  const bool is_element =
      target != nullptr && assign.value->type.kind == ir::TypeKind::scalar &&
      target->indices.size() <= isa::kBoxDims &&
      std::none_of(target->indices.begin(), target->indices.end(), [](const ir::ExprPtr& index) {
        return std::holds_alternative<ir::Slice>(index->node);
      });
  if (!is_element) return unsupported(where, "assignment to a slice");
  ElementSite site;
  site.object = expression(*target->object);
  for (const ir::ExprPtr& index : target->indices) {
    site.index.index[site.index.rank++] = expression(*index).index;
  }
  site.value = convert(expression(*assign.value), target->object->type.dtype, where);
  emit(OpCode::write, where).site = static_cast<std::uint32_t>(program_.elements.size());
  program_.elements.push_back(site);
}

void Flattener::assign_parallel(const std::vector<const ir::Name*>& names,
                                const std::vector<const ir::Expr*>& values,
                                const ir::SourceLocation& where) {
  const std::size_t count = std::min(names.size(), values.size());
  std::vector<Value> sources;
  for (std::size_t i = 0; i < count; ++i) {
    Value value = expression(*values[i]);
    // A later value may be a name that this assignment sets.
    if (count > 1 && std::holds_alternative<ir::Name>(values[i]->node) && !values[i]->constant) {
      const Value fresh = new_value(values[i]->type);
      copy(value, fresh, where);
      value = fresh;
    }
    sources.push_back(value);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (sources[i].index == kNoRegister) continue;
    copy(sources[i],
         {sources[i].file, sources[i].dtype, slot_register(names[i]->slot, sources[i].file)},
         where);
  }
}

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

void Flattener::if_else(const ir::If& branch, const ir::SourceLocation& where) {
  if (const auto& known = branch.condition->constant) {
    if (const bool* value = std::get_if<bool>(&known->value)) {
      return block(*value ? branch.then_body : branch.else_body);
    }
  }
  const Register test = expression(*branch.condition).index;
  const std::size_t otherwise = here();
  emit(OpCode::branch_false, where, 1).a = test;
  block(branch.then_body);
  if (branch.else_body.empty()) {
    program_.ops[otherwise].target = here();
    return;
  }
  const std::size_t over = here();
  emit(OpCode::jump, where, 1);
  program_.ops[otherwise].target = here();
  block(branch.else_body);
  program_.ops[over].target = here();
}

void Flattener::return_values(const ir::Return& stmt, const ir::SourceLocation& where) {
  std::vector<Value> values;
  if (stmt.value) {
    const auto* tuple = std::get_if<ir::Sequence>(&stmt.value->node);
    const auto* call = std::get_if<ir::Call>(&stmt.value->node);
    if (tuple != nullptr) {
      for (const auto& item : tuple->items)
        values.push_back(expression(*item));
    } else if (call != nullptr && call->function != nullptr) {
      values = function_call(*call, stmt.value->location, {});
    } else if (has_register(stmt.value->type)) {
      values.push_back(expression(*stmt.value));
    } else {
      (void)expression(*stmt.value);
    }
  }
  emit(OpCode::finish, where).site = static_cast<std::uint32_t>(program_.results.size());
  program_.results.push_back(std::move(values));
}

}  // namespace a2a3::interp
