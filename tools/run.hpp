// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/exit_status.hpp"
#include "tools/run_options.hpp"

namespace a2a3::tools {

/// Runs a kernel file: card and OK to stdout, errors and findings to stderr, files where the
/// options say, whatever the verdict.
[[nodiscard]] ExitStatus run_kernel(const RunOptions& options);

}  // namespace a2a3::tools
