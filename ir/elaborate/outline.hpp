// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/module.hpp"

namespace a2a3::ir {

/// Makes functions of what is written inline in the launch scopes of `functions`: the body of
/// `with pl.at(level=pl.Level.CORE_GROUP)` and of pl.spmd in a per-device function becomes a
/// kernel, that of `with pl.at(level=pl.Level.CHIP)` in a host function a per-device function. The
/// scope stays and holds one call. What the body reads of the function around it becomes
/// parameters without annotations, what is read of it afterwards results. Scopes that hold calls
/// already stay as they are. The new functions stand in front of those they come from.
void outline_launch_scopes(Module& module, std::vector<std::unique_ptr<Function>>& functions,
                           Diagnostics& diagnostics);

}  // namespace a2a3::ir
