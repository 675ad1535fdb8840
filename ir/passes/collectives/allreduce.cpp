// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/collectives/allreduce.hpp"

namespace a2a3::ir {
namespace {

constexpr std::size_t kReductionTarget = 0;

std::string combiner(const Expr* op) {
  const auto* member =
      op != nullptr && op->constant ? std::get_if<EnumMember>(&op->constant->value) : nullptr;
  if (member == nullptr || member->member == "Sum") return "pl.add";
  if (member->member == "Max") return "pl.maximum";
  if (member->member == "Min") return "pl.minimum";
  return "pl.mul";
}

}  // namespace

Reduction Reduction::of(const Collective& collective) {
  constexpr std::size_t kOp = 2;
  Reduction reduction;
  reduction.combine = combiner(collective.call().operand(kOp));
  reduction.element_bytes = isa::size_of(collective.type(kReductionTarget).dtype);
  reduction.block = isa::kBlockBytes / reduction.element_bytes;
  return reduction;
}

Reduction Reduction::begin(Collective& collective) {
  Reduction reduction = of(collective);
  reduction.length = collective.bind_flat(kReductionTarget);
  return reduction;
}

}  // namespace a2a3::ir
