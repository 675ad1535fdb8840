// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/check/check_plan.hpp"
#include "tools/check/failure.hpp"

namespace a2a3::tools {

/// A whole check; the writers compute nothing about it.
struct CheckReport {
  CheckOptions options;
  CheckPlan plan;
  std::vector<GroupResult> groups;
  std::vector<Failure> failures;

  [[nodiscard]] std::size_t runs() const;
  [[nodiscard]] ExitStatus status() const;
  /// Runs that failed; one may show several failures.
  [[nodiscard]] std::size_t failed() const;
  /// Runs that finished without anything wrong, but were compared with no golden.
  [[nodiscard]] std::size_t unchecked() const;
};

/// What a check without goldens does not say.
[[nodiscard]] std::string no_golden_text(const CheckOptions& options);

/// One row per group: ranks, settings, runs, verdicts; then how many runs there were.
[[nodiscard]] std::string check_table(const CheckReport& report);

/// Every failure: how often it came, the smallest run that shows it with what that run says, and
/// the command that repeats it. Empty when nothing failed.
[[nodiscard]] std::string check_failures(const CheckReport& report);

[[nodiscard]] nlohmann::ordered_json check_json(const CheckReport& report);

/// JUnit's XML: a test case per group. One that passed without a golden says so in its system-out.
[[nodiscard]] std::string check_junit(const CheckReport& report);

}  // namespace a2a3::tools
