// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/collectives/allreduce.hpp"

namespace a2a3::ir {
namespace {

std::string combiner(const Expr* op) {
  const auto* member =
      op != nullptr && op->constant ? std::get_if<EnumMember>(&op->constant->value) : nullptr;
  if (member == nullptr || member->member == "Sum") return "pl.add";
  if (member->member == "Max") return "pl.maximum";
  if (member->member == "Min") return "pl.minimum";
  return "pl.mul";
}

}  // namespace

Reduction Reduction::begin(Collective& collective) {
  constexpr std::size_t kTarget = 0;
  constexpr std::size_t kOp = 2;
  const Type& target = collective.type(kTarget);
  Reduction reduction;
  reduction.combine = combiner(collective.call().operand(kOp));
  reduction.length = collective.bind_flat(kTarget);
  reduction.element_bytes = isa::size_of(target.dtype);
  reduction.block = isa::kBlockBytes / reduction.element_bytes;
  return reduction;
}

}  // namespace a2a3::ir
