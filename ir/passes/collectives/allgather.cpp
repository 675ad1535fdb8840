// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/collectives/collective.hpp"

namespace a2a3::ir {

// pld.tensor.allgather(local_data, target, signal)
//
// A push: every rank, the own one included, gets the data into row `rank`. The barrier behind it
// tells that all rows have come in.
void lower_allgather(Collective& collective) {
  collective.bind_operand("LOCAL_DATA", 0);
  collective.bind_operand("TARGET", 1);
  collective.bind_signal(2, SignalLayout::mesh);
  collective.bind_extent("SIZE", 1, 1);
  collective.ranks_of("TARGET", {"allgather"});
  collective.stage("stage", 1, 1, collective.type(1).shape[1].constant());
  collective.out().add(
      "for peer in pl.range(nranks):\n"
      "    pld.tile.put(TARGET, peer=peer, src=LOCAL_DATA, stage=stage, dst_offsets=[rank, 0], "
      "src_offsets=[0, 0], shape=[1, SIZE])\n");
  collective.out().add(collective.credit_barrier("1"));
  collective.out().add(collective.clear_credits("1"));
}

}  // namespace a2a3::ir
