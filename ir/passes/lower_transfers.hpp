// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/passes/pipeline.hpp"

namespace a2a3::ir {

/// Replaces pld.tensor.put and get by their staging tiles and pld.tile.put and get. A call inside a
/// larger expression stays as it is.
void lower_transfers(Module& module, const LoweringOptions& options);

}  // namespace a2a3::ir
