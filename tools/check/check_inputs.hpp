// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/diagnostic.hpp"
#include "tools/check/check_plan.hpp"

namespace a2a3::tools {

/// What would fail in every run alike, before the first one: a kernel file that cannot be read, a
/// name of --sizes no value of which the kernel takes, and a program that cannot be loaded on any
/// number of ranks with any sizes. Other mistakes are findings of the runs.
void check_inputs(const CheckOptions& options, const CheckPlan& plan, ir::Diagnostics& diagnostics);

}  // namespace a2a3::tools
