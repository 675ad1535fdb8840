// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/collectives/collective.hpp"

namespace a2a3::ir {

// pld.tensor.broadcast(target, signal, *, root)
//
// Everybody pulls, the root too: it copies its target onto itself. Nothing tells the root when its
// peers have read.
void lower_broadcast(Collective& collective) {
  collective.bind_operand("TARGET", 0);
  collective.bind_signal(1, SignalLayout::mesh);
  collective.bind_operand("ROOT", 2);
  collective.ranks_of("TARGET");
  collective.out().add(credit_barrier("1"));
  const std::vector<Dim>& shape = collective.type(0).shape;
  Dim rows(1);
  for (std::size_t i = 0; i + 1 < shape.size(); ++i)
    rows = rows * shape[i];
  collective.stage("stage", 0, rows.constant().value(), shape.back().constant());
  collective.out().add("pld.tile.get(TARGET, peer=ROOT, src=TARGET, stage=stage)\n");
  collective.out().add(clear_credits("1"));
}

}  // namespace a2a3::ir
