// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/constant.hpp"
#include "ir/node.hpp"

namespace a2a3::ir {

/// The text of `a.b.c` when the expression is a dotted name.
[[nodiscard]] std::optional<std::string> dotted_name(const Expr& expr);

/// The value of a dotted name of the language: dtypes (`pl.FP32`) and enum members
/// (`pld.NotifyOp.Set`, `pl.Level.HOST`).
[[nodiscard]] std::optional<Constant> language_constant(std::string_view dotted);

/// A member of an enum of the language, by name or by value.
[[nodiscard]] std::optional<EnumMember> enum_member(std::string_view enumeration,
                                                    std::string_view member);
[[nodiscard]] std::optional<EnumMember> enum_member(std::string_view enumeration,
                                                    std::int64_t value);

/// All dotted names of the language that are values.
[[nodiscard]] const std::vector<std::string>& language_constant_names();

/// The candidate closest to `name` by edit distance, when it is close enough to be a slip.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      std::span<const std::string> candidates);
/// "; did you mean 'SIZE'?", or nothing.
[[nodiscard]] std::string suggestion(std::string_view name,
                                     std::span<const std::string> candidates);

}  // namespace a2a3::ir
