// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "isa/effect/effect.hpp"

namespace a2a3::isa {
namespace {

/// Picks the effect by type; a new operation without one does not compile.
struct Effect {
  LocalMemory local;
  GlobalPort& global;

  void operator()(const TLoad& op) const { apply(op, local, global); }
  void operator()(const TStore& op) const { apply(op, local, global); }
  void operator()(const TPut& op) const { apply(op, local, global); }
  void operator()(const TGet& op) const { apply(op, local, global); }
  void operator()(const TPutAsync& op) const { apply(op, global); }
  void operator()(const TGetAsync& op) const { apply(op, global); }
  void operator()(const TNotify& op) const { apply(op, global); }
  void operator()(const TBinary& op) const { apply(op, local); }
  void operator()(const TBinaryScalar& op) const { apply(op, local); }
  void operator()(const TUnary& op) const { apply(op, local); }
  void operator()(const TCast& op) const { apply(op, local); }
  void operator()(const TFill& op) const { apply(op, local); }
  void operator()(const TMove& op) const { apply(op, local); }
  void operator()(const TRowSum& op) const { apply(op, local); }
  void operator()(const TMatmul& op) const { apply(op, local); }
  void operator()(const ScalarRead& op) const { apply(op, local, global); }
  void operator()(const ScalarWrite& op) const { apply(op, local, global); }
  void operator()(const TWait&) const {}
  void operator()(const TWaitEvent&) const {}
  void operator()(const TDeferWait&) const {}
  void operator()(const PipeBarrier&) const {}
  void operator()(const TaskBegin&) const {}
  void operator()(const TaskEnd&) const {}
};

}  // namespace

void execute(const Operation& operation, LocalMemory local, GlobalPort& global) {
  std::visit(Effect{local, global}, operation);
}

}  // namespace a2a3::isa
