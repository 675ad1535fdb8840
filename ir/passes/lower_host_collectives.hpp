// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/passes/pipeline.hpp"

namespace a2a3::ir {

/// Replaces every collective of the host function by a loop that dispatches a per-device function
/// of its own to the devices of its comm domain; that one calls a kernel of its own, which holds
/// the statements of kernel_language 4.7. Both are added to the module.
void lower_host_collectives(Module& module, const LoweringOptions& options);

}  // namespace a2a3::ir
