// SPDX-License-Identifier: Apache-2.0
#include "tools/window_dump.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace a2a3::tools {
namespace {

struct SeenView {
  std::string parameter;  ///< of the kernel
  std::uint32_t device = 0;
  const interp::TensorArgument* argument = nullptr;
};

/// All views of windows that kernels are given, in dispatch order.
std::vector<SeenView> seen_views(const interp::LaunchPlan& plan) {
  std::vector<SeenView> views;
  for (const interp::Task& task : plan.tasks) {
    for (std::size_t a = 0; a < task.arguments.size(); ++a) {
      const auto* view = std::get_if<interp::TensorArgument>(&task.arguments[a]);
      if (view == nullptr || view->window < 0) continue;
      views.push_back({task.kernel->parameters[a].name, task.device, view});
    }
  }
  return views;
}

std::uint64_t view_bytes(const interp::TensorArgument& view) {
  auto bytes = static_cast<std::uint64_t>(isa::size_of(view.dtype));
  for (const std::int64_t extent : view.shape)
    bytes *= static_cast<std::uint64_t>(extent);
  return bytes;
}

/// The largest of the views that begin with the buffer and have no gaps, when no rank sees another
/// one of its size; else the buffer's bytes.
WindowView choose_view(const interp::LaunchPlan& plan, std::size_t window,
                       const std::vector<SeenView>& views) {
  const interp::TensorArgument* best = nullptr;
  for (const SeenView& one : views) {
    const interp::TensorArgument& view = *one.argument;
    const bool is_whole = view.window_offset_bytes == 0 && view.stride.empty();
    if (is_whole && (best == nullptr || view_bytes(view) > view_bytes(*best))) best = &view;
  }
  const auto differs = [&](const SeenView& one) {
    const interp::TensorArgument& view = *one.argument;
    return view_bytes(view) > view_bytes(*best) ||
           (view_bytes(view) == view_bytes(*best) &&
            (view.dtype != best->dtype || view.shape != best->shape));
  };
  if (best == nullptr || std::ranges::any_of(views, differs))
    return {window, isa::DType::int8, {static_cast<std::int64_t>(plan.windows[window].bytes)}};
  return {window, best->dtype, best->shape};
}

}  // namespace

std::optional<WindowView> find_window(const interp::LaunchPlan& plan, const std::string& name) {
  const std::vector<SeenView> views = seen_views(plan);
  std::set<std::size_t> buffers;
  std::set<std::size_t> above_kernels;
  std::set<std::size_t> in_kernels;
  for (std::size_t w = 0; w < plan.windows.size(); ++w) {
    if (plan.windows[w].name == name) buffers.insert(w);
    if (plan.windows[w].view_names.contains(name)) above_kernels.insert(w);
  }
  for (const SeenView& view : views) {
    if (view.parameter == name) in_kernels.insert(static_cast<std::size_t>(view.argument->window));
  }
  for (const auto* windows : {&buffers, &above_kernels, &in_kernels}) {
    if (windows->size() != 1) continue;
    const std::size_t window = *windows->begin();
    std::vector<SeenView> shown = views;
    std::erase_if(shown, [&](const SeenView& view) {
      const bool is_its = static_cast<std::size_t>(view.argument->window) == window;
      return !is_its || (windows == &in_kernels && view.parameter != name);
    });
    return choose_view(plan, window, shown);
  }
  return std::nullopt;
}

std::vector<std::string> window_names(const interp::LaunchPlan& plan) {
  std::set<std::string> names;
  for (const interp::WindowBuffer& window : plan.windows) {
    names.insert(window.name);
    names.insert(window.view_names.begin(), window.view_names.end());
  }
  for (const SeenView& view : seen_views(plan))
    names.insert(view.parameter);
  return {names.begin(), names.end()};
}

std::vector<std::string> describe_windows(const interp::LaunchPlan& plan) {
  const std::vector<SeenView> views = seen_views(plan);
  std::vector<std::string> names;
  for (std::size_t w = 0; w < plan.windows.size(); ++w) {
    std::set<std::string> others = plan.windows[w].view_names;
    for (const SeenView& view : views) {
      if (static_cast<std::size_t>(view.argument->window) == w) others.insert(view.parameter);
    }
    others.erase(plan.windows[w].name);
    names.push_back(others.empty() ? plan.windows[w].name
                                   : fmt::format("{} (also: {})", plan.windows[w].name,
                                                 fmt::join(others, ", ")));
  }
  return names;
}

isa::Array window_array(const interp::LaunchPlan& plan, const WindowView& view,
                        const WindowContents& contents) {
  const interp::WindowBuffer& window = plan.windows.at(view.window);
  const std::vector<std::uint32_t>& devices = plan.domains.at(window.domain).devices;
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(devices.size())};
  shape.insert(shape.end(), view.shape.begin(), view.shape.end());
  isa::Array array(view.dtype, std::move(shape));
  const std::size_t bytes = array.bytes.size() / std::max<std::size_t>(devices.size(), 1);
  for (std::size_t r = 0; r < devices.size(); ++r) {
    const std::vector<std::byte>& held = contents.at(view.window).at(devices[r]);
    std::copy_n(held.begin(), bytes, array.bytes.begin() + static_cast<std::ptrdiff_t>(r * bytes));
  }
  return array;
}

}  // namespace a2a3::tools
