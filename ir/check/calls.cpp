// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "ir/check/function_checker.hpp"
#include "ir/op.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3::ir {
namespace {

constexpr std::array<std::string_view, 3> kKindNames{"kernel", "per-device function",
                                                     "host function"};

std::string_view kind_name(FunctionKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

/// All names that a call may use, for suggestions.
std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const OpInfo& op : op_table()) {
    names.emplace_back(op.name);
    names.insert(names.end(), op.aliases.begin(), op.aliases.end());
  }
  for (const UnsupportedOp& op : unsupported_ops())
    names.emplace_back(op.name);
  names.insert(names.end(), {"pl.range", "pl.parallel", "pl.unroll", "pl.pipeline", "pl.while_",
                             "pl.cond", "pl.spmd", "pl.yield_"});
  return names;
}

std::string last_part(const std::string& dotted) {
  return dotted.substr(dotted.rfind('.') + 1);
}

/// Names so short that another letter makes another word: sub and sum, min and sin.
bool is_another_word(const std::string& a, const std::string& b) {
  constexpr std::size_t kShort = 3;
  return a.size() == b.size() && a.size() <= kShort &&
         !std::is_permutation(a.begin(), a.end(), b.begin());
}

/// `; did you mean ...` for an operation that does not exist. Its last part names it: what else has
/// the same (pld.put for pld.tensor.put), else what is spelled nearly the same.
std::string operation_advice(const std::string& name) {
  const std::string last = last_part(name);
  const std::string root = name.substr(0, name.find('.') + 1);
  std::vector<std::string> known;
  std::vector<std::string> parts;
  for (std::string& candidate : operation_names()) {
    std::string part = last_part(candidate);
    if (candidate == name || is_another_word(part, last)) continue;
    parts.push_back(std::move(part));
    known.push_back(std::move(candidate));
  }
  const auto exact = std::find(parts.begin(), parts.end(), last);
  const auto nearest = exact != parts.end() ? std::optional(last) : nearest_name(last, parts);
  if (!nearest) return {};
  const std::string* best = nullptr;
  const auto preference = [&root](const std::string& one) {
    return std::pair(one.starts_with(root), one.find(".tile.") == std::string::npos);
  };
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (parts[i] != *nearest) continue;
    if (best == nullptr || preference(known[i]) > preference(*best)) best = &known[i];
  }
  return "; did you mean '" + *best + "'?";
}

/// `pll.load`, `pdl.tensor.put`: a known operation behind a root that is nearly pl or pld.
bool is_mistyped_root(const std::string& name) {
  const std::string root = name.substr(0, name.find('.'));
  const std::vector<std::string> names = operation_names();
  return nearest_name(root, std::array<std::string, 2>{"pl", "pld"}) &&
         std::any_of(names.begin(), names.end(),
                     [&](const std::string& known) { return last_part(known) == last_part(name); });
}

}  // namespace

void FunctionChecker::check_arguments_only(Call& node) {
  assigned_name_ = nullptr;
  for (ExprPtr& argument : node.args)
    (void)expression(*argument);
  for (Keyword& keyword : node.keywords)
    (void)expression(*keyword.value);
  mark_dispatched(node);
}

Type FunctionChecker::call(Expr& expr, Call& node) {
  const auto dotted = dotted_name(*node.callee);
  if (const auto* attribute = std::get_if<Attribute>(&node.callee->node)) {
    if (attribute->attribute == "get_byte") {
      const OpInfo& op = op_info(OpId::get_byte);
      if (!level_allows(*node.callee, op) || !bind_operands(expr, node, op)) return {};
      const Type object = expression(*attribute->object);
      const auto& constant = attribute->object->constant;
      const auto* dtype = constant ? std::get_if<isa::DType>(&constant->value) : nullptr;
      node.op = &op;
      if (dtype != nullptr) return with_constant(expr, {isa::size_of(*dtype)});
      if (object.kind != TypeKind::unknown) {
        error(attribute->object->location,
              "get_byte() is a method of a dtype, got " + show_value(*attribute->object));
      }
      return {};
    }
    if (dotted && dotted->starts_with("self.") && dotted->find('.', 5) == std::string::npos) {
      const std::string& name = attribute->attribute;
      Function* callee = program_.module().is_class ? program_.find_function(name) : nullptr;
      if (callee != nullptr) return function_call(expr, node, *callee);
      if (program_.is_lost(name)) {
        check_arguments_only(node);
        return {};
      }
      error(node.callee->location,
            program_.module().is_class
                ? "the program has no method '" + name + "'" +
                      module().suggest(name, [this] { return program_.function_names(); })
                : "'self' belongs to a @pl.program class; call '" + name + "' by its bare name");
      check_arguments_only(node);
      return {};
    }
  }
  if (dotted && is_variable(*dotted) && dotted->find('.') == std::string::npos &&
      flow_.variables[slots_.find(*dotted)->second].assigned != Assigned::no) {
    error(node.callee->location, "'" + *dotted + "' is a variable and cannot be called");
    check_arguments_only(node);
    return {};
  }
  if (dotted) {
    if (const OpInfo* op = find_op(*dotted)) return op_call(expr, node, *op);
  }
  return unknown_callee(expr, node, dotted.value_or(""));
}

