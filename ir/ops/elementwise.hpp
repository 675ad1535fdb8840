// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/check/function_checker.hpp"

namespace a2a3::ir {

enum class Elementwise : std::uint8_t { add, sub, mul, div, maximum, minimum };

/// The rule of `pl.add(a, b)` and of `a + b` when at least one side is a tile: the operands' types
/// are known. Returns the result's type.
[[nodiscard]] Type check_elementwise(FunctionChecker& checker, Elementwise op, const Expr& lhs,
                                     const Expr& rhs, SourceLocation at);

/// What arithmetic on two integer scalars gives: their dtype when they have one. An integer without
/// a dtype of its own (`k * 10`, a captured constant) takes the other's if it fits; else INDEX.
[[nodiscard]] Type arithmetic_type(const Expr& a, const Expr& b);

}  // namespace a2a3::ir
