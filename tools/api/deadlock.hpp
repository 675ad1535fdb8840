// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "a2a3/blocked.hpp"
#include "interp/kernel_run.hpp"
#include "interp/remaining.hpp"
#include "sim/observers/signal_log.hpp"

namespace a2a3 {

/// A blocked wait as either engine reports it.
struct BlockedWaitSite {
  std::uint32_t device = 0;
  std::uint32_t core = 0;
  isa::SourceId source = 0;
  isa::TWait wait;
  std::int32_t value = 0;
  std::optional<sim::Picoseconds> since;
  bool deferred = false;
};

/// A run that cannot go on.
struct StuckRun {
  const interp::LaunchPlan& plan;
  const std::vector<BlockedWaitSite>& sites;  ///< by device and core
  const std::vector<interp::KernelRun::Core>& cores;
  const interp::RemainingRun& remaining;  ///< of these cores
  const sim::SignalLog& log;
  std::function<std::int32_t(isa::GlobalAddress)> value_of;  ///< a cell's now
  std::function<ir::SourceLocation(isa::SourceId)> locate;
};

/// The waits in the kernel's words, and who waits for whom.
struct Deadlock {
  std::vector<BlockedRank> blocked;  ///< by rank and core
  std::vector<WaitCycle> cycles;
};
[[nodiscard]] Deadlock describe_deadlock(const StuckRun& run);

}  // namespace a2a3
