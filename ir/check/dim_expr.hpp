// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/fold.hpp"
#include "ir/module.hpp"

namespace a2a3::ir {

/// A dimension of the Python scopes written out as an expression of the kernel language, in place
/// of the name that captured it. Its quotients round down, also where `//` truncates (`division`).
[[nodiscard]] ExprPtr dim_expr(const Dim& dim, const Module& module, SourceLocation location,
                               Division division);

}  // namespace a2a3::ir