Type FunctionChecker::unknown_callee(Expr& expr, Call& node, const std::string& name) {
  const SourceLocation location = node.callee->location;
  if (name.find('.') == std::string::npos && !name.empty()) {
    Function* callee = program_.find_function(name);
    if (callee != nullptr && !program_.module().is_class) return function_call(expr, node, *callee);
    if (callee != nullptr) {
      error(location, "methods are called through self: self." + name + "(...)");
    } else if (!program_.is_lost(name)) {
      std::string advice = module().suggest(name, [this] { return program_.function_names(); });
      if (name == "min" || name == "max" || name == "range") advice = "; use pl." + name;
      error(location, "Unsupported function call: " + name + advice);
    }
  } else if (find_unsupported_op(name) != nullptr) {
    unsupported(location, "'" + name + "' is");
  } else if (name == "pl.range" || name == "pl.parallel" || name == "pl.unroll" ||
             name == "pl.pipeline" || name == "pl.while_") {
    error(location, "'" + name + "' can only be the iterator of a for loop");
  } else if (name == "pl.spmd") {
    error(location, "'pl.spmd' can only be the iterator of a for loop, or stand in 'with'");
  } else if (name == "pl.dynamic") {
    error(location, "pl.dynamic makes a dimension outside of functions, for annotations");
  } else if (name == "pl.yield_") {
    error(
        location,
        "pl.yield_ must be the last statement of a loop with init_values or of both arms of an if");
  } else if (name == "pl.cond") {
    error(location, "pl.cond must be the first statement of a pl.while_ loop");
  } else if (name.empty() && !is_unparsed(*node.callee)) {
    error(location, "Unsupported function call: only operations and functions have a call form");
  } else if (name.starts_with("pl.") || name.starts_with("pld.")) {
    error(location, "unknown operation '" + name + "'" + operation_advice(name))
        .notes.push_back({"docs/coverage.md lists all operations and what is not supported", {}});
  } else if (!name.empty()) {
    error(location, "Unsupported function call: " + name +
                        (is_mistyped_root(name) ? operation_advice(name) : std::string()));
  }
  check_arguments_only(node);
  return {};
}

bool FunctionChecker::callable_from_here(const Call& node, const Function& callee) {
  const SourceLocation location = node.callee->location;
  const auto device = std::find_if(node.keywords.begin(), node.keywords.end(),
                                   [](const Keyword& k) { return k.name == "device"; });
  if (callee.kind != FunctionKind::chip && device != node.keywords.end()) {
    auto& diagnostic = error(device->location, "Function '" + callee.name +
                                                   "' does not accept keyword argument 'device'");
    diagnostic.notes.push_back(
        {"it is a " + std::string(kind_name(callee.kind)) +
             "; HOST dispatches a per-device function (@pl.jit, FunctionType.Orchestration), "
             "which calls the kernel",
         callee.location});
    return false;
  }
  if (function_.kind == FunctionKind::chip && device != node.keywords.end()) {
    error(device->location, "Function '" + callee.name +
                                "' does not accept keyword argument 'device' here: only HOST "
                                "dispatches to devices");
    return false;
  }
  const bool good = (function_.kind == FunctionKind::host && callee.kind == FunctionKind::chip) ||
                    (function_.kind == FunctionKind::chip && callee.kind == FunctionKind::kernel);
  if (good) return true;
  auto& diagnostic = error(
      location, std::string(kind_name(function_.kind)) + " '" + function_.name + "' cannot call " +
                    std::string(kind_name(callee.kind)) + " '" + callee.name + "'");
  diagnostic.notes.push_back(
      {"a host function dispatches per-device functions, a per-device function calls kernels, and "
       "a kernel calls no function: write a per-device function (@pl.jit, "
       "FunctionType.Orchestration) between host and kernel",
       callee.location});
  if (function_.kind == FunctionKind::host && callee.kind == FunctionKind::kernel) {
    diagnostic.notes.push_back(
        {"for device 0 alone `with pl.at(level=pl.Level.CHIP):` around the "
         "call makes one; such a scope dispatches nothing",
         {}});
  }
  return false;
}

