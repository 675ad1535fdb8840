// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/diagnostic.hpp"
#include "tools/run_setup.hpp"

namespace a2a3::tools {

/// Adds what is wrong with a specification: what points into its text points to the same place in
/// the run file when the text comes from there.
void append_placed(const SpecText& spec, ir::Diagnostics found, ir::Diagnostics& diagnostics);

}  // namespace a2a3::tools
