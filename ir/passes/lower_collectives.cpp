// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/lower_collectives.hpp"

#include "ir/collective_call.hpp"
#include "ir/op.hpp"
#include "ir/passes/collectives/collective.hpp"
#include "ir/passes/live_tiles.hpp"
#include "ir/passes/rewrite.hpp"

namespace a2a3::ir {
namespace {

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
    Collective collective(module, *call, out, options.ub_bytes - live.bytes_across(*expr),
                          both_layouts);
    lower_collective(collective);
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
