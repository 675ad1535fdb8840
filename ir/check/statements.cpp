// SPDX-License-Identifier: Apache-2.0
#include "ir/check/annotation.hpp"
#include "ir/check/function_checker.hpp"
#include "ir/vocabulary.hpp"
#include "ir/walk.hpp"

namespace a2a3::ir {

FunctionChecker::FunctionChecker(ProgramChecker& program, Function& function)
    : program_(program), function_(function) {
  function_.slot_names.clear();
  bound_ = bound_names(function_.body);
  for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
    const Parameter& parameter = function_.parameters[i];
    Variable& slot = variable(slot_of(parameter.name));
    slot.assigned = Assigned::yes;
    slot.type = parameter.type;
    slot.origin.parameter = static_cast<std::int32_t>(i);
    slot.assigned_at = parameter.location;
  }
  if (function_.result_annotation) declared_result_ = function_.result;
}

void FunctionChecker::run() {
  const std::size_t first_buffer = program_.buffers.size();
  if (is_host()) program_.host_calls.clear();
  block(function_.body);
  if (flow_.reachable && !program_.has_lost_statements()) {
    const bool expects_value = declared_result_ ? declared_result_->kind != TypeKind::none &&
                                                      declared_result_->kind != TypeKind::unknown
                                                : result_ && result_->kind != TypeKind::none &&
                                                      result_->kind != TypeKind::unknown;
    if (expects_value) {
      error(function_.location, "function '" + function_.name +
                                    "' returns a value, but a path through it ends without a "
                                    "return");
    }
  }
  if (!declared_result_) function_.result = result_.value_or(Type::none());
  if (function_.kind == FunctionKind::kernel) check_waiter();
  if (!is_host()) return;
  form_host_domains();
  check_buffers(first_buffer);
}

Slot FunctionChecker::slot_of(const std::string& id) {
  const auto [found, inserted] =
      slots_.try_emplace(id, static_cast<Slot>(function_.slot_names.size()));
  if (inserted) function_.slot_names.push_back(id);
  return found->second;
}

void FunctionChecker::block(Block& block) {
  for (Stmt& stmt : block)
    statement(stmt);
}

void FunctionChecker::statement(Stmt& stmt) {
  struct Visitor {
    FunctionChecker& self;
    SourceLocation location;
    void operator()(Assign& node) const { self.assign(node, location); }
    void operator()(For& node) const { self.for_loop(node, location); }
    void operator()(While& node) const { self.while_loop(node, location); }
    void operator()(If& node) const { self.if_else(node); }
    void operator()(With& node) const { self.with(node); }
    void operator()(Return& node) const { self.return_value(node, location); }
    void operator()(ExprStmt& node) const { self.expression_statement(node); }
    void operator()(Pass&) const {}
    void operator()(Break&) const { self.loop_jump(true, location); }
    void operator()(Continue&) const { self.loop_jump(false, location); }
  };
  std::visit(Visitor{*this, stmt.location}, stmt.node);
}

void FunctionChecker::bind(Name& name, const Type& type, SourceLocation location) {
  if (name.id.empty()) return;
  name.slot = slot_of(name.id);
  Variable& target = variable(name.slot);
  target = Variable{};
  target.assigned = Assigned::yes;
  target.type = type;
  target.assigned_at = location;
  target.order = ++assignments_;
}

void FunctionChecker::bind(Name& name, const Type& type, const Expr& value,
                           SourceLocation location) {
  const Origin origin = origin_of(value);
  std::optional<Dim> dim;
  if (type.kind == TypeKind::scalar && isa::is_integer(type.dtype)) dim = dim_of(value);
  bind(name, type, location);
  if (name.slot == kNoSlot) return;
  variable(name.slot).origin = origin;
  variable(name.slot).value = std::move(dim);
}

