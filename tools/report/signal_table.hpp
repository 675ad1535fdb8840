// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "tools/report/run_report.hpp"

namespace a2a3::tools {

/// What each wait was satisfied with, a row each; of very many those that are stale or early first.
/// Empty unless the run was asked for it.
[[nodiscard]] std::string signal_table(const RunReport& report);

/// The same as JSON, all of it.
[[nodiscard]] nlohmann::ordered_json signals_json(const SignalProvenance& signals);

}  // namespace a2a3::tools
