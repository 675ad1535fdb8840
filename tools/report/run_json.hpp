// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "tools/report/run_report.hpp"

namespace a2a3::tools {

/// The run as JSON: the cost card, the verdict and what led to it, with units in the keys. Times
/// are whole picoseconds. The same run gives the same bytes; schema_version grows when a key
/// changes its meaning or goes away.
[[nodiscard]] nlohmann::ordered_json run_json(const RunReport& report);

}  // namespace a2a3::tools
