// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/run_options.hpp"

namespace CLI {
class App;
}

namespace a2a3::tools {

/// The group of limits in --help.
inline constexpr const char* kLimitsGroup = "Limits";

/// The options that say which program of a kernel file, for which machine and ranks: FILE,
/// --platform, --device, --entry, --set, and the limits on files.
void add_kernel_options(CLI::App& command, RunOptions& options);
/// --max-file-bytes and --max-nesting.
void add_file_limits(CLI::App& command, FileLimits& limits);
/// --mode.
void add_mode_option(CLI::App& command, RunOptions& options);
/// --pass.
void add_pass_option(CLI::App& command, RunOptions& options);

}  // namespace a2a3::tools
