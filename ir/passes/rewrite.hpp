// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ir/module.hpp"

namespace a2a3::ir {

/// The call that is the value of an assignment to one name, of an expression statement or of a
/// return; nullptr for any other statement.
[[nodiscard]] const Expr* statement_call(const Stmt& stmt);

/// The place of that value.
[[nodiscard]] ExprPtr& statement_value(Stmt& stmt);

/// What takes the place of a statement; nothing keeps it.
using Rewriter = std::function<std::optional<Block>(Stmt& stmt)>;

/// Offers every statement of a block to `rewrite`, innermost blocks included.
void rewrite(Block& block, const Rewriter& rewriter);

/// A prefix `_<stem><n>_` that starts no name of the function; `n` counts up from `next`.
[[nodiscard]] std::string fresh_prefix(const Function& function, const std::string& stem,
                                       int& next);

/// What the statement does with the buffer that its call gave, `result`, when the call itself has
/// been replaced: `x = result`, `return result`, or nothing.
void use_result(const Stmt& stmt, ExprPtr result, Block& out);

}  // namespace a2a3::ir
