// SPDX-License-Identifier: Apache-2.0
#include "a2a3/reference_memory.hpp"

#include <algorithm>
#include <cstring>

#include "a2a3/host_memory.hpp"
#include "a2a3/window_contents.hpp"

namespace a2a3 {

ReferenceMemory::ReferenceMemory(const Run& run) : plan_(run.result.plan) {
  for (const std::uint64_t bytes : plan_.gm_bytes) {
    memories_.emplace_back(bytes);
    gm_.push_back(memories_.back().bytes());
  }
  for (const interp::HostCopy& copy : plan_.copies) {
    if (copy.copy_in) std::ranges::copy(host_bytes(run.tensors, copy), part(copy).begin());
  }
  if (run.options.windows == nullptr) return;
  put_windows(plan_, *run.options.windows,
              [&](isa::GlobalAddress at, std::span<const std::byte> bytes) {
                std::ranges::copy(bytes, gm_[at.device].subspan(at.offset_bytes).begin());
              });
}

std::int32_t ReferenceMemory::value_of(isa::GlobalAddress cell) const {
  std::int32_t value = 0;
  std::memcpy(&value, gm_[cell.device].data() + cell.offset_bytes, sizeof(value));
  return value;
}

void ReferenceMemory::copy_out(const Run& run) const {
  for (const interp::HostCopy& copy : plan_.copies) {
    if (copy.copy_out) std::ranges::copy(part(copy), host_bytes(run.tensors, copy).begin());
  }
  if (!run.options.keep_windows) return;
  run.result.windows = take_windows(plan_, [&](isa::GlobalAddress at, std::span<std::byte> bytes) {
    std::ranges::copy(gm_[at.device].subspan(at.offset_bytes, bytes.size()), bytes.begin());
  });
}

}  // namespace a2a3
