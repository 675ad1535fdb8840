// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "interp/bound_tensor.hpp"
#include "interp/collective_log.hpp"
#include "interp/fault_list.hpp"
#include "interp/flatten.hpp"
#include "interp/kernel_run.hpp"
#include "interp/source_table.hpp"
#include "interp/task_scheduler.hpp"
#include "interp/warned.hpp"
#include "ir/signal_layout.hpp"

namespace a2a3::interp {

/// How a collective addressed the cells of a signal window.
struct SignalConvention {
  ir::SignalLayout layout = ir::SignalLayout::mesh;
  std::string collective;
  isa::SourceId source = 0;
};

/// What the cores of a run share.
struct RunContext {
  RunContext(const LaunchPlan& launch, const CoreLimits& core_limits)
      : plan(launch),
        limits(core_limits),
        places(window_places(launch)),
        scheduler(launch, core_limits.vector_cores) {}
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  const LaunchPlan& plan;
  CoreLimits limits;
  std::vector<WindowPlaces> places;  ///< by window
  TaskScheduler scheduler;
  SourceTable sources;
  ir::Diagnostics diagnostics;  ///< warnings
  FaultList faults;
  bool over_limit = false;  ///< a fault is that of CoreLimits::max_steps
  ProgramCache programs{sources, diagnostics};
  std::vector<const Program*> task_programs;  ///< by task
  std::vector<isa::SourceId> task_sources;    ///< by task: the call of the kernel
  Warned warned;
  CollectiveLog collectives;
  /// By window and first byte of the signal in it: the first use that was checked at run time.
  std::map<std::pair<std::int32_t, std::uint64_t>, SignalConvention> signal_conventions;
};

}  // namespace a2a3::interp
