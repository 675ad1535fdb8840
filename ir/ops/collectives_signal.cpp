// SPDX-License-Identifier: Apache-2.0
// Collectives that move nothing, or one rank's target.
#include "ir/ops/collective_checks.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir::rules {

// pld.tensor.barrier(signal)
Type barrier(OpCall& call) {
  const std::string name = "pld.tensor.barrier";
  (void)is_whole_statement(call, name);
  check_mesh_signal(call, 0, -1, name);
  return call.result_is(0);
}

// pld.tensor.broadcast(target, signal, *, root)
Type broadcast(OpCall& call) {
  const std::string name = "pld.tensor.broadcast";
  (void)is_whole_statement(call, name);
  if (is_target(call, 0, name)) {
    for (const Dim& dim : call.type(0).shape) {
      if (dim.is_constant()) continue;
      call.error(0, name + " target must have a static shape, got " + call.show(call.type(0)));
      break;
    }
  }
  check_mesh_signal(call, 1, 0, name);
  const auto root = call.constant_int(2, 0, name);
  if (root && *root < 0) {
    call.error(2, name + " root rank must be non-negative, got " + std::to_string(*root));
  }
  return call.result_is(0);
}

}  // namespace a2a3::ir::rules
