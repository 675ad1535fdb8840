// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ir/diagnostic.hpp"

namespace a2a3::tools {

/// Why a file cannot be written to this path, found out before anything runs: no such directory, a
/// directory in its place, no permission. Empty when nothing speaks against it, and for "".
[[nodiscard]] std::string why_unwritable(const std::string& path);

/// Adds the error "OPTION: cannot write PATH: ..." when the file of an option cannot be written.
void check_writable(const std::string& option, const std::string& path,
                    ir::Diagnostics& diagnostics);

}  // namespace a2a3::tools
