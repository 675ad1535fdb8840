// SPDX-License-Identifier: Apache-2.0
// Calls of functions, and the operations of host and chip-level functions.
#include "interp/flattener.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3::interp {

Value Flattener::call(const ir::Call& call, const ir::Expr& expr, Value target) {
  if (call.function != nullptr) {
    std::vector<Value> targets;
    if (target.index != kNoRegister) targets.push_back(target);
    const std::vector<Value> results = function_call(call, expr.location, targets);
    return results.size() == 1 ? results[0] : Value{};
  }
  if (call.op == nullptr) {
    unsupported(expr.location, ir::dotted_name(*call.callee).value_or("this"));
    return {};
  }
  return local_op(call, expr, target);
}

std::vector<Value> Flattener::function_call(const ir::Call& call, const ir::SourceLocation& where,
                                            const std::vector<Value>& targets) {
  if (function_.kind == ir::FunctionKind::kernel) {
    unsupported(where, "a call of " + call.function->name + " in a kernel");
    return {};
  }
  CallSite site;
  site.function = call.function;
  const auto& parameters = call.function->parameters;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    Value value = expression(*call.args[i]);
    if (i < parameters.size() && parameters[i].type.kind == ir::TypeKind::scalar) {
      value = convert(value, parameters[i].type.dtype, call.args[i]->location);
    }
    site.arguments.push_back(value);
  }
  for (const ir::Keyword& keyword : call.keywords) {
    if (keyword.name == "device") site.device = expression(*keyword.value).index;
  }
  const ir::Type& result = call.function->result;
  std::vector<ir::Type> types = result.elements;
  if (result.kind != ir::TypeKind::tuple && has_register(result)) types = {result};
  for (std::size_t i = 0; i < types.size(); ++i) {
    site.results.push_back(new_value(types[i], i < targets.size() ? targets[i] : Value{}));
  }
  emit(OpCode::call, where).site = static_cast<std::uint32_t>(program_.calls.size());
  std::vector<Value> results = site.results;
  program_.calls.push_back(std::move(site));
  return results;
}

Value Flattener::host_op(const ir::Call& call, const ir::Expr& expr, Value target) {
  const auto shaped = [&](OpCode code, ShapeSite site, Register object) {
    const Value result = new_value(expr.type, target);
    Op& op = emit(code, expr.location);
    op.dst = result.index;
    op.a = object;
    op.site = static_cast<std::uint32_t>(program_.shapes.size());
    program_.shapes.push_back(std::move(site));
    return result;
  };
  ShapeSite site;
  site.dtype = expr.type.dtype;
  switch (call.op->id) {
    case ir::OpId::world_size: {
      const Value result = new_value(expr.type, target);
      emit(OpCode::world_size, expr.location, 1).dst = result.index;
      return result;
    }
    case ir::OpId::alloc_window_buffer: {
      if (window_name_ != nullptr) site.name = window_name_->id;
      const ir::Expr* size = call.operand(0);
      const ir::Expr* dtype = call.operand(1);
      if (size->type.kind == ir::TypeKind::scalar) {
        return shaped(OpCode::alloc_window, std::move(site), expression(*size).index);
      }
      site.list = list(*size);
      if (dtype != nullptr && dtype->constant) {
        if (const auto* type = std::get_if<isa::DType>(&dtype->constant->value)) {
          site.dtype = *type;
        }
      }
      return shaped(OpCode::alloc_window, std::move(site), kNoRegister);
    }
    case ir::OpId::window: {
      if (window_name_ != nullptr) site.name = window_name_->id;
      const Register buffer = expression(*call.operand(0)).index;
      site.list = list(*call.operand(1));
      return shaped(OpCode::window, std::move(site), buffer);
    }
    case ir::OpId::create_tensor:
      if (window_name_ != nullptr) site.name = window_name_->id;
      site.list = list(*call.operand(0));
      return shaped(OpCode::create_tensor, std::move(site), kNoRegister);
    default:
      unsupported(expr.location, std::string(call.op->name));
      return {};
  }
}

}  // namespace a2a3::interp
