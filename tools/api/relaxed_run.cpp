// SPDX-License-Identifier: Apache-2.0
#include "a2a3/relaxed_run.hpp"

#include "interp/task_order.hpp"
#include "isa/order/sync_index.hpp"

namespace a2a3 {
namespace {

bool zeroes_late(const Run& run) {
  return run.machine.relaxed.order == models::MemoryOrder::relaxed &&
         run.machine.hazards.zeroing == models::Zeroing::late && run.options.windows == nullptr;
}

}  // namespace

std::optional<interp::RelaxedOrder> relaxed_order(const Run& run) {
  if (run.machine.relaxed.order == models::MemoryOrder::ordered) return std::nullopt;
  const interp::LaunchPlan& plan = run.result.plan;
  interp::RelaxedOrder relaxed;
  relaxed.seed = run.memory_seed();
  relaxed.fenced = run.machine.hazards.fences == models::Fences::automatic;
  relaxed.set_line_bytes = run.machine.hazards.set_line_bytes;
  relaxed.unfenced_index = isa::unfenced_index(order_of_tasks(run));
  relaxed.first_zeroing_task = static_cast<std::uint32_t>(plan.tasks.size());
  if (!zeroes_late(run)) return relaxed;
  for (std::size_t w = 0; w < plan.windows.size(); ++w) {
    for (const auto& [device, offset] : plan.windows[w].offset_bytes) {
      relaxed.zeroings.push_back({{device, offset},
                                  plan.windows[w].bytes,
                                  kZeroingSource + static_cast<isa::SourceId>(w)});
    }
  }
  return relaxed;
}

isa::TaskOrder order_of_tasks(const Run& run) {
  return zeroes_late(run) ? interp::task_order_with_zeroings(run.result.plan)
                          : interp::task_order(run.result.plan);
}

void note_hazards(const Run& run, RaceCheck& check) {
  if (run.machine.relaxed.order == models::MemoryOrder::ordered) return;
  check.unfenced = run.machine.hazards.fences == models::Fences::none;
  check.set_line_bytes = run.machine.hazards.set_line_bytes;
  check.late_zeroing = run.machine.hazards.zeroing == models::Zeroing::late;
}

}  // namespace a2a3
