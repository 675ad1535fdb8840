// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "a2a3/deadlock.hpp"
#include "a2a3/simulate.hpp"
#include "interp/kernel_run.hpp"

namespace a2a3 {

/// Where windows are zeroed late, the zeroing of window w has this source id and w more.
inline constexpr isa::SourceId kZeroingSource = isa::SourceId{1} << 31;

/// One run between planning and result: what both engines share.
struct Run {
  const models::MachineDescription& machine;
  const Options& options;
  const interp::CoreLimits& limits;
  interp::KernelRun& kernels;
  std::vector<isa::Array>& tensors;
  Result& result;

  [[nodiscard]] std::uint64_t instruction_limit() const {
    return options.limits.max_instructions.value_or(kInstructionsPerDevice * options.ranks);
  }
  /// On a relaxed machine.
  [[nodiscard]] std::uint64_t memory_seed() const {
    return options.seed.value_or(machine.relaxed.seed);
  }
  [[nodiscard]] std::function<ir::SourceLocation(isa::SourceId)> locate() const {
    return [this](isa::SourceId source) {
      return source < kZeroingSource ? kernels.location(source)
                                     : result.plan.windows[source - kZeroingSource].location;
    };
  }
};

/// The part of a host tensor that a device has a copy of.
[[nodiscard]] std::span<std::byte> host_bytes(std::vector<isa::Array>& tensors,
                                              const interp::HostCopy& copy);

/// Ends the run with the error that it executed too many instructions. Shows where the cores were,
/// those at one place together.
void report_limit(const Run& run);

/// Fills in Result::blocked, Result::cycles and Result::unstarted; value_of(cell) is what it holds.
void collect_blocked(const Run& run, const std::vector<BlockedWaitSite>& sites,
                     const sim::SignalLog& log,
                     std::function<std::int32_t(isa::GlobalAddress)> value_of);

}  // namespace a2a3
