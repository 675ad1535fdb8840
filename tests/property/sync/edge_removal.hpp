// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>

#include "ir/module.hpp"

namespace a2a3::sync {

/// Takes one edge of the synchronisation out of the kernels of a checked module: a notify, a wait,
/// a wait and the notify before it on the same window, a builtin barrier, the condition around a
/// notify or a wait, whose statement stays, or of a loop over the peers those below or above the
/// own rank. Gives what it was, with its line; "" when there is nothing to take out.
std::string remove_edge(ir::Module& module, std::mt19937_64& random);

}  // namespace a2a3::sync
