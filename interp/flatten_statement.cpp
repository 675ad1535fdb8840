// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "interp/flattener.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3::interp {

const ir::Call* call_of(const ir::Expr* expr, std::string_view dotted) {
  const auto* call = expr ? std::get_if<ir::Call>(&expr->node) : nullptr;
  return call && ir::dotted_name(*call->callee) == dotted ? call : nullptr;
}

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

std::vector<const ir::Name*> pointers(const std::vector<ir::Name>& names) {
  std::vector<const ir::Name*> result;
  for (const ir::Name& name : names)
    result.push_back(&name);
  return result;
}

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
      } else if (node.kind == ir::LoopKind::spmd) {
        self.spmd(*node.stop, node.index.slot, node.body, where);
      } else if (node.kind == ir::LoopKind::split_aiv) {
        self.unsupported(where, "pl.split_aiv");
      } else {
        self.for_range(node, where);
      }
    }
    void operator()(const ir::While& node) const { self.while_loop(node, where); }
    void operator()(const ir::If& node) const { self.if_else(node, where); }
    void operator()(const ir::With& node) const { self.with(node, where); }
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
  if (assign.names.empty()) return assign_subscript(assign, where);
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
