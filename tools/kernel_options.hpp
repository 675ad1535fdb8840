// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/run_options.hpp"

namespace CLI {
class App;
}

namespace a2a3::tools {

/// The options that say which program of a kernel file, for which machine and ranks: FILE,
/// --platform, --device, --entry, --set.
void add_kernel_options(CLI::App& command, RunOptions& options);
/// --mode.
void add_mode_option(CLI::App& command, RunOptions& options);
/// --pass.
void add_pass_option(CLI::App& command, RunOptions& options);

}  // namespace a2a3::tools
