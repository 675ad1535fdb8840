// SPDX-License-Identifier: Apache-2.0
#include "a2a3/relaxed_run.hpp"

#include <algorithm>
#include <iterator>

#include "interp/task_order.hpp"
#include "isa/order/sync_index.hpp"

namespace a2a3 {
namespace {

/// Bytes from a tensor's first element to behind its last one.
std::uint64_t reach_bytes(const interp::TensorArgument& tensor) {
  std::int64_t last = 0;
  std::int64_t packed = 1;
  for (std::size_t d = tensor.shape.size(); d-- > 0;) {
    if (tensor.shape[d] == 0) return 0;
    last += (tensor.shape[d] - 1) * (tensor.stride.empty() ? packed : tensor.stride[d]);
    packed *= tensor.shape[d];
  }
  return static_cast<std::uint64_t>((last + 1) * isa::size_of(tensor.dtype));
}

bool zeroes_late(const Run& run) {
  return run.machine.relaxed.order == models::MemoryOrder::relaxed &&
         run.machine.hazards.zeroing == models::Zeroing::late && run.options.windows == nullptr;
}

/// By device: the bytes of windows and of the kernels' tensors, begin to end.
std::vector<std::map<std::uint64_t, std::uint64_t>> used_bytes(const interp::LaunchPlan& plan) {
  std::vector<std::map<std::uint64_t, std::uint64_t>> used(plan.gm_bytes.size());
  std::vector<isa::ByteRange> ranges;
  const auto add = [&](isa::GlobalAddress at, std::uint64_t bytes) {
    ranges.push_back(
        {isa::MemorySpace::gm, true, at.device, at.offset_bytes, at.offset_bytes + bytes});
  };
  for (const interp::WindowBuffer& window : plan.windows) {
    for (const auto& [device, offset] : window.offset_bytes)
      add({device, offset}, window.bytes);
  }
  for (const interp::HostCopy& copy : plan.copies)
    add(copy.device, copy.bytes);
  for (const interp::Task& task : plan.tasks) {
    for (const interp::KernelArgument& argument : task.arguments) {
      if (const auto* tensor = std::get_if<interp::TensorArgument>(&argument))
        add(tensor->base, reach_bytes(*tensor));
    }
  }
  std::ranges::sort(ranges, {}, &isa::ByteRange::begin);
  for (const isa::ByteRange& range : ranges) {
    auto& here = used[range.device];
    if (!here.empty() && std::prev(here.end())->second >= range.begin) {
      std::uint64_t& end = std::prev(here.end())->second;
      end = std::max(end, range.end);
    } else {
      here.emplace(range.begin, range.end);
    }
  }
  return used;
}

}  // namespace

std::optional<interp::RelaxedOrder> relaxed_order(const Run& run) {
  if (run.machine.relaxed.order == models::MemoryOrder::ordered) return std::nullopt;
  const interp::LaunchPlan& plan = run.result.plan;
  interp::RelaxedOrder relaxed;
  relaxed.seed = run.memory_seed();
  relaxed.fenced = run.machine.hazards.fences == models::Fences::automatic;
  relaxed.set_line_bytes = run.machine.hazards.set_line_bytes;
  if (relaxed.set_line_bytes != 0) relaxed.used_bytes = used_bytes(plan);
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
