// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "interp/collective_log.hpp"
#include "interp/launch_plan.hpp"
#include "ir/diagnostic.hpp"
#include "isa/contents/undefined_elements.hpp"
#include "isa/contents/written_bytes.hpp"
#include "isa/order/signal_check.hpp"
#include "sim/observers/signal_log.hpp"

namespace a2a3 {

/// A count of credits that a collective has taken out again.
inline constexpr const char* kClearedRead = "cleared read";

/// What a check other than that for races found: an error, or a warning of what may be meant so.
struct Finding {
  /// "lost credit", "missed value", "stale credit", "excess credit", "competing Sets",
  /// kClearedRead, "leftover credit", "unwritten read", "unwritten output", "undefined tile".
  std::string kind;
  ir::Diagnostic diagnostic;
  std::string place;                 ///< "signal[2, 0]", "data[2, 0:64]"
  std::string parameter;             ///< of an unwritten output: the host function's
  std::vector<std::uint32_t> ranks;  ///< that it concerns, ascending
  std::uint64_t count = 1;           ///< how often
};

/// Where the findings of a run come from.
struct FindingSources {
  const interp::LaunchPlan& plan;
  std::function<ir::SourceLocation(isa::SourceId)> locate;
  bool finished = false;          ///< the run came to its end
  bool windows_kept = false;      ///< windows began with what an earlier launch left
  const sim::SignalLog& signals;  ///< of the run
  const interp::CollectiveLog& collectives;
  std::function<std::int32_t(isa::GlobalAddress)> value_of;  ///< a cell's at the end
};

/// Signals that may be lost, are too old, or are left over.
[[nodiscard]] std::vector<Finding> signal_findings(const std::vector<isa::SignalFinding>& found,
                                                   const FindingSources& sources);

/// Reads of bytes that nothing wrote, and Out parameters that are not written everywhere. Left out
/// are windows with signals, which count from zero, and a rank's reads of a window of its own that
/// nobody writes: it is there for its zeros.
[[nodiscard]] std::vector<Finding> memory_findings(const isa::WrittenBytes& found,
                                                   const FindingSources& sources);

/// Stores and reads of tile elements that have no value.
[[nodiscard]] std::vector<Finding> tile_findings(const isa::UndefinedElements& found,
                                                 const FindingSources& sources);

}  // namespace a2a3
