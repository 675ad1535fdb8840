// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "a2a3/engine_run.hpp"

namespace a2a3 {

/// What the untimed engine came to in its order of the cores.
struct OtherOrder {
  Outcome outcome = Outcome::finished;
  ir::Diagnostics diagnostics;       ///< of a fault
  std::vector<BlockedRank> blocked;  ///< of a deadlock
  std::vector<WaitCycle> cycles;
  std::vector<UnstartedLaunch> unstarted;
};

/// Runs on the reference executor, with the checks that Options asks for.
void run_reference(const Run& run);

/// Only the checks: runs the plan from the same inputs on the reference executor, before the engine
/// proper, and keeps nothing but what they found. They depend on the synchronisation of the run and
/// not on its times, so the findings are those of the timed run too.
/// Gives what that run came to.
[[nodiscard]] OtherOrder check_by_reference(const Run& run);

}  // namespace a2a3
