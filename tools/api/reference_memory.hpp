// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "a2a3/engine_run.hpp"
#include "isa/lazy_bytes.hpp"

namespace a2a3 {

/// The devices' memories of a reference run.
class ReferenceMemory {
 public:
  /// As the run finds them: zeroed, but for its inputs and the windows of an earlier one. `run`'s
  /// plan outlives this.
  explicit ReferenceMemory(const Run& run);

  /// By device.
  [[nodiscard]] std::span<const std::span<std::byte>> gm() const { return gm_; }
  [[nodiscard]] std::int32_t value_of(isa::GlobalAddress cell) const;
  /// The run is over: gives the host its outputs, and keeps the windows when it was asked to.
  void copy_out(const Run& run) const;

 private:
  [[nodiscard]] std::span<std::byte> part(const interp::HostCopy& copy) const {
    return gm_[copy.device.device].subspan(copy.device.offset_bytes, copy.bytes);
  }

  const interp::LaunchPlan& plan_;
  std::deque<isa::LazyBytes> memories_;
  std::vector<std::span<std::byte>> gm_;
};

}  // namespace a2a3
