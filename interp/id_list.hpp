// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace a2a3::interp {

/// Devices or ranks, "0-3", "0,2,5-7": in the given order, runs of consecutive ones joined.
[[nodiscard]] std::string format_ids(const std::vector<std::uint32_t>& ids);

/// "rank 2", "ranks 1-3".
[[nodiscard]] std::string rank_list(const std::vector<std::uint32_t>& ranks);

}  // namespace a2a3::interp
