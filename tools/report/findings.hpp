// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/report/run_report.hpp"

namespace a2a3::tools {

/// What is wrong with a run, for people: errors, without the warnings beside them, the deadlock,
/// races, wrong results and wrong traffic. Empty when nothing is.
[[nodiscard]] std::string failure_text(const RunReport& report);

/// What is wrong with a run, one text for each thing: its verdict and source lines, but neither
/// ranks nor values. Two runs that fail in the same way have the same: "race at kernel.py:29:12
/// and kernel.py:41:16", "deadlock at kernel.py:33:9", "wrong result y".
[[nodiscard]] std::vector<std::string> findings_of(const RunReport& report);

}  // namespace a2a3::tools
