// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "a2a3/result.hpp"

namespace a2a3::tools {

/// Who waits for what: every blocked rank with its source line, cell, value and expected value,
/// equal ones together; where the credits went instead; a sentence of advice; and which blocks
/// found no free core.
[[nodiscard]] std::string deadlock_report(const Result& result, std::size_t ranks);

}  // namespace a2a3::tools
