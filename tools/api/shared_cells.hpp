// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "interp/launch_plan.hpp"
#include "ir/diagnostic.hpp"
#include "sim/observers/signal_log.hpp"

namespace a2a3 {

/// Warns of signal cells on which one rank's NotifyOp.Set may wipe out what another rank signalled:
/// several ranks set them, or one sets what another one adds to. A rank that resets its own cell is
/// left out. One warning per line of the kernel.
void warn_of_shared_cells(const sim::SignalLog& log, const interp::LaunchPlan& plan,
                          const std::function<ir::SourceLocation(isa::SourceId)>& locate,
                          ir::Diagnostics& diagnostics);

}  // namespace a2a3
