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
    Collective collective(module, *expr, out, options.ub_bytes - live.bytes_across(*expr));
    lower(collective);
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
