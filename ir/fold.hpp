// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ir/constant.hpp"
#include "ir/node.hpp"

namespace a2a3::ir {

/// How `//` and `%` treat negative operands: host code and Python around the kernels floor, kernels
/// truncate toward zero.
enum class Division : std::uint8_t { floor, truncate };

/// A folded value, or why there is none.
struct Folded {
  std::optional<Constant> value;
  std::string problem;     ///< empty when the operands are simply not foldable together
  bool too_large = false;  ///< the problem is that Python's integers have any size, ours 64 bits
};

/// Arithmetic, comparison and logic on known values, with Python's meaning except for `division`.
/// Overflow and division by zero are problems.
[[nodiscard]] Folded fold(BinaryOp op, const Constant& lhs, const Constant& rhs, Division division);
[[nodiscard]] Folded fold(UnaryOp op, const Constant& operand);
[[nodiscard]] Folded fold(CompareOp op, const Constant& lhs, const Constant& rhs);
[[nodiscard]] Folded fold(LogicalOp op, const Constant& lhs, const Constant& rhs);

/// `a // b` and `a % b` by either rule; nothing for b == 0 or overflow.
[[nodiscard]] std::optional<std::int64_t> divide(std::int64_t a, std::int64_t b, Division division);
[[nodiscard]] std::optional<std::int64_t> modulo(std::int64_t a, std::int64_t b, Division division);

/// The integer that `dtype` holds when `value` is written to it: its low bits.
[[nodiscard]] std::int64_t wrapped(std::int64_t value, isa::DType dtype);
/// A number that `dtype` can hold; floating-point types take every number.
[[nodiscard]] bool fits(const Constant& value, isa::DType dtype);

/// The operator as written, for example "//".
[[nodiscard]] std::string_view spelling(BinaryOp op);
[[nodiscard]] std::string_view spelling(CompareOp op);
[[nodiscard]] std::string_view spelling(UnaryOp op);

/// Python's truth value; nothing for values without one here.
[[nodiscard]] std::optional<bool> truth(const Constant& value);

/// The constant as the language writes it: `64`, `pl.FP32`, `pld.ReduceOp.Sum`.
[[nodiscard]] std::string to_string(const Constant& constant);

}  // namespace a2a3::ir
