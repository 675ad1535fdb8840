// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/report/run_report.hpp"

namespace a2a3::tools {

/// The same race or finding of one or several launches.
struct FoundInLaunches {
  std::size_t launch = 0;               ///< the first one, from 0
  std::size_t index = 0;                ///< in that launch's list
  std::vector<std::uint32_t> launches;  ///< all of them, counted from 1, ascending
};

/// The races of all launches. Two are the same when they are of one kind between the same lines.
[[nodiscard]] std::vector<FoundInLaunches> grouped_races(std::span<const RunReport> launches);
/// The findings of all launches. Two are the same when they are of one kind and severity, of one
/// line and one place.
[[nodiscard]] std::vector<FoundInLaunches> grouped_findings(std::span<const RunReport> launches);

/// "in launch 2", "in launches 1,3-5".
[[nodiscard]] std::string launches_text(const std::vector<std::uint32_t>& launches);

/// race_report() and finding_report() of all launches together: each race and each finding once,
/// with the launches that have it.
[[nodiscard]] std::string launch_findings(std::span<const RunReport> launches);

}  // namespace a2a3::tools
