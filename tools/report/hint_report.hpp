// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "tools/report/run_report.hpp"

namespace a2a3::tools {

/// What a run did for nothing, or that there is nothing, and what was looked at. Empty unless the
/// run was asked for it.
[[nodiscard]] std::string hint_report(const RunReport& report);

[[nodiscard]] nlohmann::ordered_json hints_json(const Hints& hints);

}  // namespace a2a3::tools
