// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "a2a3/finding.hpp"
#include "a2a3/race.hpp"

namespace a2a3::tools {

/// "read-before-write", "write-after-read", "write-write" or "plain-against-atomic".
[[nodiscard]] const char* race_kind_name(isa::RaceKind kind);

/// Each race with both source lines, the ranks, the bytes, what the later rank had waited on and a
/// sentence of advice; empty when there is none. `when` has a note for each race, or nothing.
[[nodiscard]] std::string race_report(const RaceCheck& check,
                                      const std::vector<std::string>& when = {});

/// The findings of the other checks. `when` has a note for each, or nothing.
[[nodiscard]] std::string finding_report(const std::vector<Finding>& findings,
                                         const std::vector<std::string>& when = {});

}  // namespace a2a3::tools
