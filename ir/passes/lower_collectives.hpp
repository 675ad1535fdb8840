// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/passes/pipeline.hpp"

namespace a2a3::ir {

/// Replaces every collective of the module's kernels by the statements of kernel_language 4.6.
void lower_collectives(Module& module, const LoweringOptions& options);

}  // namespace a2a3::ir
