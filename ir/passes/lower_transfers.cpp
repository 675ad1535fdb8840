// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/lower_transfers.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "ir/op.hpp"
#include "ir/passes/expansion.hpp"
#include "ir/passes/rewrite.hpp"
#include "ir/passes/staging.hpp"

namespace a2a3::ir {
namespace {

std::optional<std::int64_t> constant_int(const Expr* expr) {
  if (expr == nullptr || !expr->constant) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&expr->constant->value);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

/// The extents of what is moved; those that only the launch knows are absent.
std::vector<std::optional<std::int64_t>> extents(const Call& call) {
  std::vector<std::optional<std::int64_t>> result;
  if (const Expr* shape = named_operand(call, "shape")) {
    for (const ExprPtr& item : std::get<Sequence>(shape->node).items)
      result.push_back(constant_int(item.get()));
  } else {
    for (const Dim& dim : named_operand(call, "dst")->type.shape)
      result.push_back(dim.constant());
  }
  return result;
}

/// One side of the staging tile: the whole extent, or the chunk when that is smaller.
std::int64_t stage_side(const std::optional<std::int64_t>& whole, const Expr* chunk) {
  const std::int64_t limit = constant_int(chunk).value_or(0);
  if (limit == 0) {
    if (!whole) throw std::logic_error("a transfer without a bound for its staging tile");
    return *whole;
  }
  return whole ? std::min(*whole, limit) : limit;
}

/// Makes the stages; returns the call that moves the data through them.
ExprPtr lower(const Call& call, bool is_put, Expansion& out) {
  const auto shape = extents(call);
  Dim rows(1);
  for (std::size_t i = 0; i + 1 < shape.size(); ++i)
    rows = rows * (shape[i] ? Dim(*shape[i]) : Dim::unknown());
  const isa::DType dtype = named_operand(call, "dst")->type.dtype;
  const std::int64_t stage_rows = stage_side(rows.constant(), named_operand(call, "chunk_rows"));
  const std::int64_t stage_cols = stage_side(shape.back(), named_operand(call, "chunk_cols"));
  const Expr* pipeline = named_operand(call, "pipeline");
  const auto* flag =
      pipeline && pipeline->constant ? std::get_if<bool>(&pipeline->constant->value) : nullptr;
  const bool two_tiles = flag != nullptr && *flag;

  out.add(staging_tile("stage", stage_rows, stage_cols, dtype));
  if (two_tiles) out.add(staging_tile("stage2", stage_rows, stage_cols, dtype));
  std::string operands = "DST, peer=PEER, src=SRC, stage=stage";
  if (two_tiles) operands += ", stage2=stage2";
  out.bind("DST", clone(*named_operand(call, "dst")));
  out.bind("PEER", clone(*named_operand(call, "peer")));
  out.bind("SRC", clone(*named_operand(call, "src")));
  const auto pass_on = [&](const std::string& parameter, const std::string& placeholder) {
    const Expr* expr = named_operand(call, parameter);
    if (expr == nullptr) return;
    out.bind(placeholder, clone(*expr));
    operands += fmt::format(", {}={}", parameter, placeholder);
  };
  pass_on("dst_offsets", "DST_OFFSETS");
  pass_on("src_offsets", "SRC_OFFSETS");
  pass_on("shape", "SHAPE");
  if (is_put) pass_on("atomic", "ATOMIC");
  return out.call(fmt::format("pld.tile.{}({})\n", is_put ? "put" : "get", operands));
}

void lower_function(Function& function) {
  int next = 0;
  rewrite(function.body, [&](Stmt& stmt) -> std::optional<Block> {
    const Expr* expr = statement_call(stmt);
    if (expr == nullptr) return std::nullopt;
    const Call& call = std::get<Call>(expr->node);
    if (call.op == nullptr) return std::nullopt;
    const bool is_put = call.op->id == OpId::tensor_put;
    if (!is_put && call.op->id != OpId::tensor_get) return std::nullopt;
    Expansion out(fresh_prefix(function, is_put ? "put" : "get", next), expr->location);
    ExprPtr transfer = lower(call, is_put, out);
    Block block = out.take();
    statement_value(stmt) = std::move(transfer);
    block.push_back(std::move(stmt));
    return block;
  });
}

}  // namespace

void lower_transfers(Module& module, const LoweringOptions& /*options*/) {
  for (const auto& function : module.functions) {
    if (function->kind == FunctionKind::kernel) lower_function(*function);
  }
}

}  // namespace a2a3::ir
