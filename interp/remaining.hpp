// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/instruction.hpp"

namespace a2a3::interp {

/// A notify or a wait that a core comes to when every wait before it ends.
struct RemainingSignal {
  enum class Kind : std::uint8_t { add, set, wait_ge, wait_eq };
  isa::GlobalAddress cell;
  std::int32_t value = 0;  ///< added, set or waited for
  Kind kind = Kind::add;
  isa::SourceId source = 0;

  [[nodiscard]] bool is_notify() const { return kind == Kind::add || kind == Kind::set; }
};

/// A line with a notify or a wait that the program can reach: which data in memory decide whether
/// it does, and for which cell.
struct PossibleSignal {
  bool is_notify = false;
  isa::SourceId source = 0;
  std::int32_t window = -1;  ///< index into LaunchPlan::windows; -1: any
};

/// What is left of the program of a task.
struct RemainingWork {
  std::vector<RemainingSignal> signals;  ///< in program order
  /// What may come behind these, from where control flow or a cell may depend on memory.
  std::vector<PossibleSignal> possible;
  bool cut = false;  ///< a bound was reached: there is more than this
};

/// What is left of all tasks of a run.
struct RemainingRun {
  std::vector<RemainingWork> cores;  ///< by core of KernelRun::cores(): of the task that it runs
  struct Task {
    std::uint32_t task = 0;
    RemainingWork work;
  };
  std::vector<Task> tasks;  ///< that have not begun, in dispatch order
};

/// Bounds of a look ahead, over all cores and tasks together.
struct LookAheadLimits {
  std::size_t signals = 4'000'000;
  std::uint64_t steps = 50'000'000;  ///< scalar steps
};

}  // namespace a2a3::interp
