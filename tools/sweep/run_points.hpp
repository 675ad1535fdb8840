// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/sweep/point.hpp"
#include "tools/sweep/point_result.hpp"
#include "tools/sweep/result_store.hpp"

namespace a2a3::tools {

struct PoolOptions {
  unsigned jobs = 0;      ///< runs at the same time; 0: as many as there are cores
  bool progress = false;  ///< also when stderr is no terminal
};

/// What running gave.
struct PoolReport {
  std::vector<PointResult> results;  ///< by point
  std::size_t ran = 0;               ///< in this call; the others were in the store
};

/// Runs those of the points whose result the store does not hold yet, each in a process of its own:
/// nothing that a run does, dying included, touches the others. `hashes` name the points; points of
/// one name run once. Throws Interrupted when SIGINT or SIGTERM comes. Must be called before this
/// process simulates anything, and from its only thread.
[[nodiscard]] PoolReport run_points(const std::vector<SweepPoint>& points,
                                    const std::vector<std::string>& hashes,
                                    const ResultStore& store, const PoolOptions& options);

}  // namespace a2a3::tools