bool FunctionChecker::normalise_arguments(Expr& expr, Call& node, const Function& callee) {
  const std::size_t count = callee.parameters.size();
  bool good = true;
  if (node.args.size() > count) {
    error(node.args[count]->location, "'" + callee.name + "' takes " + std::to_string(count) +
                                          " arguments, got " + std::to_string(node.args.size()))
        .notes.push_back({"it is defined here", callee.location});
    return false;
  }
  std::vector<ExprPtr> by_parameter(count);
  for (std::size_t i = 0; i < node.args.size(); ++i)
    by_parameter[i] = std::move(node.args[i]);
  std::vector<Keyword> others;
  for (Keyword& keyword : node.keywords) {
    const auto parameter = std::find_if(callee.parameters.begin(), callee.parameters.end(),
                                        [&](const Parameter& p) { return p.name == keyword.name; });
    if (parameter == callee.parameters.end()) {
      if (keyword.name != "device") {
        std::vector<std::string> names{"device"};
        for (const Parameter& p : callee.parameters)
          names.push_back(p.name);
        error(keyword.location, "'" + callee.name + "' has no parameter '" + keyword.name + "'" +
                                    suggestion(keyword.name, names))
            .notes.push_back({"it is defined here", callee.location});
        good = false;
      }
      others.push_back(std::move(keyword));
      continue;
    }
    const auto index = static_cast<std::size_t>(parameter - callee.parameters.begin());
    if (by_parameter[index] != nullptr) {
      error(keyword.location, "'" + keyword.name + "' is given twice");
      good = false;
    }
    by_parameter[index] = std::move(keyword.value);
  }
  std::string missing;
  for (std::size_t i = 0; i < count; ++i) {
    if (by_parameter[i] != nullptr) continue;
    missing += (missing.empty() ? "'" : ", '") + callee.parameters[i].name + "'";
  }
  node.keywords = std::move(others);
  node.args.clear();
  for (ExprPtr& argument : by_parameter) {
    if (argument != nullptr) node.args.push_back(std::move(argument));
  }
  if (!missing.empty()) {
    if (good) {
      error(expr.location, "call of '" + callee.name + "' misses " + missing)
          .notes.push_back({"it is defined here", callee.location});
    }
    good = false;
  }
  return good;
}

Type FunctionChecker::function_call(Expr& expr, Call& node, Function& callee) {
  assigned_name_ = nullptr;  // arguments are not the right side of the assignment
  const bool allowed = callable_from_here(node, callee);
  const bool complete = allowed && normalise_arguments(expr, node, callee);
  check_arguments_only(node);
  if (!allowed || !complete) return {};
  node.function = &callee;
  if (const auto devices = check_device(node)) mark_devices(node, *devices);
  std::vector<Type> types;
  std::map<Dim::Symbol, Dim> bindings;
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    types.push_back(node.args[i]->type);
    if (callee.parameters[i].annotation) {
      match_argument(*node.args[i], callee.parameters[i], callee, bindings);
    } else if (types.back().kind != TypeKind::unknown && !types.back().is_tensor_like() &&
               types.back().kind != TypeKind::scalar) {
      error(node.args[i]->location, "argument '" + callee.parameters[i].name + "' of '" +
                                        callee.name +
                                        "' must be a tensor, a window view or a "
                                        "scalar, got " +
                                        module().describe(types.back()));
      types.back() = {};
    }
  }
  Type result = program_.enter(callee, types, node.callee->location);
  check_waiter_call(node, callee);
  if (callee.result_parameters.size() == 1 && callee.result_parameters[0] >= 0) {
    const auto index = static_cast<std::size_t>(callee.result_parameters[0]);
    if (index < node.args.size()) set_origin(expr, origin_of(*node.args[index]));
  }
  return result;
}

}  // namespace a2a3::ir
