// SPDX-License-Identifier: Apache-2.0
// Collectives in which every rank sends to every other one.
#include "ir/ops/collective_checks.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir::rules {
namespace {

constexpr std::size_t kInput = 0;
constexpr std::size_t kTarget = 1;
constexpr std::size_t kSignal = 2;
constexpr std::size_t kSendCounts = 3;
constexpr std::size_t kRecvCounts = 4;

bool is_input(OpCall& call, const std::string& name) {
  return call.is_tensor_like(kInput, name + " input must be a Tensor or DistributedTensor");
}

/// What lowering asks for, after type deduction took both kinds: a plain tensor in a kernel, a
/// window in a host function, which has no rank's slice to give.
bool is_source(OpCall& call, std::size_t operand, const std::string& name,
               const std::string& shape) {
  const std::string source = name + " " + call.parameter(operand);
  if (call.checker().is_host()) {
    return call.is_window(operand, source + " must be a DistributedTensor " + shape +
                                       " (window-bound) on the HOST path");
  }
  const Type& type = call.type(operand);
  if (type.kind == TypeKind::tensor && type.is_tensor_like()) return true;
  call.error(operand, source + " must be a plain Tensor " + shape + " on the InCore path, got " +
                          call.shown_type(operand));
  return false;
}

/// INT32 counts of rows: send_counts [NR] or [NR, 1] of any kind, recv_counts a window [NR, 1] of
/// its own.
void check_counts(OpCall& call, const std::string& name, std::optional<std::int64_t> ranks) {
  const auto is_int32 = [&](std::size_t operand) {
    const Type& type = call.type(operand);
    if (type.dtype == isa::DType::int32) return true;
    call.error(operand, name + " " + call.parameter(operand) + " must be INT32, got dtype " +
                            std::string(isa::name(type.dtype)));
    return false;
  };
  const auto rows_match = [&](std::size_t operand) {
    const auto rows = call.type(operand).shape[0].constant();
    if (!rows || !ranks || *rows == *ranks) return;
    call.error(operand, name + " " + call.parameter(operand) + " dim 0 (" + std::to_string(*rows) +
                            ") must equal signal dim 0 (NR = " + std::to_string(*ranks) + ")");
  };
  if (call.is_tensor_like(kSendCounts,
                          name + " send_counts must be a Tensor or DistributedTensor") &&
      is_int32(kSendCounts) &&
      (!call.checker().is_host() || is_source(call, kSendCounts, name, "[NR] or [NR, 1]"))) {
    const auto& shape = call.type(kSendCounts).shape;
    if (shape.size() == 1 || (shape.size() == 2 && !provably_differ(shape[1], Dim(1)))) {
      rows_match(kSendCounts);
    } else {
      call.error(kSendCounts, name + " send_counts must be [NR] or [NR, 1], got " +
                                  call.show(call.type(kSendCounts)));
    }
  }
  if (!call.is_window(kRecvCounts,
                      name + " recv_counts must be a DistributedTensor (window-bound)") ||
      !is_int32(kRecvCounts)) {
    return;
  }
  const auto& shape = call.type(kRecvCounts).shape;
  if (shape.size() != 2 || provably_differ(shape[1], Dim(1))) {
    call.error(kRecvCounts,
               name + " recv_counts must be [NR, 1], got " + call.show(call.type(kRecvCounts)));
  } else if (is_same_buffer(call, kRecvCounts, kSignal)) {
    call.error(kRecvCounts, name + " recv_counts and signal must be different windows");
  } else {
    rows_match(kRecvCounts);
  }
}

}  // namespace

