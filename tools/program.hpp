// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/exit_status.hpp"

namespace a2a3::tools {

/// The program a2a3sim: reads the command line and runs the subcommand it names. Results go to
/// stdout, errors to stderr. Never throws and never exits.
[[nodiscard]] ExitStatus run_program(int argc, const char* const* argv);

}  // namespace a2a3::tools
