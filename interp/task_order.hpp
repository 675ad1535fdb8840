// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interp/launch_plan.hpp"
#include "isa/order/task_order.hpp"

namespace a2a3::interp {

/// How a plan orders its tasks. A launch goes on with the threads of one that it comes after, so
/// that there are as many threads as tasks can run at the same time. Which core a task gets plays
/// no part: tasks that one core happens to run one after the other are not ordered by it.
[[nodiscard]] isa::TaskOrder task_order(const LaunchPlan& plan);

/// The same with one task more for each device, behind the plan's own: all tasks of the device come
/// after it.
[[nodiscard]] isa::TaskOrder task_order_with_zeroings(const LaunchPlan& plan);

}  // namespace a2a3::interp
