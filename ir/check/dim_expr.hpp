// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/module.hpp"

namespace a2a3::ir {

/// A dimension of the Python scopes written out as an expression of the kernel language, in place
/// of the name that captured it.
[[nodiscard]] ExprPtr dim_expr(const Dim& dim, const Module& module, SourceLocation location);

}  // namespace a2a3::ir
