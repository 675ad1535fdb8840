// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/diagnostic.hpp"
#include "ir/module.hpp"

namespace a2a3::ir {

/// Warns of a loop with init_values whose result names nobody reads while the name of an initial
/// value is read behind it: that one still holds the initial value. The function is checked.
void warn_of_init_reads(const Function& function, Diagnostics& diagnostics);

}  // namespace a2a3::ir
