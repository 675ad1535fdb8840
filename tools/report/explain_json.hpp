// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "a2a3/explanation.hpp"

namespace a2a3::tools {

/// The whole explanation of a run (run --explain): every piece of the path, every line and link.
/// Times are whole picoseconds.
[[nodiscard]] nlohmann::ordered_json explanation_json(const Explanation& explanation);

}  // namespace a2a3::tools
