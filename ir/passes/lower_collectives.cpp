// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/lower_collectives.hpp"

#include <stdexcept>

#include "ir/op.hpp"
#include "ir/passes/collectives/collective.hpp"
#include "ir/passes/live_tiles.hpp"
#include "ir/passes/rewrite.hpp"

namespace a2a3::ir {
namespace {

bool is_ring(const Call& call) {
  const Expr* mode = call.operand(3);
  const auto* text = mode != nullptr && mode->constant
                         ? std::get_if<std::string>(&mode->constant->value)
                         : nullptr;
  return text != nullptr && *text == "ring";
}

void lower(Collective& collective) {
  switch (collective.call().op->id) {
    case OpId::barrier:
      return lower_barrier(collective);
    case OpId::broadcast:
      return lower_broadcast(collective);
    case OpId::allreduce:
      return is_ring(collective.call()) ? lower_allreduce_ring(collective)
                                        : lower_allreduce_mesh(collective);
    case OpId::allgather:
      return lower_allgather(collective);
    case OpId::reduce_scatter:
      return lower_reduce_scatter(collective);
    case OpId::all_to_all:
      return lower_all_to_all(collective);
    case OpId::all_to_all_v:
      return lower_all_to_all_v(collective);
    default:
      throw std::logic_error("no lowering of " + std::string(collective.call().op->name));
  }
}

/// The call when the expression is one of a collective.
const Call* collective_call(const Expr* expr) {
  const Call* call = expr == nullptr ? nullptr : std::get_if<Call>(&expr->node);
  return call != nullptr && call->op != nullptr && is_collective(call->op->id) ? call : nullptr;
}

/// The kernels use signal windows of both layouts.
bool uses_both_layouts(Module& module) {
  bool mesh = false;
  bool ring = false;
  for (const auto& function : module.functions) {
    if (function->kind != FunctionKind::kernel) continue;
    rewrite(function->body, [&](Stmt& stmt) -> std::optional<Block> {
      if (const Call* call = collective_call(statement_call(stmt))) {
        const bool is_ring_call = call->op->id == OpId::allreduce && is_ring(*call);
        (is_ring_call ? ring : mesh) = true;
      }
      return std::nullopt;
    });
  }
  return mesh && ring;
}

void lower_function(const Module& module, Function& function, const LoweringOptions& options,
                    bool both_layouts) {
  int next = 0;
  const LiveTiles live(function);
  rewrite(function.body, [&](Stmt& stmt) -> std::optional<Block> {
    const Expr* expr = statement_call(stmt);
    const Call* call = collective_call(expr);
    if (call == nullptr) return std::nullopt;
    const std::string stem(call->op->name.substr(call->op->name.rfind('.') + 1));
    Expansion out(fresh_prefix(function, stem, next), expr->location);
    Collective collective(module, *expr, out, options.ub_bytes - live.bytes_across(*expr),
                          both_layouts);
    lower(collective);
    Block block = out.take();
    use_result(stmt, out.value(call->op->id == OpId::barrier ? "SIGNAL" : "TARGET"), block);
    return block;
  });
}

}  // namespace

void lower_collectives(Module& module, const LoweringOptions& options) {
  const bool both_layouts = uses_both_layouts(module);
  for (const auto& function : module.functions) {
    if (function->kind != FunctionKind::kernel) continue;
    lower_function(module, *function, options, both_layouts);
  }
}

}  // namespace a2a3::ir
