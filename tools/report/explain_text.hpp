// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/report/run_report.hpp"

namespace a2a3::tools {

/// Where the time of a run went, as tables (run --explain): the critical path by what its time went
/// to, by line and by link, its longest pieces, and what bound the run in one sentence. Empty when
/// the run has no explanation.
[[nodiscard]] std::string explanation_text(const RunReport& report);

}  // namespace a2a3::tools
