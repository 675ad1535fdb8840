// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interp/collective_log.hpp"
#include "interp/launch_plan.hpp"
#include "ir/source.hpp"
#include "isa/instruction.hpp"
#include "sim/observer.hpp"

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
  std::uint32_t on_rank = 0;
  std::uint32_t from_rank = 0;
  isa::NotifyOp op = isa::NotifyOp::atomic_add;
  std::int64_t value = 0;  ///< sum of the values added, or the value set last
  std::uint64_t count = 0;
  ir::SourceLocation location;
};

/// Ranks that would notify a cell at one line, or could, if they were not held up themselves.
struct LikelySender {
  std::vector<std::uint32_t> ranks;  ///< ascending
  ir::SourceLocation notify;
  bool certain = true;  ///< else data that they read on the way decide it
  bool begun = true;    ///< else the line is in a kernel that has not begun
  /// Where they wait; of a kernel that has not begun its call.
  ir::SourceLocation stopped;
};

/// Who signals a window.
struct WindowNotifies {
  struct Line {
    ir::SourceLocation location;
    std::vector<std::uint32_t> ranks;  ///< ascending
  };
  std::vector<Line> lines;
  std::vector<std::uint32_t> silent;  ///< ranks of its domain that sent no notify to it
};

/// Why a wait lasts for ever.
enum class WaitRole : std::uint8_t {
  cycle,   ///< it waits, over others or not, for itself
  behind,  ///< it waits for ranks that wait, and these do not wait for it
  alone    ///< nothing that could end it is left in any program
};

/// A Set that wiped out what no wait had asked for yet.
struct WipedCredit {
  std::uint32_t set_by = 0;  ///< rank
  std::int32_t set_to = 0;
  ir::SourceLocation set;
  std::uint32_t added_by = 0;  ///< rank
  std::int32_t added = 0;
  ir::SourceLocation notify;
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
  bool held_expected = false;             ///< the cell had the expected value for some time
  WaitRole role = WaitRole::alone;
  std::int32_t cycle = -1;            ///< index into Result::cycles
  std::vector<LikelySender> senders;  ///< who could still end the wait
  bool all_senders_known = true;      ///< else some program was too long to look through
  /// Ranks of the cell's window that have ended without a notify to the cell. When the notifies to
  /// the window go to cells whose index is their sender's rank, only the rank of this cell.
  std::vector<std::uint32_t> finished;
  std::vector<std::uint32_t> undispatched;  ///< devices without any kernel that might be meant
  std::vector<Credit> received;             ///< on the cell itself
  /// Credit that nobody waited or waits for: on other cells of the window on this rank, on the cell
  /// in the same place on other ranks, and on that of other windows.
  std::vector<Credit> elsewhere;
  std::optional<WipedCredit> wiped;
  /// What the notifies had made of the cell, which something else has lowered since.
  std::optional<std::int32_t> overwritten;
  std::shared_ptr<const WindowNotifies> notifies;  ///< to the cell's window; null outside of one
  bool is_own =
      false;  ///< the notifies to the window name their sender, and this cell its own rank
  std::string collective;             ///< that the wait is part of: "allreduce"; or empty
  std::vector<std::uint32_t> absent;  ///< ranks of its domain that called it less often
};

/// Ranks that wait for each other: none of them can go on before all others.
struct WaitCycle {
  std::vector<std::uint32_t> ranks;  ///< in a ring: each waits for the next one; else ascending
  bool is_ring = false;
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

/// Fills in the collective that the wait is part of, and who did not come to it.
void name_collective(BlockedRank& blocked, const interp::LaunchPlan& plan,
                     const interp::CollectiveLog& calls,
                     const std::function<ir::SourceLocation(isa::SourceId)>& locate);

}  // namespace a2a3
