// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace a2a3::interp {

/// Devices or ranks, "0-3", "0,2,5-7": in the given order, runs of consecutive ones joined.
[[nodiscard]] std::string format_ids(const std::vector<std::uint32_t>& ids);

}  // namespace a2a3::interp
