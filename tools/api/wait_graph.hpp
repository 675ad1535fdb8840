// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "interp/remaining.hpp"
#include "isa/instruction.hpp"

namespace a2a3 {

/// What cannot go on in a run that got stuck: a core in a wait, a task whose condition is not met,
/// or all tasks of a device that have not begun.
struct StuckWork {
  std::uint32_t device = 0;
  /// What holds it up; absent: the device's work that has begun.
  std::optional<isa::TWait> wait;
  /// What it would do then: of one task, or of each that has not begun.
  std::vector<const interp::RemainingWork*> rest;
};

/// Who waits for whom. Stuck work A waits for B when a notify that is left in B could help the wait
/// that A is in, or one that A comes to before a notify that others need of it.
struct WaitGraph {
  /// A notify that could help the wait that work is in now: the first of each sender and line.
  struct Sender {
    std::uint32_t work = 0;
    isa::SourceId source = 0;
    bool certain = true;  ///< else data decide whether it comes, and to which cell
  };
  std::vector<std::vector<Sender>> senders;           ///< by work
  std::vector<std::vector<std::uint32_t>> waits_for;  ///< by work, ascending
  /// By work: the number of the cycle that it is in; -1: none. In a cycle each one waits, over
  /// others or not, for itself.
  std::vector<std::int32_t> cycle_of;
  /// Each cycle's work, ascending; when one round goes through all of it, in that order.
  struct Cycle {
    std::vector<std::uint32_t> work;
    bool is_ring = false;
  };
  std::vector<Cycle> cycles;  ///< in the order of their first work
};

struct CellsNow {
  std::function<std::int32_t(isa::GlobalAddress)> value_of;
  /// Index of the window that a cell lies in.
  std::function<std::int32_t(isa::GlobalAddress)> window_of;
};

[[nodiscard]] WaitGraph wait_graph(const std::vector<StuckWork>& stuck, const CellsNow& cells);

/// Whether the notify takes the cell nearer to what the wait asks for.
[[nodiscard]] bool helps(const interp::RemainingSignal& notify, const isa::TWait& wait,
                         std::int32_t value);

}  // namespace a2a3
