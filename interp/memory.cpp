// SPDX-License-Identifier: Apache-2.0
#include "interp/memory.hpp"

#include <algorithm>

namespace a2a3::interp {

DeviceMemory make_memory(const LaunchPlan& plan) {
  DeviceMemory memory;
  memory.reserve(plan.gm_bytes.size());
  for (const std::uint64_t bytes : plan.gm_bytes)
    memory.emplace_back(bytes);
  return memory;
}

void copy_in(const LaunchPlan& plan, const std::vector<isa::Array>& inputs, DeviceMemory& memory) {
  copy_in(plan, inputs, [&](isa::GlobalAddress to, std::span<const std::byte> bytes) {
    std::copy(bytes.begin(), bytes.end(),
              memory[to.device].begin() + static_cast<std::ptrdiff_t>(to.offset_bytes));
  });
}

void copy_out(const LaunchPlan& plan, std::vector<isa::Array>& outputs,
              const DeviceMemory& memory) {
  copy_out(plan, outputs, [&](isa::GlobalAddress from, std::span<std::byte> bytes) {
    const auto first = memory[from.device].begin() + static_cast<std::ptrdiff_t>(from.offset_bytes);
    std::copy(first, first + static_cast<std::ptrdiff_t>(bytes.size()), bytes.begin());
  });
}

}  // namespace a2a3::interp
