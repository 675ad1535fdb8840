// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/check/case_runner.hpp"
#include "tools/check/check_plan.hpp"

namespace a2a3::tools {

/// The smallest run found that shows the same failure: fewest ranks of those that the check was
/// asked for first, then the least values of
/// the settings that are whole numbers, then the least seed, or the fewest and shortest skews. An
/// untimed run is smaller than a timed one. On fewer ranks other ones are tried late, too.
[[nodiscard]] CheckCase shrink(const CheckCase& first, const std::string& failure,
                               const CheckPlan& plan, CaseRunner& runner);

}  // namespace a2a3::tools
