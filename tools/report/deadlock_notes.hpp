// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "a2a3/blocked.hpp"
#include "ir/diagnostic.hpp"
#include "tools/report/deadlock_advice.hpp"

namespace a2a3::tools {

/// Blocked cores that are reported together.
using Waits = std::vector<const BlockedRank*>;

/// Their ranks, each once.
[[nodiscard]] std::vector<std::uint32_t> ranks_of(const Waits& waits);

/// What the report of one line says below the waits themselves. `states` are the waits at the line,
/// equal ones together, of which only the first ones are looked at; `all` is every blocked core.
void add_causes(ir::Diagnostic& diagnostic, const std::vector<Waits>& states, const Waits& all,
                const Overwriter& overwriter);

}  // namespace a2a3::tools
