// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/collective_checks.hpp"

#include "ir/ops/host_form.hpp"
#include "ir/signal_layout.hpp"

namespace a2a3::ir {

bool is_whole_statement(OpCall& call, const std::string& name) {
  if (call.checker().is_statement_value(call.expr())) return true;
  const bool is_synthesised =
      call.checker().is_host() && call.op().id == OpId::allreduce && !call.has(1);
  call.error(name + " must be a direct assignment, expression statement, or return value" +
             (is_synthesised ? " before allreduce signal synthesis." : ""));
  return false;
}

bool is_target(OpCall& call, std::size_t operand, const std::string& name) {
  return call.is_window(operand, name + " " + call.parameter(operand) +
                                     " must be a DistributedTensor (window-bound)");
}

bool is_two_dimensional(OpCall& call, std::size_t operand, const std::string& name,
                        const std::string& shape) {
  const std::size_t rank = call.type(operand).shape.size();
  if (rank == 2) return true;
  call.error(operand, name + " " + call.parameter(operand) + " must be 2D " + shape + ", got " +
                          std::to_string(rank) + " dims");
  return false;
}

bool is_same_buffer(const OpCall& call, std::size_t a, std::size_t b) {
  const Origin first = call.origin(a);
  const Origin second = call.origin(b);
  if (first.part && second.part) return false;  // two slices may be apart
  return (first.parameter >= 0 && first.parameter == second.parameter) ||
         (first.buffer >= 0 && first.buffer == second.buffer);
}

bool is_signal_window(OpCall& call, std::size_t operand, int target, const std::string& name) {
  const std::string signal = name + " " + call.parameter(operand);
  if (!call.is_window(operand, signal + " must be a DistributedTensor (window-bound)")) {
    return false;
  }
  const Type& type = call.type(operand);
  if (type.dtype != isa::DType::int32) {
    call.error(operand, signal +
                            " must have INT32 element type (the barrier slot is an int counter), "
                            "got dtype " +
                            std::string(isa::name(type.dtype)));
    return false;
  }
  if (target >= 0 && is_same_buffer(call, operand, static_cast<std::size_t>(target))) {
    call.error(operand, signal + " and " + call.parameter(static_cast<std::size_t>(target)) +
                            " must be different windows");
    return false;
  }
  return true;
}

bool is_signal(OpCall& call, std::size_t operand, int target, const std::string& name,
               const std::string& layout) {
  if (!is_signal_window(call, operand, target, name)) return false;
  const Type& type = call.type(operand);
  if (type.shape.size() == 2) return true;
  call.error(operand, name + " " + call.parameter(operand) + " must be 2D " + layout +
                          ", got rank " + std::to_string(type.shape.size()));
  return false;
}

void check_mesh_signal(OpCall& call, std::size_t operand, int target, const std::string& name) {
  if (call.checker().is_host()) return check_host_signal(call, operand, target, name);
  if (!is_signal(call, operand, target, name, "[NR, 1]")) return;
  const Type& type = call.type(operand);
  const auto problem =
      signal_problem(SignalLayout::mesh, name, type.shape[0].constant(), type.shape[1].constant());
  if (problem) call.error(operand, *problem);
}

void check_strict_signal(OpCall& call, std::size_t operand, std::size_t target,
                         const std::string& name) {
  if (call.checker().is_host()) {
    return check_host_signal(call, operand, static_cast<int>(target), name);
  }
  if (!is_signal(call, operand, static_cast<int>(target), name, "[NR, 1]")) return;
  const Type& type = call.type(operand);
  if (!(type.shape[1] == Dim(1))) {
    call.error(operand, name + " signal second dimension must be 1, got " +
                            (type.shape[1].is_constant() ? call.show(type.shape[1]) : "<dynamic>"));
    return;
  }
  if (call.type(target).kind != TypeKind::distributed_tensor ||
      call.type(target).shape.size() != 2) {
    return;
  }
  const Dim& rows = call.type(target).shape[0];
  if (!provably_differ(type.shape[0], rows)) return;
  call.error(operand, name + " signal first dimension (" + call.show(type.shape[0]) +
                          ") must equal target first dimension (" + call.show(rows) + ")");
}

bool same_dtype(OpCall& call, std::size_t input, std::size_t target, const std::string& name) {
  if (call.type(input).dtype == call.type(target).dtype) return true;
  call.error(input, name + " input and target must have the same element type, got " +
                        std::string(isa::name(call.type(input).dtype)) + " vs " +
                        std::string(isa::name(call.type(target).dtype)));
  return false;
}

bool provably_differ(const Dim& a, const Dim& b) {
  const auto difference = (a - b).constant();
  return difference && *difference != 0;
}

}  // namespace a2a3::ir
