// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ir/diagnostic.hpp"
#include "tools/report/plot.hpp"
#include "tools/sweep/point_result.hpp"
#include "tools/sweep/result_store.hpp"

namespace a2a3::tools {

/// The time of a sweep's runs over one of its axes: a line for each combination of the others that
/// vary. Runs without a time are left out.
///
/// `x` names an axis whose values are numbers above 0; empty: the last axis that is one and varies.
/// Errors: no such axis, or nothing to draw.
[[nodiscard]] Plot sweep_plot(const SweepManifest& manifest,
                              const std::vector<PointResult>& results, const std::string& x,
                              ir::Diagnostics& diagnostics);

}  // namespace a2a3::tools
