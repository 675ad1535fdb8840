// SPDX-License-Identifier: Apache-2.0
#include "tools/report/run_report.hpp"

#include <algorithm>

namespace a2a3::tools {
namespace {

/// A part whose collective has a size.
bool is_sized(const TrafficPart& part) {
  return part.buffer_bytes > 0;
}

}  // namespace

const TrafficPart* RunReport::only_collective() const {
  if (std::ranges::count_if(parts, is_sized) != 1) return nullptr;
  return &*std::ranges::find_if(parts, is_sized);
}

std::string RunReport::verdict() const {
  switch (result.outcome) {
    case Outcome::invalid:
      return result.over_limit ? "over a limit" : "wrong input";
    case Outcome::fault:
      return "fault";
    case Outcome::over_limit:
      return "over a limit";
    case Outcome::deadlock:
      return "deadlock";
    case Outcome::finished:
      break;
  }
  if (status == ExitStatus::finding) return result.race_check.races.empty() ? "finding" : "race";
  if (result.race_check.state == RaceCheck::State::undecided ||
      result.race_check.state == RaceCheck::State::too_many_orders)
    return "not decided";
  if (status == ExitStatus::wrong_result) {
    return std::ranges::all_of(goldens, &GoldenCheck::right) ? "wrong traffic" : "wrong result";
  }
  if (status == ExitStatus::wrong_input) return "wrong input";
  return is_checked() ? "ok" : "not checked";
}

}  // namespace a2a3::tools
