// SPDX-License-Identifier: Apache-2.0
#include "a2a3/blocked.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace a2a3 {
namespace {

constexpr std::uint64_t kCellBytes = 4;

std::vector<std::int64_t> unravel(std::int64_t index, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> result(shape.size(), 0);
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] <= 0) continue;
    result[d] = index % shape[d];
    index /= shape[d];
  }
  return result;
}

/// The region of a device's memory that a window occupies.
struct WindowRegion {
  std::int32_t index = -1;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

WindowRegion window_of(const interp::LaunchPlan& plan, const isa::GlobalAddress& cell) {
  for (std::size_t w = 0; w < plan.windows.size(); ++w) {
    const interp::WindowBuffer& window = plan.windows[w];
    const auto offset = window.offset_bytes.find(cell.device);
    if (offset == window.offset_bytes.end()) continue;
    const WindowRegion region{static_cast<std::int32_t>(w), offset->second,
                              offset->second + window.bytes};
    if (cell.offset_bytes >= region.begin && cell.offset_bytes < region.end) return region;
  }
  return {};
}

/// The INT32 view of the window that the kernels of this device were given and that holds the cell.
std::pair<const interp::TensorArgument*, std::string> view_of(const interp::LaunchPlan& plan,
                                                              std::int32_t window,
                                                              const isa::GlobalAddress& cell) {
  for (const interp::Task& task : plan.tasks) {
    if (task.device != cell.device) continue;
    for (std::size_t a = 0; a < task.arguments.size(); ++a) {
      const auto* view = std::get_if<interp::TensorArgument>(&task.arguments[a]);
      if (view == nullptr || view->window != window || view->dtype != isa::DType::int32) continue;
      std::int64_t elements = 1;
      for (const std::int64_t dim : view->shape)
        elements *= dim;
      const std::uint64_t end =
          view->base.offset_bytes + static_cast<std::uint64_t>(elements) * kCellBytes;
      if (cell.offset_bytes >= view->base.offset_bytes && cell.offset_bytes < end) {
        return {view, task.kernel->parameters[a].name};
      }
    }
  }
  return {nullptr, ""};
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
  const auto [view, parameter] = view_of(plan, region.index, cell);
  const std::uint64_t base = view == nullptr ? region.begin : view->base.offset_bytes;
  const auto index = static_cast<std::int64_t>((cell.offset_bytes - base) / kCellBytes);
  name.index = view == nullptr ? std::vector{index} : unravel(index, view->shape);
  name.view = parameter;
  return name;
}

std::string CellName::text() const {
  return fmt::format("{}[{}]", view.empty() ? window : view, fmt::join(index, ", "));
}

BlockedRank describe_blocked(const BlockedWaitSite& site, const interp::LaunchPlan& plan,
                             const sim::SignalLog& log,
                             const std::function<ir::SourceLocation(isa::SourceId)>& locate) {
  BlockedRank blocked;
  blocked.rank = site.device;
  blocked.core = site.core;
  blocked.location = locate(site.source);
  blocked.cell = name_cell(plan, site.wait.cell);
  blocked.value = site.value;
  blocked.expected = site.wait.expected;
  blocked.cmp = site.wait.cmp;
  blocked.since = site.since;
  blocked.deferred = site.deferred;

  const WindowRegion region = window_of(plan, site.wait.cell);
  for (const sim::CellCredit& credit : log.credits(site.device)) {
    const std::uint64_t at = credit.cell.offset_bytes;
    if (at < region.begin || at >= region.end) continue;
    std::vector<Credit>& credits =
        credit.cell == site.wait.cell ? blocked.received : blocked.elsewhere;
    credits.push_back({name_cell(plan, credit.cell), credit.from_device, credit.op, credit.sum,
                       credit.count, locate(credit.source)});
  }
  return blocked;
}

}  // namespace a2a3
