// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "a2a3/traffic_part.hpp"
#include "tools/report/run_report.hpp"

namespace a2a3::tools {

/// The cost card's part on closed forms: expected beside measured traffic per rank, the same by
/// kind of byte with the bandwidths, and the formulas in words. Empty when nothing has a closed
/// form.
[[nodiscard]] std::string traffic_report(const RunReport& report);

/// Which parts differ from their closed form, on which ranks and in what; empty when none does.
[[nodiscard]] std::string traffic_mismatches(const RunReport& report);

/// "broadcast, line 53", "allreduce.ring, claimed".
[[nodiscard]] std::string part_title(const TrafficPart& part);

}  // namespace a2a3::tools