// pld.tensor.allgather(local_data, target, signal)
Type allgather(OpCall& call) {
  const std::string name = "pld.tensor.allgather";
  (void)is_whole_statement(call, name);
  const bool input = is_input(call, name);
  const bool target =
      is_target(call, kTarget, name) && is_two_dimensional(call, kTarget, name, "[NR, SIZE]");
  check_strict_signal(call, kSignal, kTarget, name);
  if (!input || !target) return call.result_is(kTarget);
  const Type& from = call.type(kInput);
  const Type& to = call.type(kTarget);
  const std::int64_t first = from.shape.empty() ? 1 : from.shape[0].constant().value_or(1);
  if (is_same_buffer(call, kInput, kTarget)) {
    call.error(kInput, name +
                           " input and target must be different buffers, the target receives "
                           "all ranks' data");
  } else if (from.shape.size() != 2) {
    call.error(kInput, name + " input must be 2D [1, SIZE] (this rank's single chunk), got " +
                           std::to_string(from.shape.size()) + " dims");
  } else if (first != 1) {
    call.error(kInput, name +
                           " input must be [1, SIZE] (this rank's single chunk), got first dim " +
                           std::to_string(first));
  } else if (provably_differ(from.shape[1], to.shape[1])) {
    call.error(kInput, name + " target SIZE must equal input SIZE, got " + call.show(to.shape[1]) +
                           " vs " + call.show(from.shape[1]));
  } else if (same_dtype(call, kInput, kTarget, name)) {
    (void)is_source(call, kInput, name, "[1, SIZE]");
  }
  return call.result_is(kTarget);
}

// pld.tensor.all_to_all(input, target, signal)
Type all_to_all(OpCall& call) {
  const std::string name = "pld.tensor.all_to_all";
  (void)is_whole_statement(call, name);
  const bool input = is_input(call, name);
  const bool target =
      is_target(call, kTarget, name) && is_two_dimensional(call, kTarget, name, "[NR, SIZE]");
  check_strict_signal(call, kSignal, kTarget, name);
  if (!input || !target) return call.result_is(kTarget);
  const Type& from = call.type(kInput);
  const Type& to = call.type(kTarget);
  if (is_same_buffer(call, kInput, kTarget)) {
    call.error(kInput, name +
                           " input and target must be different windows, peers write the target "
                           "while the input is read");
  } else if (from.shape.size() != 2 || provably_differ(from.shape[0], to.shape[0]) ||
             provably_differ(from.shape[1], to.shape[1])) {
    call.error(kInput, name + " target shape must equal input shape, got " + call.show(to) +
                           " vs " + call.show(from));
  } else if (same_dtype(call, kInput, kTarget, name)) {
    (void)is_source(call, kInput, name, "[NR, SIZE]");
  }
  return call.result_is(kTarget);
}

// pld.tensor.all_to_all_v(input, target, signal, send_counts, recv_counts)
Type all_to_all_v(OpCall& call) {
  const std::string name = "pld.tensor.all_to_all_v";
  (void)is_whole_statement(call, name);
  const bool input = is_input(call, name);
  const bool target = is_target(call, kTarget, name) &&
                      is_two_dimensional(call, kTarget, name, "[NR*MAX_RECV, SIZE]");
  std::optional<std::int64_t> ranks;
  if (is_signal(call, kSignal, int{kTarget}, name, "[NR, 1]")) {
    const Type& signal = call.type(kSignal);
    if (signal.shape[1] == Dim(1)) ranks = signal.shape[0].constant();
    if (!(signal.shape[1] == Dim(1))) {
      call.error(kSignal,
                 name + " signal second dimension must be 1, got " +
                     (signal.shape[1].is_constant() ? call.show(signal.shape[1]) : "<dynamic>"));
    } else if (!ranks) {
      call.error(kSignal, name + " signal dim 0 (NR) must be a compile-time constant");
    }
  }
  check_counts(call, name, ranks);
  if (!input || !target) return call.result_is(kTarget);
  const Type& from = call.type(kInput);
  const Type& to = call.type(kTarget);
  const auto rows = to.shape[0].constant();
  if (is_same_buffer(call, kInput, kTarget)) {
    call.error(kInput, name +
                           " input and target must be different windows, peers write the target "
                           "while the input is read");
  } else if (from.shape.size() != 2 || provably_differ(from.shape[0], to.shape[0]) ||
             provably_differ(from.shape[1], to.shape[1])) {
    call.error(kInput, name + " target shape must equal input shape, got " + call.show(to) +
                           " vs " + call.show(from));
  } else if (!rows) {
    call.error(kTarget, name + " target dim 0 (NR*MAX_RECV) must be a compile-time constant");
  } else if (ranks && *rows % *ranks != 0) {
    call.error(kSignal, name + " signal dim 0 (" + std::to_string(*ranks) +
                            ") must divide target dim 0 (" + std::to_string(*rows) + ")");
  } else if (same_dtype(call, kInput, kTarget, name)) {
    (void)is_source(call, kInput, name, "[NR*MAX_RECV, SIZE]");
  }
  return call.result_is(kTarget);
}

}  // namespace a2a3::ir::rules