void FunctionChecker::assign(Assign& node, SourceLocation location) {
  if (auto* call = std::get_if<Call>(&node.value->node);
      call != nullptr && dotted_name(*call->callee) == "pl.yield_") {
    node.value->type = Type::none();
    return yield(&node, *call, node.value->location);
  }
  if (node.subscript != nullptr) return assign_subscript(node);
  const bool single = node.names.size() == 1;
  if (single && std::holds_alternative<Call>(node.value->node)) {
    assigned_name_ = &node.names[0].id;
  }
  statement_value_ = node.value.get();
  Type type = expression(*node.value);
  assigned_name_ = nullptr;
  if (!single) return unpack(node, type, location);

  if (type.kind == TypeKind::tuple && std::holds_alternative<Sequence>(node.value->node)) {
    error(node.value->location, "a list or tuple can only be an operand or be unpacked; '" +
                                    node.names[0].id + "' cannot hold one");
    type = {};
  } else if (type.kind == TypeKind::constant) {
    error(node.value->location, "'" + node.names[0].id +
                                    "' cannot hold a dtype, an enum member or a string; define "
                                    "it outside of the function");
    type = {};
  } else if (type.kind == TypeKind::none && node.names[0].id != "_") {
    error(node.value->location, "this call has no result to assign to '" + node.names[0].id + "'");
    type = {};
  }
  if (node.annotation) type = annotated(node, type);
  bind(node.names[0], type, *node.value, node.name_locations.at(0));
}

Type FunctionChecker::annotated(Assign& node, const Type& type) {
  const Type declared = resolve_annotation(*node.annotation, AnnotationPlace::variable, module(),
                                           *function_.captures, program_.diagnostics());
  if (declared.kind == TypeKind::unknown || type.kind == TypeKind::unknown) return type;
  const bool scalars = declared.kind == TypeKind::scalar && type.kind == TypeKind::scalar;
  const std::string& name = node.names[0].id;
  if (scalars && node.value->constant && isa::is_integer(type.dtype) &&
      isa::is_integer(declared.dtype)) {
    if (literal_fits(*node.value, declared.dtype, "'" + name + "':")) node.value->type = declared;
    return declared;
  }
  if (scalars ? declared.dtype == type.dtype : join(declared, type, module()).has_value()) {
    return type;
  }
  error(node.annotation->expr->location,
        "'" + name + "' is annotated " + module().describe(declared) + ", but its value is " +
            module().describe(type) + (scalars ? "; convert it with pl.cast" : ""));
  return declared;
}

void FunctionChecker::unpack(Assign& node, const Type& type, SourceLocation location) {
  auto* call = std::get_if<Call>(&node.value->node);
  const bool known = type.kind == TypeKind::tuple;
  if (known && type.elements.size() != node.names.size()) {
    error(location, "cannot unpack " + std::to_string(type.elements.size()) + " values into " +
                        std::to_string(node.names.size()) + " names");
  } else if (!known && type.kind != TypeKind::unknown) {
    error(node.value->location, "cannot unpack " + show_value(*node.value) + " into several names");
  }
  auto* sequence = std::get_if<Sequence>(&node.value->node);
  std::vector<Origin> origins(node.names.size());
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    if (sequence != nullptr && i < sequence->items.size()) {
      origins[i] = origin_of(*sequence->items[i]);
    } else if (call != nullptr && call->function != nullptr &&
               i < call->function->result_parameters.size()) {
      const std::int32_t parameter = call->function->result_parameters[i];
      if (parameter >= 0 && static_cast<std::size_t>(parameter) < call->args.size()) {
        origins[i] = origin_of(*call->args[static_cast<std::size_t>(parameter)]);
      }
    }
  }
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const bool has_type = known && i < type.elements.size();
    bind(node.names[i], has_type ? type.elements[i] : Type{}, node.name_locations.at(i));
    if (node.names[i].slot != kNoSlot) variable(node.names[i].slot).origin = origins[i];
  }
}

bool FunctionChecker::condition(Expr& expr) {
  const Type type = expression(expr);
  if (type.kind == TypeKind::unknown) return true;
  if (type.kind == TypeKind::scalar && type.dtype == isa::DType::boolean) return true;
  error(expr.location,
        "a condition must be Boolean (a comparison, for example), got " + show_value(expr));
  return false;
}

void FunctionChecker::if_else(If& node) {
  (void)branches(node);
}

void FunctionChecker::expression_statement(ExprStmt& node) {
  if (std::holds_alternative<StringLiteral>(node.value->node)) return;
  if (auto* call = std::get_if<Call>(&node.value->node);
      call != nullptr && dotted_name(*call->callee) == "pl.yield_") {
    node.value->type = Type::none();
    return yield(nullptr, *call, node.value->location);
  }
  if (auto* call = std::get_if<Call>(&node.value->node);
      call != nullptr && dotted_name(*call->callee) == "pl.cond") {
    node.value->type = Type::none();
    return loop_condition(*call);
  }
  statement_value_ = node.value.get();
  (void)expression(*node.value);
}

