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
  Expansion& out = collective.out();
  Reduction reduction;
  reduction.combine = combiner(collective.call().operand(kOp));
  reduction.length = target.elements_count().constant();
  reduction.element_bytes = isa::size_of(target.dtype);
  reduction.block = isa::kBlockBytes / reduction.element_bytes;

  collective.bind_operand("TARGET", kTarget);
  if (reduction.length) {
    out.bind("LENGTH", *reduction.length);
  } else {
    ExprPtr length;
    for (std::size_t i = 0; i < target.shape.size(); ++i) {
      ExprPtr extent = collective.extent(kTarget, i);
      length = length == nullptr
                   ? std::move(extent)
                   : make_expr(Binary{BinaryOp::mul, std::move(length), std::move(extent)},
                               out.location());
    }
    out.let("length", std::move(length));
    out.bind("LENGTH", make_expr(Name{out.temporary("length"), kNoSlot}, out.location()));
  }
  if (target.shape.size() == 2 && target.shape[0] == Dim(1)) {
    collective.bind_operand("FLAT", kTarget);
  } else {
    out.add("flat = pl.tensor.reshape(TARGET, [1, LENGTH])\n");
    out.bind("FLAT", make_expr(Name{out.temporary("flat"), kNoSlot}, out.location()));
  }
  return reduction;
}

}  // namespace a2a3::ir
