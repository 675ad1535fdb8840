// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/diagnostic.hpp"
#include "tools/check/check_case.hpp"
#include "tools/run_options.hpp"
#include "tools/sweep/run_points.hpp"

namespace a2a3::tools {

/// The options of `check` as they stand on the command line.
struct CheckOptions {
  RunOptions base;  ///< what all runs share; `skews` only with --replay
  std::optional<std::string> ranks;
  std::string seeds = "20";
  bool has_seeds = false;          ///< --seeds was given
  std::vector<std::string> sizes;  ///< NAME=LIST
  std::uint32_t skews = 2;         ///< timed runs with a skew, beside the one without
  std::string max_skew = "20us";
  std::string replay;  ///< a seed, or kReplayTimed; empty: check
  std::string json;
  std::string junit;
  PoolOptions pool;
  bool quiet = false;
  std::uint64_t max_points = 100'000;
};

/// The values that a setting takes in turn.
struct SettingValues {
  std::string name;
  std::vector<std::string> values;  ///< whole numbers ascending, other texts behind them as given
};

/// Rank count and settings: what is one line of the report and one test case of JUnit.
struct CheckGroup {
  std::uint32_t ranks = 1;
  std::vector<std::pair<std::string, std::string>> settings;
};

/// Which runs a check makes.
struct CheckPlan {
  std::vector<std::uint32_t> ranks;     ///< ascending
  std::vector<std::uint32_t> left_out;  ///< asked for, but the mode does not run on so many
  std::vector<SettingValues> sizes;
  std::vector<std::uint64_t> seeds;  ///< of orders of the cores, ascending
  std::uint32_t skews = 0;
  double max_skew_seconds = 0;

  /// The smallest first.
  [[nodiscard]] std::vector<CheckGroup> groups() const;
  /// The untimed runs of a group, the timed one, those with skews drawn from 1, 2, ...
  [[nodiscard]] std::vector<CheckCase> cases(const CheckGroup& group) const;
};

/// Reads the lists. Errors name the option.
[[nodiscard]] CheckPlan plan_of(const CheckOptions& options, ir::Diagnostics& diagnostics);

/// The one run of --replay. Errors name the option.
[[nodiscard]] CheckCase replayed_case(const CheckOptions& options, ir::Diagnostics& diagnostics);

}  // namespace a2a3::tools
