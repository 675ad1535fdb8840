// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "ir/module.hpp"
#include "models/traffic/claim.hpp"
#include "models/traffic/reduction_order.hpp"

namespace a2a3::tools {

/// The schedules that add in a lowered program: the claimed one, and those that its functions call,
/// whether a run comes by the call or not. Sizes that only the launch knows are left open.
[[nodiscard]] std::vector<models::ReductionUse> reduction_uses(
    const ir::Module& module, const std::optional<models::TrafficClaim>& claim);

}  // namespace a2a3::tools