/// What a caller can take: a scalar or a whole parameter.
bool FunctionChecker::can_return(const Expr& value) {
  const Type& type = value.type;
  std::string problem = kernel_result_problem(value);
  if (!problem.empty()) {
    // It says more than what follows.
  } else if (type.kind == TypeKind::tile) {
    problem = "a function cannot return a tile: store it into a parameter and return that";
  } else if (type.is_computed_tensor()) {
    problem =
        "a function cannot return a computed tensor: assemble it into a parameter and return that";
  } else if (type.kind == TypeKind::array) {
    problem = "a function cannot return an array";
  } else if (type.is_tensor_like() && origin_of(value).part) {
    problem = "a function returns a whole parameter, not a slice of one";
  }
  if (problem.empty()) return true;
  error(value.location, std::move(problem));
  return false;
}

void FunctionChecker::return_value(Return& node, SourceLocation location) {
  if (in_spmd_ || !scope_loops_.empty()) {
    error(location, "'return' cannot stand in a launch scope");
  }
  Type type = Type::none();
  std::vector<std::int32_t> parameters;
  if (node.value != nullptr) {
    statement_value_ = node.value.get();
    type = expression(*node.value);
    if (auto* sequence = std::get_if<Sequence>(&node.value->node)) {
      for (const ExprPtr& item : sequence->items)
        parameters.push_back(origin_of(*item).parameter);
    } else if (type.kind == TypeKind::tuple) {
      const auto* call = std::get_if<Call>(&node.value->node);
      parameters.assign(type.elements.size(), -1);
      for (std::size_t i = 0; call != nullptr && call->function != nullptr &&
                              i < call->function->result_parameters.size() && i < parameters.size();
           ++i) {
        const std::int32_t argument = call->function->result_parameters[i];
        if (argument >= 0 && static_cast<std::size_t>(argument) < call->args.size()) {
          parameters[i] = origin_of(*call->args[static_cast<std::size_t>(argument)]).parameter;
        }
      }
    } else if (type.kind != TypeKind::none) {
      parameters.push_back(origin_of(*node.value).parameter);
    }
    location = node.value->location;
    bool good = can_return(*node.value);
    if (auto* sequence = std::get_if<Sequence>(&node.value->node)) {
      for (const ExprPtr& item : sequence->items)
        good = can_return(*item) && good;
    }
    if (!good) type = {};
  }
  merge_result(type, parameters, location);
  flow_.reachable = false;
}

void FunctionChecker::merge_result(const Type& type, const std::vector<std::int32_t>& parameters,
                                   SourceLocation location) {
  const bool first = !result_.has_value();
  if (first) {
    function_.result_parameters = parameters;
  } else if (function_.result_parameters.size() == parameters.size()) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (function_.result_parameters[i] != parameters[i]) function_.result_parameters[i] = -1;
    }
  }
  // A result is a buffer that the caller passed in: it stays writable when the parameter was.
  const auto same = [this](const Type& a, const Type& b) {
    if (a.kind != b.kind) return false;
    if (a.kind != TypeKind::tuple) return join(a, b, module()).has_value();
    if (a.elements.size() != b.elements.size()) return false;
    for (std::size_t i = 0; i < a.elements.size(); ++i) {
      if (!join(a.elements[i], b.elements[i], module())) return false;
    }
    return true;
  };
  const auto is_known = [](const Type& t) { return t.kind != TypeKind::unknown; };
  if (declared_result_) {
    if (is_known(*declared_result_) && is_known(type) && !same(*declared_result_, type)) {
      error(location, "'" + function_.name + "' is annotated to return " +
                          module().describe(*declared_result_) + ", but this is " +
                          module().describe(type));
    }
    if (first && type.kind == declared_result_->kind) {
      function_.result.direction = type.direction;
      for (std::size_t i = 0; i < type.elements.size() && i < function_.result.elements.size();
           ++i) {
        function_.result.elements[i].direction = type.elements[i].direction;
      }
    }
  } else if (!first && is_known(*result_) && is_known(type) && !same(*result_, type)) {
    error(location, "'" + function_.name + "' returns " + module().describe(type) + " here and " +
                        module().describe(*result_) + " elsewhere")
        .notes.push_back({"the other return", result_location_});
  }
  if (first) {
    result_ = type;
    result_location_ = location;
  }
}

}  // namespace a2a3::ir
