// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/report/run_report.hpp"

namespace a2a3::tools {

/// The launches of one program, in order; the last may be the one that went wrong.
struct LaunchesReport {
  std::vector<RunReport> launches;
  std::uint32_t asked_for = 1;
  bool persistent = false;

  /// The worst of all launches.
  [[nodiscard]] ExitStatus status() const;
  /// That of the first launch with this status; of the last one when all went well.
  [[nodiscard]] std::string verdict() const;
};

/// A row per launch, and their sum.
[[nodiscard]] std::string launch_table(const LaunchesReport& report);

/// The report of every launch, and their sum.
[[nodiscard]] nlohmann::ordered_json launches_json(const LaunchesReport& report);

}  // namespace a2a3::tools
