// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "a2a3/race.hpp"
#include "ir/diagnostic.hpp"

namespace a2a3::tools {

/// How a race's sides are called.
struct RaceNames {
  std::string first;  ///< "write", "read": what has to come first
  std::uint32_t first_rank = 0;
  std::uint32_t second_rank = 0;
};

/// Which notify satisfied the wait before the second access, and why that puts the two in no order;
/// nothing when there is no such wait.
void add_wait_notes(ir::Diagnostic& diagnostic, const Race& race, const RaceNames& names);

/// What to do about that wait; empty when it is not the one to change.
[[nodiscard]] std::string wait_advice(const Race& race, std::uint32_t first_rank);

}  // namespace a2a3::tools
