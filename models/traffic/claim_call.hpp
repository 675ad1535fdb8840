// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/node.hpp"
#include "models/traffic/claim.hpp"

namespace a2a3::models {

/// A formula of a claim, parsed.
struct ClaimFormula {
  ir::SourceFilePtr source;
  ir::ExprPtr expr;
};
[[nodiscard]] std::optional<ClaimFormula> parse_claim_formula(const ClaimText& text,
                                                              ir::Diagnostics& diagnostics);

/// `allreduce.ring(data=x)`: a dotted name, and parameters by name.
struct ClaimCall {
  ClaimFormula parsed;
  std::string function;
  ir::SourceLocation location;
  const ir::Call* call = nullptr;  ///< null without parentheses

  /// The expression given for a parameter; nullptr when there is none.
  [[nodiscard]] const ir::Expr* find(const std::string& parameter) const;
  /// Reports arguments that are none of the parameters, or without a name.
  [[nodiscard]] bool check(const std::vector<std::string>& parameters,
                           ir::Diagnostics& diagnostics) const;
};
[[nodiscard]] std::optional<ClaimCall> parse_claim_call(const ClaimText& text,
                                                        ir::Diagnostics& diagnostics);

}  // namespace a2a3::models
