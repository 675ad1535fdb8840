// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir::rules {
namespace {

/// The window operand and the cell that `offsets` names in it.
void check_cell(OpCall& call, const std::string& name, std::size_t offsets_operand) {
  const std::string window = call.parameter(0);
  const bool is_window =
      call.is_window(0, name + " " + window + " must be a DistributedTensor (window-bound)");
  const auto offsets = call.dims(offsets_operand, name);
  if (!is_window) return;
  const Type& type = call.type(0);
  if (type.dtype != isa::DType::int32) {
    call.error(0, name + " " + window +
                      " must have INT32 element type (a signal cell is an int32 "
                      "counter), got " +
                      call.show(type));
  }
  if (!offsets || !rank_matches(call, offsets_operand, *offsets, type, name)) return;
  const std::vector<Dim> cell(offsets->size(), Dim(1));
  (void)inside(call, name, offsets_operand, *offsets, cell, type, "the " + window + " window");
}

void check_value(OpCall& call, const std::string& name, std::size_t operand) {
  const std::string parameter = call.parameter(operand);
  if (!call.is_scalar(operand, name + " " + parameter + " must be a scalar")) return;
  if (!call.is_integer_scalar(operand, name + " " + parameter + " must be an integer")) return;
  (void)call.checker().literal_fits(call.operand(operand), isa::DType::int32,
                                    name + " " + parameter);
}

}  // namespace

// pld.system.notify(target, peer, offsets, value, *, op)
Type notify(OpCall& call) {
  const std::string name = "pld.system.notify";
  check_cell(call, name, 2);
  (void)check_peer(call, 1, name);
  check_value(call, name, 3);
  (void)call.member(4, "NotifyOp", "AtomicAdd",
                    name + " op must be NotifyOp.AtomicAdd or NotifyOp.Set");
  return Type::none();
}

// pld.system.wait(signal, offsets, expected, *, cmp)
Type wait(OpCall& call) {
  const std::string name = "pld.system.wait";
  check_cell(call, name, 1);
  check_value(call, name, 2);
  (void)call.member(3, "WaitCmp", "Ge", name + " cmp must be WaitCmp.Eq or WaitCmp.Ge");
  return Type::none();
}

}  // namespace a2a3::ir::rules
