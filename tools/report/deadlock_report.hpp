// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "a2a3/blocked.hpp"

namespace a2a3::tools {

/// Who waits for what: every blocked rank with its source line, cell, value and expected value,
/// equal ones together; where the credits went instead; and a sentence of advice.
[[nodiscard]] std::string deadlock_report(const std::vector<BlockedRank>& blocked,
                                          std::size_t ranks);

}  // namespace a2a3::tools
