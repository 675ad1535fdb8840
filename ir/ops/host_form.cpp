// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/host_form.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "ir/collective_call.hpp"
#include "ir/ops/collective_checks.hpp"

namespace a2a3::ir {
namespace {

const std::string kLowering = "LowerHostTensorCollectives: ";

constexpr std::size_t kAllreduceOp = 2;
constexpr std::size_t kAllreduceCoreNum = 4;

void check_lanes(OpCall& call, std::size_t operand) {
  const Type& type = call.type(operand);
  const std::int64_t lanes = lane_count(call.call());
  if (type.shape.size() == 1 && lanes > 1) {
    call.error(operand, kLowering +
                            "rank-1 signal is valid only when one signal lane is required, "
                            "core_num is " +
                            std::to_string(lanes) + ": make it [NR, core_num]");
  } else if (type.shape.size() == 2 && type.shape[1].constant().value_or(lanes) < lanes) {
    call.error(operand, kLowering + "collective signal shape[1] (" + call.show(type.shape[1]) +
                            ") must be at least core_num (" + std::to_string(lanes) + ")");
  } else if (type.shape.size() > 2) {
    call.error(operand, kLowering + "allreduce signal must be [NR] or [NR, core_num], got rank " +
                            std::to_string(type.shape.size()));
  }
}

/// A window that is data or a signal: a variable that holds a view.
bool is_view_variable(OpCall& call, std::size_t operand) {
  if (call.type(operand).kind != TypeKind::distributed_tensor) return false;
  const Expr& expr = call.operand(operand);
  const auto* name = std::get_if<Name>(&expr.node);
  const Origin origin = call.origin(operand);
  if (name != nullptr && origin.buffer >= 0 && !origin.collective_result) return true;
  const std::string text = std::string(call.op().name) + " " + call.parameter(operand) +
                           " must be a window view variable";
  if (name == nullptr || origin.buffer < 0) {
    call.error(operand, text + " (v = pld.window(...)) in a HOST orchestrator");
  } else {
    call.error(operand, text + "; '" + name->id +
                            "' is what a collective gave: call that one as a bare statement and "
                            "go on using the view");
  }
  return false;
}

void check_loop(OpCall& call) {
  if (!call.checker().in_loop()) return;
  const std::string name(call.op().name);
  if (call.op().id == OpId::all_to_all_v) {
    call.error(name +
               " is not supported inside a for/while loop in a HOST orchestrator. Call it outside "
               "of loops, or in a kernel");
  } else if (call.op().id == OpId::allreduce && !call.has(1)) {
    call.error(name +
               " without an explicit signal is not supported inside a for/while loop on the HOST "
               "rail: the signal that is made for it cannot be shared by several calls; allocate "
               "an INT32 window and pass it as signal");
  } else if (call.op().id == OpId::allreduce && !call.module().self_clearing_host_allreduce) {
    call.error(name +
               " inside a for/while loop of a HOST orchestrator: the HOST form is not yet "
               "self-clearing, so its signal cannot serve a second call; call it in a kernel, or "
               "pass --host-allreduce=self-clearing for compilers whose HOST form is");
  }
}

void check_dtype(OpCall& call, std::size_t operand) {
  const isa::DType dtype = call.type(operand).dtype;
  const std::string parameter = std::string(call.op().name) + " " + call.parameter(operand);
  const bool is_allreduce = call.op().id == OpId::allreduce;
  const bool ring = is_allreduce && is_ring(call.call());
  if (dtype == isa::DType::fp32 || (is_allreduce && !ring)) return;
  call.error(operand, parameter + " dtype must be FP32 in a HOST orchestrator" +
                          (ring ? " with mode=\"ring\"" : "") + ", got " +
                          std::string(isa::name(dtype)));
}

void check_allreduce(OpCall& call) {
  const std::string name(call.op().name);
  if (!is_ring(call.call())) return;
  if (!call.has(1)) {
    call.error(name +
               " mode=\"ring\" requires an explicit signal: allocate an INT32 window "
               "[2*(NR-1) + 1, NR] and pass it as signal");
  }
  if (call.has(kAllreduceOp)) {
    const auto& constant = call.operand(kAllreduceOp).constant;
    const auto* member = constant ? std::get_if<EnumMember>(&constant->value) : nullptr;
    if (member != nullptr && member->member != "Sum") {
      call.error(kAllreduceOp, name +
                                   " mode=\"ring\" op must be ReduceOp.Sum in a HOST orchestrator, "
                                   "got " +
                                   member->member);
    }
  }
  if (lane_count(call.call()) > 1) {
    call.error(kAllreduceCoreNum, name + " core_num > 1 needs mode=\"mesh\"");
  }
}

constexpr std::array<std::string_view, 3> kData{"target", "local_data", "input"};
constexpr std::array<std::string_view, 2> kCounts{"send_counts", "recv_counts"};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void check_host_signal(OpCall& call, std::size_t operand, int target, const std::string& name) {
  if (!is_signal_window(call, operand, target, name)) return;
  const std::vector<Dim>& shape = call.type(operand).shape;
  const std::string signal = kLowering + name + " signal must be ";
  switch (call.op().id) {
    case OpId::allreduce:
      if (!is_ring(call.call())) return check_lanes(call, operand);
      if (shape.size() == 2) return;
      call.error(operand, kLowering +
                              "ring allreduce signal must be rank-2 [2*(NR-1) + 1, NR], got rank " +
                              std::to_string(shape.size()));
      return;
    case OpId::allgather:
    case OpId::all_to_all:
      if (shape.size() == 1 || (shape.size() == 2 && !provably_differ(shape[1], Dim(1)))) return;
      call.error(operand, signal + "[world_size] or [world_size, 1] in a HOST orchestrator, got " +
                              call.show(call.type(operand)));
      return;
    default:
      if (shape.size() == 1) return;
      call.error(operand, signal + "rank-1 [world_size] in a HOST orchestrator, got rank " +
                              std::to_string(shape.size()));
  }
}

void check_host_form(OpCall& call) {
  check_loop(call);
  if (call.op().id == OpId::allreduce) check_allreduce(call);
  HostCall host;
  host.expr = &call.expr();
  host.call = &call.call();
  bool good = true;
  const auto note = [&](std::size_t operand) {
    if (!is_view_variable(call, operand)) {
      good = false;
      return;
    }
    host.windows.push_back({operand, static_cast<std::size_t>(call.origin(operand).buffer)});
  };
  const auto parameters = call.op().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!is_one_of(kData, parameters[i].name) || !call.has(i)) continue;
    if (call.type(i).kind == TypeKind::distributed_tensor) check_dtype(call, i);
    note(i);
  }
  for (const std::string_view name : kCounts) {
    const std::size_t i = operand_index(call.op(), name);
    if (i < parameters.size() && call.has(i)) note(i);
  }
  const std::size_t signal = operand_index(call.op(), "signal");
  if (call.has(signal)) note(signal);
  if (good) call.checker().program().host_calls.push_back(std::move(host));
  Origin origin = call.checker().origin_of(call.expr());
  origin.collective_result = true;
  call.checker().set_origin(call.expr(), origin);
}

}  // namespace a2a3::ir
