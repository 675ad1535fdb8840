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
/// --platform, --device (when asked for), --entry, --set, and the limits on files.
void add_kernel_options(CLI::App& command, RunOptions& options, bool with_devices = true);
/// --max-file-bytes and --max-nesting.
void add_file_limits(CLI::App& command, FileLimits& limits);
/// --mode.
void add_mode_option(CLI::App& command, RunOptions& options);
/// --memory.
void add_memory_option(CLI::App& command, RunOptions& options);
/// What goes in and what must come out: --input, --golden, --no-goldens, --traffic,
/// --no-traffic, --compare.
void add_data_options(CLI::App& command, RunOptions& options);
/// --max-devices, --max-instructions, ...: what a run may use.
void add_run_limits(CLI::App& command, RunOptions& options);
/// Those of --signals and --explain.
void add_report_limits(CLI::App& command, RunOptions& options);
/// --pass.
void add_pass_option(CLI::App& command, RunOptions& options);

}  // namespace a2a3::tools
