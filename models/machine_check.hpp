// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "ir/diagnostic.hpp"
#include "models/machine_description.hpp"
#include "models/machine_lists.hpp"

namespace a2a3::models {

/// Where the value of a key stands: "core.ub_reserved".
using LocateKey = std::function<ir::SourceLocation(const std::string& path)>;

/// Reports what several values of a machine that are right alone make wrong together: sizes that do
/// not fit into each other, a topology that does not have this number of devices, links and
/// positions that do not exist.
void check_together(const MachineDescription& machine,
                    const std::vector<Listed<SlowLink>>& slow_links,
                    const std::vector<Listed<std::uint32_t>>& placement, const LocateKey& locate,
                    ir::Diagnostics& diagnostics);

}  // namespace a2a3::models
