// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "interp/launch_plan.hpp"
#include "isa/array.hpp"

namespace a2a3::interp {

/// One device's global memory as bytes, by device.
using DeviceMemory = std::vector<std::vector<std::byte>>;

/// Zero-filled memory of the size that the plan uses on each device.
[[nodiscard]] DeviceMemory make_memory(const LaunchPlan& plan);

/// Writes what the devices read of the host tensors. `inputs` is indexed like
/// LaunchPlan::parameters (entries of scalars and outputs may be empty);
/// `write(isa::GlobalAddress, std::span<const std::byte>)` takes each piece.
template <std::invocable<isa::GlobalAddress, std::span<const std::byte>> Write>
void copy_in(const LaunchPlan& plan, const std::vector<isa::Array>& inputs, Write&& write) {
  for (const HostCopy& copy : plan.copies) {
    if (!copy.copy_in) continue;
    const std::span<const std::byte> host(inputs[copy.parameter].bytes);
    if (host.size() < copy.host_offset_bytes + copy.bytes) continue;
    write(copy.device, host.subspan(copy.host_offset_bytes, copy.bytes));
  }
}

/// Reads what the devices wrote into the host tensors, in device order.
/// `read(isa::GlobalAddress, std::span<std::byte>)` fills each piece; `outputs` is indexed like
/// LaunchPlan::parameters and holds arrays of the parameters' shapes.
template <std::invocable<isa::GlobalAddress, std::span<std::byte>> Read>
void copy_out(const LaunchPlan& plan, std::vector<isa::Array>& outputs, Read&& read) {
  for (const HostCopy& copy : plan.copies) {
    if (!copy.copy_out) continue;
    const std::span<std::byte> host(outputs[copy.parameter].bytes);
    if (host.size() < copy.host_offset_bytes + copy.bytes) continue;
    read(copy.device, host.subspan(copy.host_offset_bytes, copy.bytes));
  }
}

/// The same on memory made by make_memory().
void copy_in(const LaunchPlan& plan, const std::vector<isa::Array>& inputs, DeviceMemory& memory);
void copy_out(const LaunchPlan& plan, std::vector<isa::Array>& outputs, const DeviceMemory& memory);

}  // namespace a2a3::interp
