// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/check/check_plan.hpp"
#include "tools/exit_status.hpp"

namespace a2a3::tools {

/// Runs a kernel file over rank counts, settings, orders of the cores and skews. Table and OK to
/// stdout, failures to stderr, files where the options say. The worst status of all runs.
[[nodiscard]] ExitStatus check_kernel(const CheckOptions& options);

/// One run again: what it says is what the check said of it.
[[nodiscard]] ExitStatus replay_case(const CheckOptions& options);

}  // namespace a2a3::tools
