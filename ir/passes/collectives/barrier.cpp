// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/collectives/collective.hpp"

namespace a2a3::ir {

// pld.tensor.barrier(signal)
void lower_barrier(Collective& collective) {
  collective.bind_signal(0, SignalLayout::mesh);
  collective.ranks_of("SIGNAL", {"barrier"});
  collective.out().add(collective.credit_barrier("1"));
  collective.out().add(collective.clear_credits("1"));
}

}  // namespace a2a3::ir
