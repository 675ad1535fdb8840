// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tools/check/check_case.hpp"
#include "tools/sweep/point_result.hpp"
#include "tools/sweep/result_store.hpp"
#include "tools/sweep/run_points.hpp"
#include "tools/sweep/temporary_directory.hpp"

namespace a2a3::tools {

/// Runs the cases of one check, several at a time, each once.
class CaseRunner {
 public:
  /// Throws std::system_error when there is no place for results.
  CaseRunner(RunOptions base, PoolOptions pool);

  /// What they give, in order. Must be called before this process simulates anything.
  [[nodiscard]] std::vector<PointResult> run(const std::vector<CheckCase>& cases);
  [[nodiscard]] const RunOptions& base() const { return base_; }
  /// Runs so far.
  [[nodiscard]] std::size_t ran() const { return names_.size(); }

 private:
  RunOptions base_;
  PoolOptions pool_;
  TemporaryDirectory directory_;
  ResultStore store_;
  std::map<std::string, std::string> names_;  ///< in the store, by command
};

}  // namespace a2a3::tools
