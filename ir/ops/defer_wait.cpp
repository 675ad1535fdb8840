// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir::rules {
namespace {

const std::string kDeferWait = "pld.system.defer_wait";

void check_deferred_cell(OpCall& call) {
  const bool window =
      call.is_window(0, kDeferWait + " signal must be a DistributedTensor (window-bound)");
  const auto offsets = call.dims(1, kDeferWait);
  if (!window) return;
  const Type& type = call.type(0);
  if (type.dtype != isa::DType::int32) {
    call.error(
        0, kDeferWait + " signal dtype must be INT32, got " + std::string(isa::name(type.dtype)));
  }
  if (!offsets || !rank_matches(call, 1, *offsets, type, kDeferWait)) return;
  const std::vector<Dim> cell(offsets->size(), Dim(1));
  (void)inside(call, kDeferWait, 1, *offsets, cell, type, "the signal window");
}

void check_deferred_value(OpCall& call) {
  if (!call.is_scalar(2, kDeferWait + " expected must be a scalar")) return;
  if (!call.is_integer_scalar(2, kDeferWait + " expected must be an integer")) return;
  const auto constant = call.dim_of(call.operand(2)).constant();
  constexpr std::int64_t kMax = (std::int64_t{1} << 31) - 1;
  if (constant && (*constant < 0 || *constant > kMax)) {
    call.error(2, kDeferWait + " constant expected must be in [0, INT32_MAX], got " +
                      std::to_string(*constant));
  }
}

}  // namespace

// pld.system.defer_wait(signal, offsets, expected, *, cmp)
Type defer_wait(OpCall& call) {
  check_deferred_cell(call);
  check_deferred_value(call);
  const std::string only_ge = kDeferWait + " only supports WaitCmp.Ge";
  const auto cmp = call.member(3, "WaitCmp", "Ge", only_ge);
  if (cmp && cmp->member != "Ge") call.error(3, only_ge + " (got int 0)");
  if (call.checker().function().outlined == Outlined::blocks) {
    call.error(kDeferWait +
               " completes a task: write it in a scope of its own, `with pl.at(level="
               "pl.Level.CORE_GROUP) as tid:`, and let later scopes take deps=[tid]");
  }
  return Type::none();
}

}  // namespace a2a3::ir::rules
