// SPDX-License-Identifier: Apache-2.0
#include "a2a3/blocked.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "a2a3/range_name.hpp"

namespace a2a3 {
namespace {

constexpr std::uint64_t kCellBytes = 4;

/// Elements from the begin of a view to the cell.
std::int64_t elements_to(const isa::GlobalAddress& cell, std::uint64_t begin) {
  return (static_cast<std::int64_t>(cell.offset_bytes) - static_cast<std::int64_t>(begin)) /
         static_cast<std::int64_t>(kCellBytes);
}

}  // namespace

CellName name_cell(const interp::LaunchPlan& plan, const isa::GlobalAddress& cell) {
  CellName name;
  const WindowRegion region = window_of(plan, cell);
  if (region.index < 0) {
    name.index = {static_cast<std::int64_t>(cell.offset_bytes / kCellBytes)};
    return name;
  }
  name.window = plan.windows[static_cast<std::size_t>(region.index)].name;
  name.index = {elements_to(cell, region.begin)};
  // The INT32 view of the window that the kernels of this device were given and that holds it.
  for (const interp::Task& task : plan.tasks) {
    if (task.device != cell.device) continue;
    for (std::size_t a = 0; a < task.arguments.size(); ++a) {
      const auto* view = std::get_if<interp::TensorArgument>(&task.arguments[a]);
      const bool fits =
          view != nullptr && view->window == region.index && view->dtype == isa::DType::int32;
      if (!fits) continue;
      if (auto index = element_of(elements_to(cell, view->base.offset_bytes), *view)) {
        name.index = std::move(*index);
        name.view = task.kernel->parameters[a].name;
        return name;
      }
    }
  }
  return name;
}

std::string CellName::text() const {
  return fmt::format("{}[{}]", view.empty() ? window : view, fmt::join(index, ", "));
}

void name_collective(BlockedRank& blocked, const interp::LaunchPlan& plan,
                     const interp::CollectiveLog& calls,
                     const std::function<ir::SourceLocation(isa::SourceId)>& locate) {
  std::map<std::uint32_t, std::uint64_t> calls_of;  // by device
  for (const auto& [call, count] : calls) {
    const ir::SourceLocation at = locate(call.source);
    if (at.line != blocked.location.line || at.column != blocked.location.column) continue;
    blocked.collective = call.note.schedule.substr(0, call.note.schedule.find('.'));
    calls_of[call.device] += count;
  }
  if (blocked.collective.empty()) return;
  const auto window =
      std::ranges::find(plan.windows, blocked.cell.window, &interp::WindowBuffer::name);
  if (window == plan.windows.end()) return;
  for (const std::uint32_t device : plan.domains[window->domain].devices) {
    if (calls_of[device] < calls_of[blocked.rank]) blocked.absent.push_back(device);
  }
}

}  // namespace a2a3
