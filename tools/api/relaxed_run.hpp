// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "a2a3/engine_run.hpp"
#include "interp/untimed.hpp"
#include "isa/order/task_order.hpp"

namespace a2a3 {

/// What the machine reorders on the untimed engine; nothing on an ordered machine.
[[nodiscard]] std::optional<interp::RelaxedOrder> relaxed_order(const Run& run);

/// The order of the tasks that the race check of the run starts from.
[[nodiscard]] isa::TaskOrder order_of_tasks(const Run& run);

/// Enters which hazards of the machine the races of the run may come from.
void note_hazards(const Run& run, RaceCheck& check);

}  // namespace a2a3
