// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "a2a3/cost.hpp"
#include "a2a3/phase_times.hpp"
#include "interp/launch_plan.hpp"
#include "ir/source.hpp"
#include "sim/machine.hpp"
#include "sim/observers/core_times.hpp"
#include "sim/observers/source_traffic.hpp"
#include "sim/observers/traffic_ledger.hpp"

namespace a2a3 {

using Locate = std::function<ir::SourceLocation(isa::SourceId)>;

/// The observers that a cost card is made from.
class CostObservers {
 public:
  explicit CostObservers(std::uint32_t ranks) : traffic_(ranks), phases_(ranks), sources_(ranks) {}

  void attach_to(sim::Machine& machine);
  /// Everything counted so far. `rank_end[r]` is when rank r's last core finished.
  [[nodiscard]] Cost cost(const interp::LaunchPlan& plan, const Locate& locate,
                          const std::vector<sim::Picoseconds>& rank_end) const;
  /// The same by source line.
  [[nodiscard]] const sim::SourceTraffic& sources() const { return sources_; }

 private:
  sim::TrafficLedger traffic_;
  sim::CoreTimes times_;
  PhaseTimes phases_;
  sim::SourceTraffic sources_;
};

}  // namespace a2a3
