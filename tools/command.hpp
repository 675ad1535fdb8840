// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tools/exit_status.hpp"

namespace CLI {
class App;
}

namespace a2a3::tools {

/// What the subcommand that was chosen does; set while the command line is read, run afterwards.
using Action = std::function<ExitStatus()>;

/// Each adds one subcommand to the program.
void add_run_command(CLI::App& program, Action& action);
void add_lower_command(CLI::App& program, Action& action);
void add_diff_command(CLI::App& program, Action& action);
void add_machine_command(CLI::App& program, Action& action);
/// Of the command `machine`.
void add_calibrate_command(CLI::App& machine, Action& action);
void add_coverage_command(CLI::App& program, Action& action);
void add_sweep_command(CLI::App& program, Action& action);
void add_merge_command(CLI::App& program, Action& action);
void add_check_command(CLI::App& program, Action& action);
void add_compare_command(CLI::App& program, Action& action);

}  // namespace a2a3::tools
