// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "ir/check/function_checker.hpp"
#include "ir/check/op_call.hpp"
#include "ir/ops/host_form.hpp"
#include "ir/ops/region.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3::ir {
namespace {

bool has_level(const OpInfo& op, Level level) {
  return (op.levels & static_cast<std::uint8_t>(level)) != 0;
}

Level level_of(FunctionKind kind) {
  switch (kind) {
    case FunctionKind::kernel:
      return Level::kernel;
    case FunctionKind::chip:
      return Level::chip;
    case FunctionKind::host:
      return Level::host;
  }
  return Level::kernel;
}

std::string levels_in_words(const OpInfo& op) {
  std::string text;
  const auto add = [&](Level level, std::string_view words) {
    if (!has_level(op, level)) return;
    if (!text.empty()) text += " or ";
    text += words;
  };
  add(Level::kernel, "a kernel (@pl.jit.incore, FunctionType.InCore)");
  add(Level::chip, "a per-device function (@pl.jit, FunctionType.Orchestration)");
  add(Level::host, "a host function");
  return text;
}

std::string_view kind_in_words(FunctionKind kind) {
  switch (kind) {
    case FunctionKind::kernel:
      return "a kernel";
    case FunctionKind::chip:
      return "a per-device function";
    case FunctionKind::host:
      return "a host function";
  }
  return "";
}

}  // namespace

bool FunctionChecker::level_allows(const Expr& callee, const OpInfo& op) {
  if (has_level(op, level_of(function_.kind))) return true;
  if (op.id == OpId::alloc_window_buffer || op.id == OpId::window) {
    error(callee.location, std::string(op.name) +
                               "() can only be called in HOST orchestration context (not inside "
                               "InCore / SPMD scopes)");
  } else if (op.id == OpId::world_size) {
    error(callee.location,
          "pld.system.world_size() can only be called in HOST orchestration context; a kernel "
          "takes the rank count from pld.nranks(pld.get_comm_ctx(window))");
  } else {
    error(callee.location, "'" + dotted_name(callee).value_or(std::string(op.name)) +
                               "' can only be called in " + levels_in_words(op) + "; '" +
                               function_.name + "' is " +
                               std::string(kind_in_words(function_.kind)));
  }
  return false;
}

bool FunctionChecker::bind_operands(Expr& expr, Call& node, const OpInfo& op) {
  const std::string spelled = dotted_name(*node.callee).value_or(std::string(op.name));
  const auto explain = [&](Diagnostic& diagnostic) {
    diagnostic.notes.push_back({"signature: " + signature(op), {}});
  };
  node.operands.assign(op.parameters.size(), -1);
  std::size_t positional = 0;
  while (positional < op.parameters.size() && !op.parameters[positional].keyword_only)
    ++positional;
  bool good = true;
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    if (i < positional) {
      node.operands[i] = static_cast<std::int32_t>(i);
      continue;
    }
    explain(error(node.args[i]->location, spelled + " takes " + std::to_string(positional) +
                                              " positional operands, got " +
                                              std::to_string(node.args.size())));
    good = false;
    break;
  }
  for (std::size_t k = 0; k < node.keywords.size(); ++k) {
    const Keyword& keyword = node.keywords[k];
    const auto parameter =
        std::find_if(op.parameters.begin(), op.parameters.end(),
                     [&](const OpParameter& p) { return p.name == keyword.name; });
    if (parameter == op.parameters.end()) {
      good = false;
      if (op.id == OpId::alloc_window_buffer && keyword.name == "name") {
        error(keyword.location,
              "pld.tensor.alloc_window_buffer 'name' kwarg cannot be passed explicitly: the "
              "variable's name is the buffer's name");
        continue;
      }
      std::vector<std::string> names;
      for (const OpParameter& p : op.parameters)
        names.emplace_back(p.name);
      explain(error(keyword.location, spelled + " has no operand '" + keyword.name + "'" +
                                          suggestion(keyword.name, names)));
      continue;
    }
    const auto index = static_cast<std::size_t>(parameter - op.parameters.begin());
    if (node.operands[index] != -1) {
      explain(error(keyword.location, spelled + " operand '" + keyword.name + "' is given twice"));
      good = false;
      continue;
    }
    node.operands[index] = -static_cast<std::int32_t>(k) - 2;
  }
  if (!good) return false;
  std::string missing;
  for (std::size_t i = 0; i < op.parameters.size(); ++i) {
    if (!op.parameters[i].required || node.operands[i] != -1) continue;
    missing += (missing.empty() ? "'" : ", '") + std::string(op.parameters[i].name) + "'";
  }
  if (missing.empty()) return true;
  explain(error(expr.location, spelled + " misses operand " + missing));
  return false;
}

/// Only stores, moves and matrix products take tiles of the cube's memories; their rules look at
/// them.
bool FunctionChecker::operands_in_vector_memory(const Call& node, const OpInfo& op) {
  if (op.id == OpId::tile_store || op.id == OpId::tile_move || op.id == OpId::matmul) return true;
  const std::string spelled = dotted_name(*node.callee).value_or(std::string(op.name));
  bool good = true;
  for (const ExprPtr& argument : node.args)
    good = is_in_memory(*this, *argument, spelled, {isa::MemorySpace::ub}) && good;
  for (const Keyword& keyword : node.keywords)
    good = is_in_memory(*this, *keyword.value, spelled, {isa::MemorySpace::ub}) && good;
  return good;
}

/// Slices with a valid_shape of their own go into the operations that keep to it.
bool FunctionChecker::operands_wholly_valid(const Call& node, const OpInfo& op) {
  constexpr std::array kKeepToIt{
      OpId::tile_load,    OpId::tile_store, OpId::remote_load, OpId::remote_load_padded,
      OpId::remote_store, OpId::read,       OpId::write,       OpId::tensor_dim,
      OpId::get_comm_ctx, OpId::allreduce};
  if (std::find(kKeepToIt.begin(), kKeepToIt.end(), op.id) != kKeepToIt.end()) return true;
  const std::string spelled = dotted_name(*node.callee).value_or(std::string(op.name));
  bool good = true;
  for (const ExprPtr& argument : node.args)
    good = is_wholly_valid(*this, *argument, spelled) && good;
  for (const Keyword& keyword : node.keywords)
    good = is_wholly_valid(*this, *keyword.value, spelled) && good;
  return good;
}

Type FunctionChecker::op_call(Expr& expr, Call& node, const OpInfo& op) {
  const std::string* assigned = assigned_name_;
  assigned_name_ = nullptr;  // operands are not the right side of the assignment
  for (ExprPtr& argument : node.args)
    (void)expression(*argument);
  for (Keyword& keyword : node.keywords)
    (void)expression(*keyword.value);
  const bool allowed = level_allows(*node.callee, op);
  if (!allowed || !bind_operands(expr, node, op)) {
    node.operands.clear();
    return {};
  }
  if (!operands_in_vector_memory(node, op)) return {};
  if (!operands_wholly_valid(node, op)) return {};
  node.op = &op;
  assigned_name_ = assigned;
  OpCall call(*this, expr, node, op);
  const Type result = op.rule(call);
  if (is_host() && is_collective(op.id)) check_host_form(call);
  assigned_name_ = nullptr;
  return result;
}

}  // namespace a2a3::ir
