// SPDX-License-Identifier: Apache-2.0
// On which devices the collectives of a host function run: those whose dispatches receive a view of
// their windows. A window that no dispatch receives follows the others of its collective.
#include <algorithm>

#include "ir/check/function_checker.hpp"
#include "ir/collective_call.hpp"
#include "ir/signal_layout.hpp"

namespace a2a3::ir {
namespace {

const std::string kDomains = "MaterializeCommDomainScopes: ";

/// The devices of the first window that has some.
const DeviceSet* devices_of(const HostCall& call, const std::vector<BufferUse>& buffers) {
  for (const HostCall::Window& window : call.windows) {
    if (!buffers[window.buffer].devices.empty()) return &buffers[window.buffer].devices;
  }
  return nullptr;
}

/// Gives the windows that no dispatch receives the devices of their collectives.
void spread_devices(const std::vector<HostCall>& calls, std::vector<BufferUse>& buffers) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const HostCall& call : calls) {
      const DeviceSet* devices = devices_of(call, buffers);
      if (devices == nullptr) continue;
      for (const HostCall::Window& window : call.windows) {
        BufferUse& buffer = buffers[window.buffer];
        buffer.dispatched = true;
        if (!buffer.devices.empty()) continue;
        buffer.devices = *devices;
        changed = true;
      }
    }
  }
}

}  // namespace

void FunctionChecker::form_host_domains() {
  if (program_.has_lost_statements() || program_.diagnostics().has_errors()) {
    for (const HostCall& call : program_.host_calls) {
      for (const HostCall::Window& window : call.windows)
        program_.buffers[window.buffer].dispatched = true;
    }
    return;
  }
  spread_devices(program_.host_calls, program_.buffers);
  for (const HostCall& call : program_.host_calls)
    check_host_call(call);
}

void FunctionChecker::check_host_call(const HostCall& call) {
  std::vector<BufferUse>& buffers = program_.buffers;
  const std::string name(call.call->op->name);
  const DeviceSet* devices = devices_of(call, buffers);
  if (devices == nullptr) {
    if (call.call->op->id != OpId::barrier) return;  // check_buffers names the windows
    BufferUse& buffer = buffers[call.windows[0].buffer];
    buffer.dispatched = true;
    error(call.call->operand(0)->location,
          kDomains + name +
              " signal buffer has no inferred comm-domain coverage: no dispatch "
              "receives a view of '" +
              buffer.name + "', so nothing says which devices take part")
        .notes.push_back(
            {"pass a view of it to the kernels that the barrier is to separate", buffer.location});
    return;
  }
  for (const HostCall::Window& window : call.windows) {
    const BufferUse& buffer = buffers[window.buffer];
    if (buffer.devices == *devices) continue;
    const BufferUse& first = buffers[call.windows[0].buffer];
    error(call.call->operand(window.operand)->location,
          kDomains + name + " needs its windows in one comm domain: '" + first.name +
              "' is on devices " + first.devices.to_string() + ", '" + buffer.name +
              "' on devices " + buffer.devices.to_string())
        .notes.push_back(
            {"a window is on the devices whose dispatches receive a view of it", buffer.location});
    return;
  }

  const Dim count = devices->count();
  const auto ranks = count.constant();
  if (call.call->op->id == OpId::broadcast && ranks) {
    const Expr& root = *call.call->operand(2);
    const auto* value = root.constant ? std::get_if<std::int64_t>(&root.constant->value) : nullptr;
    if (value != nullptr && *value >= *ranks) {
      error(root.location, name + " root (" + std::to_string(*value) +
                               ") must be a valid rank in [0, " + std::to_string(*ranks) +
                               ") for this explicit device subset");
    }
  }
  const std::size_t operand = operand_index(*call.call->op, "signal");
  if (const Expr* signal = call.call->operand(operand);
      signal != nullptr && signal->type.kind == TypeKind::distributed_tensor) {
    const std::vector<Dim>& shape = signal->type.shape;
    HostSignal known;
    known.rows = shape[0].constant();
    known.ranks = ranks;
    if (is_ring(*call.call)) {
      known.layout = SignalLayout::host_ring;
      known.cols = shape[1].constant();
      known.elements = call.call->operand(0)->type.elements_count().constant();
      if (!known.elements) {
        error(call.call->operand(0)->location,
              "LowerHostTensorCollectives: ring allreduce requires the per-rank data size (" +
                  module().describe(call.call->operand(0)->type.elements_count()) +
                  ") to be an exact multiple of the rank count, and so to be known");
      }
    }
    if (const auto problem = host_signal_problem(known)) error(signal->location, *problem);
  }
  if (&function_ == module().entry) module().host_collectives.push_back({call.expr, *devices});
}

}  // namespace a2a3::ir
