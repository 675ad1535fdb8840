// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/report/run_report.hpp"

namespace a2a3::tools {

/// The cost card as text: what each rank moved, where its time went, the same by phase,
/// and what has a closed form held against it. Ranks
/// with equal figures share a row.
[[nodiscard]] std::string cost_card(const RunReport& report);

}  // namespace a2a3::tools
