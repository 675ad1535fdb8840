// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "ir/module.hpp"

namespace a2a3::ir {

struct StaticError {
  SourceLocation location;
  std::string message;
  /// The expression is outside of what can be computed here, as opposed to computed wrongly
  /// (unknown name, division by zero).
  bool not_constant = false;
};

/// Computes expressions of the Python scopes around the kernels: module constants, factory
/// statements, dimensions in annotations. Python's meaning: `//` and `%` floor.
class StaticEvaluator {
 public:
  /// `module` takes the dynamic dimensions that `pl.dynamic(...)` makes; `scope` is read.
  StaticEvaluator(Module& module, const Scope& scope) : module_(module), scope_(scope) {}

  using Result = std::variant<StaticValue, StaticError>;
  [[nodiscard]] Result evaluate(const Expr& expr);

 private:
  Result name(const Expr& expr, const Name& name);
  Result attribute(const Expr& expr);
  Result call(const Expr& expr, const Call& call);
  Result builtin(const Expr& expr, const Call& call, const std::string& function);
  Result dynamic(const Expr& expr, const Call& call);
  Result binary(const Expr& expr, const Binary& binary);
  Result logical(const Expr& expr, const Logical& logical);
  Result sequence(const Sequence& sequence);
  Result subscript(const Expr& expr, const Subscript& subscript);

  Module& module_;
  const Scope& scope_;
};

/// The value as a dimension; nothing when it is not an integer.
[[nodiscard]] std::optional<Dim> as_dim(const StaticValue& value);

}  // namespace a2a3::ir
