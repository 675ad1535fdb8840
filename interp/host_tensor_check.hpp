// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "interp/launch_record.hpp"

namespace a2a3::interp {

/// Looks at which device uses which part of each host tensor. An unsliced output on several
/// devices, and a part that one device writes and another reads, are errors; the same output slice
/// on two devices and output slices that no dispatch gets are warnings.
void check_host_tensors(const std::vector<Access>& accesses,
                        const std::vector<HostParameter>& parameters, ir::Diagnostics& diagnostics);

}  // namespace a2a3::interp
