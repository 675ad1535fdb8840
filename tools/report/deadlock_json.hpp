// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "a2a3/result.hpp"

namespace a2a3::tools {

/// "blocked", "wait_cycles" and "unstarted_launches" of a run's JSON; empty lists without a
/// deadlock.
[[nodiscard]] nlohmann::ordered_json deadlock_json(const Result& result);

}  // namespace a2a3::tools
