// SPDX-License-Identifier: Apache-2.0
// Collectives that reduce over the ranks.
#include "ir/collective_call.hpp"
#include "ir/ops/collective_checks.hpp"
#include "ir/ops/host_form.hpp"
#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"
#include "ir/signal_layout.hpp"

namespace a2a3::ir::rules {
namespace {

constexpr std::size_t kReduceSignal = 1;

/// The mode operand; nothing when it is wrong (reported).
std::optional<SignalLayout> mode(OpCall& call, std::size_t operand, const std::string& name) {
  if (!call.has(operand)) return SignalLayout::mesh;
  const Expr& expr = call.operand(operand);
  const auto* text = expr.constant ? std::get_if<std::string>(&expr.constant->value) : nullptr;
  if (text != nullptr && *text == "mesh") return SignalLayout::mesh;
  if (text != nullptr && *text == "ring") return SignalLayout::ring;
  if (expr.type.kind != TypeKind::unknown) {
    call.error(operand,
               name + " mode must be \"ring\" or \"mesh\", got " + call.shown_type(operand));
  }
  return std::nullopt;
}

void check_ring_signal(OpCall& call, const std::string& name) {
  if (call.checker().is_host()) return check_host_signal(call, kReduceSignal, 0, name);
  const std::string signal = name + " mode=ring signal";
  if (!call.is_window(kReduceSignal, signal + " must be a DistributedTensor (window-bound)"))
    return;
  const Type& type = call.type(kReduceSignal);
  if (type.dtype != isa::DType::int32) {
    call.error(kReduceSignal,
               signal + " must be INT32, got dtype " + std::string(isa::name(type.dtype)));
  } else if (type.shape.size() != 2) {
    call.error(kReduceSignal, signal + " must be 2D [2*(NR-1), NR], got rank " +
                                  std::to_string(type.shape.size()));
  } else if (const auto problem = signal_problem(SignalLayout::ring, name, type.shape[0].constant(),
                                                 type.shape[1].constant())) {
    call.error(kReduceSignal, *problem);
  }
}

/// A target with a partial valid_shape is reduced as one rectangle.
void check_rectangle(OpCall& call, SignalLayout layout, const std::string& name) {
  const Type& target = call.type(0);
  if (layout != SignalLayout::mesh) {
    call.checker().unsupported(call.operand(0).location,
                               name + " mode=\"ring\" of a target with a partial valid_shape is",
                               "use mode=\"mesh\", or slice the valid part alone");
    return;
  }
  if (target.shape.size() != 2) {
    call.error(0, name + " target with a partial valid_shape must be 2D [rows, cols], got " +
                      std::to_string(target.shape.size()) +
                      " dims: others are not supported, see docs/coverage.md");
    return;
  }
  const auto rectangle = valid_rectangle(target);
  if (rectangle && rectangle->bytes() <= kMeshChunkBytes) return;
  const std::string text = name + " partial valid_shape must fit within one " +
                           std::to_string(kMeshChunkBytes) + "-byte mesh chunk";
  if (!rectangle) {
    call.error(0, text + "; the extents of " + call.show(target) +
                      " are not known before the run: give the slice a static shape");
    return;
  }
  call.error(0, text + ", but " + call.show(target) + " takes a tile of [" +
                    std::to_string(rectangle->rows) + ", " + std::to_string(rectangle->cols) +
                    "] elements, " + std::to_string(rectangle->bytes()) +
                    " bytes; reduce it in parts, or slice whole rows");
}

void check_core_num(OpCall& call, std::size_t operand, const std::string& name) {
  const auto count = call.constant_int(operand, 1, name);
  if (!count || *count == 1) return;
  if (*count < 1) {
    call.error(operand, name + " core_num must be positive, got " + std::to_string(*count));
    return;
  }
  if (call.checker().is_host()) return;
  call.error(operand, name +
                          " core_num > 1 is supported only in a HOST orchestrator; a kernel runs "
                          "on one core");
}

}  // namespace

// pld.tensor.allreduce(target, signal=None, *, op=Sum, mode="mesh", core_num=1)
Type allreduce(OpCall& call) {
  const std::string name = "pld.tensor.allreduce";
  (void)is_whole_statement(call, name);
  if (is_target(call, 0, name) && call.type(0).dtype != isa::DType::fp32 &&
      call.type(0).dtype != isa::DType::fp16) {
    call.error(0, name + " target dtype must be FP16 or FP32, got " +
                      std::string(isa::name(call.type(0).dtype)));
  }
  (void)call.member(2, "ReduceOp", "Sum", name + " op must be ReduceOp.Sum, Max, Min, or Prod");
  const auto layout = mode(call, 3, name);
  if (layout && call.type(0).is_partly_valid()) {
    check_rectangle(call, *layout, name);
  } else {
    (void)is_packed(call, 0, name + " target");
  }
  check_core_num(call, 4, name);
  if (!call.has(kReduceSignal)) {
    if (call.checker().is_host()) return call.result_is(0);
    call.error(name +
               " requires an explicit signal outside host orchestrator functions. Allocate an "
               "INT32 window, [NR, 1] for mode=\"mesh\" or [2*(NR-1), NR] for mode=\"ring\", and "
               "pass it as signal");
  } else if (layout == SignalLayout::mesh) {
    check_mesh_signal(call, kReduceSignal, 0, name);
  } else if (layout == SignalLayout::ring) {
    check_ring_signal(call, name);
  }
  return call.result_is(0);
}

// pld.tensor.reduce_scatter(target, signal, *, op=Sum)
Type reduce_scatter(OpCall& call) {
  const std::string name = "pld.tensor.reduce_scatter";
  (void)is_whole_statement(call, name);
  if (is_target(call, 0, name)) (void)is_two_dimensional(call, 0, name, "[NR, SIZE]");
  check_mesh_signal(call, kReduceSignal, 0, name);
  const std::string message = name + " op must be ReduceOp.Sum";
  const auto op = call.member(2, "ReduceOp", "Sum", message);
  if (op && op->member != "Sum") {
    call.error(2, message + " (got int " + std::to_string(op->value) +
                      "); Max / Min / Prod lowerings are not yet implemented");
  }
  return call.result_is(0);
}

}  // namespace a2a3::ir::rules
