// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "interp/launch_plan.hpp"
#include "ir/source.hpp"
#include "isa/hints/float_adds.hpp"

namespace a2a3 {

/// Atomic adds of several ranks to the same floats: such a sum rounds in the order in which they
/// land.
struct SharedFloatAdds {
  ir::SourceLocation location;       ///< of the add that met another rank's first
  std::vector<std::uint32_t> ranks;  ///< that add, ascending
  std::string place;                 ///< where they met first: "win[0, 0:64]"
  std::uint32_t owner = 0;           ///< rank of that memory
};

/// As the plan's author knows them.
[[nodiscard]] std::optional<SharedFloatAdds> describe_adds(
    const isa::FloatAdds& adds, const interp::LaunchPlan& plan,
    const std::function<ir::SourceLocation(isa::SourceId)>& locate);

}  // namespace a2a3
