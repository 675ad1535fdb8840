// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/diagnostic.hpp"
#include "models/golden_compare.hpp"

namespace a2a3::tools {

/// One output held against its golden.
struct GoldenCheck {
  std::string output;
  std::string expression;
  std::string comparison;                         ///< "exact", "tolerance(rtol=1e-05, atol=1e-06)"
  std::vector<models::SliceMismatch> mismatches;  ///< by rank; empty: the output is right
  std::optional<ir::Diagnostic> note{};           ///< what a mismatch may come from

  [[nodiscard]] bool right() const { return mismatches.empty(); }
};

/// Which outputs are wrong, on which ranks and where first; empty when all are right.
[[nodiscard]] std::string mismatch_report(const std::vector<GoldenCheck>& checks);

}  // namespace a2a3::tools
