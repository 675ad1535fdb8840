// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "a2a3/cost_observers.hpp"
#include "a2a3/traffic_part.hpp"
#include "interp/collective_log.hpp"
#include "sim/observers/source_traffic.hpp"

namespace a2a3 {

/// One part per call of a builtin collective, in the order of the lines: the closed form for what
/// `log` says was called, and the traffic of that line.
[[nodiscard]] std::vector<TrafficPart> collective_parts(const interp::CollectiveLog& log,
                                                        const sim::SourceTraffic& traffic,
                                                        std::uint32_t ranks, const Locate& locate);

/// What is left of the ranks' traffic when the parts are taken out.
[[nodiscard]] std::vector<sim::Traffic> other_traffic(const Cost& cost,
                                                      const std::vector<TrafficPart>& parts);

}  // namespace a2a3
