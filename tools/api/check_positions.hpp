// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ir/diagnostic.hpp"
#include "models/machine_description.hpp"

namespace a2a3 {

/// Options::positions: none, or one for each rank, all different, all of the machine's. Errors for
/// anything else.
void check_positions(const std::vector<std::uint32_t>& positions, std::uint32_t ranks,
                     const models::MachineDescription& machine, ir::Diagnostics& diagnostics);

}  // namespace a2a3
