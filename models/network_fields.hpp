// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/machine_fields.hpp"

namespace a2a3::models {

/// Appends the fields of `link`, `switch` and `torus`, each with the topologies that read it.
void add_network_fields(std::vector<MachineField>& fields);

/// Appends those of `memory` and `hazards` that say in which order writes become visible.
void add_relaxed_fields(std::vector<MachineField>& fields);

/// Appends the fields of `launch`, each with the distributions that read it.
void add_launch_fields(std::vector<MachineField>& fields);

}  // namespace a2a3::models
