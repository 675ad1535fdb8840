// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "interp/launch_record.hpp"

namespace a2a3::interp {

/// Looks at which device uses which part of each host tensor. An unsliced output on several
/// devices, and a part that one device writes and another reads, are errors. Warnings are the same
/// output slice on two devices, an output that no dispatch gets, and output slices that no dispatch
/// gets when one of the `world_size` devices gets nothing of the output.
void check_host_tensors(const std::vector<Access>& accesses,
                        const std::vector<HostParameter>& parameters, std::int64_t world_size,
                        ir::Diagnostics& diagnostics);

}  // namespace a2a3::interp
