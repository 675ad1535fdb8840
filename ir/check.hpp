// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/diagnostic.hpp"
#include "ir/module.hpp"

namespace a2a3::ir {

/// Resolves names to slots and calls to operations or functions, deduces types and shapes, and
/// verifies the rules of every operation. Parameters without an annotation take the type of the
/// caller's argument. Reports all errors.
[[nodiscard]] Diagnostics check(Module& module);

}  // namespace a2a3::ir
