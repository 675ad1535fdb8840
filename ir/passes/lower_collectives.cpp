// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/lower_collectives.hpp"

#include "ir/op.hpp"
#include "ir/passes/collectives/collective.hpp"
#include "ir/passes/live_tiles.hpp"
#include "ir/passes/rewrite.hpp"

namespace a2a3::ir {
namespace {

void lower_function(const Module& module, Function& function, const LoweringOptions& options) {
  int next = 0;
  const LiveTiles live(function);
  rewrite(function.body, [&](Stmt& stmt) -> std::optional<Block> {
    const Expr* expr = statement_call(stmt);
    if (expr == nullptr) return std::nullopt;
    const Call& call = std::get<Call>(expr->node);
    if (call.op == nullptr || !is_collective(call.op->id)) return std::nullopt;
    const std::string stem(call.op->name.substr(call.op->name.rfind('.') + 1));
    Expansion out(fresh_prefix(function, stem, next), expr->location);
    Collective collective(module, call, out, options.ub_bytes - live.bytes_across(*expr));
    lower_collective(collective);
    Block block = out.take();
    use_result(stmt, out.value(call.op->id == OpId::barrier ? "SIGNAL" : "TARGET"), block);
    return block;
  });
}

}  // namespace

void lower_collectives(Module& module, const LoweringOptions& options) {
  for (const auto& function : module.functions) {
    if (function->kind == FunctionKind::kernel) lower_function(module, *function, options);
  }
}

}  // namespace a2a3::ir
