// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "a2a3/blocked.hpp"
#include "interp/launch_plan.hpp"
#include "ir/source.hpp"
#include "isa/hints/signal_record.hpp"

namespace a2a3 {

/// A wait that ended, and which notifies satisfied it, in the kernel's words.
struct SatisfiedWait {
  struct Notify {
    std::uint32_t rank = 0;
    ir::SourceLocation location;
    isa::CountedSignal signal;
  };
  std::uint32_t rank = 0;
  ir::SourceLocation location;
  CellName cell;
  isa::WaitRecord record;
  std::vector<Notify> notifies;  ///< those of record.signals
};

/// All waits of a run, in the order in which they ended on the untimed engine.
struct SignalProvenance {
  std::vector<SatisfiedWait> waits;
  /// Waits beyond Limits::max_signal_records, or behind more signals than Limits::max_race_records.
  std::uint64_t left_out = 0;
};

[[nodiscard]] SignalProvenance describe_signals(
    const isa::SignalRecord& record, const interp::LaunchPlan& plan,
    const std::function<ir::SourceLocation(isa::SourceId)>& locate);

}  // namespace a2a3
