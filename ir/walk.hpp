// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "ir/node.hpp"

namespace a2a3::ir {

/// Calls `visit` for the expression and everything below it, outermost first.
void walk(const Expr& expr, const std::function<void(const Expr&)>& visit);
/// The same for every expression of the statements, annotations included.
void walk(const Block& block, const std::function<void(const Expr&)>& visit);
void walk(const Stmt& stmt, const std::function<void(const Expr&)>& visit);

/// The blocks directly inside a statement, in source order.
[[nodiscard]] std::vector<Block*> inner_blocks(Stmt& stmt);
[[nodiscard]] std::vector<const Block*> inner_blocks(const Stmt& stmt);

/// The names that the statements give a value, those of inner blocks included.
[[nodiscard]] std::set<std::string> bound_names(const Block& block);

}  // namespace a2a3::ir
