// SPDX-License-Identifier: Apache-2.0
#include "tools/check/case_runner.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

namespace a2a3::tools {

CaseRunner::CaseRunner(RunOptions base, PoolOptions pool)
    : base_(std::move(base)), pool_(pool), store_(directory_.path()) {
  if (const std::string error = store_.create(); !error.empty()) {
    throw std::system_error(EIO, std::generic_category(), error);
  }
}

std::vector<PointResult> CaseRunner::run(const std::vector<CheckCase>& cases) {
  std::vector<SweepPoint> points;
  std::vector<std::string> names;
  for (const CheckCase& one : cases) {
    const auto known =
        names_.try_emplace(replay_command(base_, one), std::to_string(names_.size())).first;
    names.push_back(known->second);
    points.push_back({{}, options_of(base_, one), static_cast<double>(one.ranks)});
  }
  return run_points(points, names, store_, pool_).results;
}

}  // namespace a2a3::tools
