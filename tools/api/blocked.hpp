// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "interp/collective_log.hpp"
#include "interp/launch_plan.hpp"
#include "ir/source.hpp"
#include "isa/instruction.hpp"
#include "sim/observer.hpp"
#include "sim/observers/signal_log.hpp"

namespace a2a3 {

/// A cell of a window as the kernel's author knows it.
struct CellName {
  std::string window;               ///< the window buffer's name in the host function
  std::string view;                 ///< the kernel's parameter, "" when no argument covers the cell
  std::vector<std::int64_t> index;  ///< in the view's shape; the flat element index without a view
  [[nodiscard]] std::string text() const;  ///< "signal[2, 0]"
};

/// The window and view of a plan that a cell of a device's memory lies in.
[[nodiscard]] CellName name_cell(const interp::LaunchPlan& plan, const isa::GlobalAddress& cell);

/// Credit that landed on a cell: from whom, how much, and by which line.
struct Credit {
  CellName cell;
  std::uint32_t from_rank = 0;
  isa::NotifyOp op = isa::NotifyOp::atomic_add;
  std::int64_t value = 0;  ///< sum of the values added or set
  std::uint64_t count = 0;
  ir::SourceLocation location;
};

/// A core that waits for a signal that never came.
struct BlockedRank {
  std::uint32_t rank = 0;
  std::uint32_t core = 0;
  ir::SourceLocation location;
  CellName cell;
  std::int32_t value = 0;
  std::int32_t expected = 0;
  isa::WaitCmp cmp = isa::WaitCmp::ge;
  std::optional<sim::Picoseconds> since;  ///< absent in an untimed run
  bool deferred = false;                  ///< the condition of a task that has ended on the core
  std::vector<Credit> received;           ///< on the cell itself
  std::vector<Credit> elsewhere;          ///< on other cells of the same window on this rank
  std::string collective;                 ///< that the wait is part of: "allreduce"; or empty
  std::vector<std::uint32_t> absent;      ///< ranks of its domain that called it less often
};

/// A launch that was ready when a run got stuck, but for some of whose blocks no core was free.
struct UnstartedLaunch {
  std::uint32_t rank = 0;
  std::string kernel;
  std::uint32_t blocks = 0;
  std::uint32_t unstarted = 0;
  std::uint32_t cores = 0;      ///< vector cores of the device, all with blocks that wait
  ir::SourceLocation location;  ///< of the kernel call
};

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

/// What happened on a deadlock, in the kernel's words.
[[nodiscard]] BlockedRank describe_blocked(
    const BlockedWaitSite& site, const interp::LaunchPlan& plan, const sim::SignalLog& log,
    const std::function<ir::SourceLocation(isa::SourceId)>& locate);

/// Fills in the collective that the wait is part of, and who did not come to it.
void name_collective(BlockedRank& blocked, const interp::LaunchPlan& plan,
                     const interp::CollectiveLog& calls,
                     const std::function<ir::SourceLocation(isa::SourceId)>& locate);

}  // namespace a2a3
