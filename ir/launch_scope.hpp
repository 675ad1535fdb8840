// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/node.hpp"

namespace a2a3::ir {

/// The value of a call's keyword; nullptr when it is not given.
[[nodiscard]] const ExprPtr* keyword_value(const Call& call, std::string_view name);

/// The number of blocks of `pl.spmd(n)` or `pl.spmd(core_num=n)`; nullptr when there is none.
[[nodiscard]] const Expr* spmd_count(const Call& call);

/// The call that a statement consists of, as the value of an assignment or alone; nullptr for any
/// other statement.
[[nodiscard]] const Call* called_by(const Stmt& stmt);

}  // namespace a2a3::ir
