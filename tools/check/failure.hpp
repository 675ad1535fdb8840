// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/check/case_runner.hpp"
#include "tools/check/check_plan.hpp"

namespace a2a3::tools {

/// The runs of one group and what they gave.
struct GroupResult {
  CheckGroup group;
  std::vector<CheckCase> cases;
  std::vector<PointResult> results;  ///< by case

  [[nodiscard]] ExitStatus status() const;
  /// How many runs ended with each verdict.
  [[nodiscard]] std::map<std::string, std::size_t> verdicts() const;
};

/// Findings that the same smallest run shows. A run may show several failures.
struct Failure {
  /// findings_of() that run, verdict and source lines, without those that belong to a failure
  /// before this one.
  std::vector<std::string> findings;
  std::string verdict;  ///< of the smallest run
  ExitStatus status = ExitStatus::ok;
  std::size_t runs = 0;              ///< of the check, that show one of the findings
  std::vector<std::uint32_t> ranks;  ///< rank counts of these runs, ascending
  CheckCase smallest;
  bool in_another_order = false;  ///< the smallest run ends on its timing, in another order not
  std::string text;               ///< what the smallest run says; empty when it died
};

/// What a result's failure is told from others by; one that died has its error.
[[nodiscard]] std::vector<std::string> failure_names(const PointResult& result);

/// Finds for each distinct failure the smallest run that shows it, first among those that were
/// made, then below them, and joins those that come to the same run. At most `most` are made
/// smaller; the others stay as they were met first.
[[nodiscard]] std::vector<Failure> find_failures(const std::vector<GroupResult>& groups,
                                                 const CheckPlan& plan, CaseRunner& runner,
                                                 std::size_t most);

}  // namespace a2a3::tools
