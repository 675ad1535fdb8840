// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/diagnostic.hpp"
#include "sim/observer.hpp"

namespace a2a3::tools {

/// Launch skew by rank from `--skew`, given any number of times: `rank=1:50us`,
/// `uniform(seed=1, max=10us)` or `normal(seed=1, mean=5us, deviation=2us)`. A rank's own value
/// takes the place of what a distribution has for it. Errors name the option and what it may be.
[[nodiscard]] std::map<std::uint32_t, sim::Picoseconds> parse_skew(
    const std::vector<std::string>& texts, std::uint32_t ranks, ir::Diagnostics& diagnostics);

}  // namespace a2a3::tools
