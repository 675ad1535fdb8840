// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "a2a3/window_contents.hpp"
#include "interp/launch_plan.hpp"
#include "isa/array.hpp"

namespace a2a3::tools {

/// A window as it is written to a file: what one rank holds of it.
struct WindowView {
  std::size_t window = 0;  ///< index into LaunchPlan::windows
  isa::DType dtype = isa::DType::int8;
  std::vector<std::int64_t> shape;
};

/// The window of a name: of the buffer in the host function, else of a view in the host function or
/// in what it dispatches, else of a kernel's parameter; when all of that name see the same buffer.
/// The view is that of the kernel's parameter, or the largest one, as long as it begins with the
/// buffer and is the same on all ranks; else the buffer's bytes. Nothing when no window, or more
/// than one, has the name.
[[nodiscard]] std::optional<WindowView> find_window(const interp::LaunchPlan& plan,
                                                    const std::string& name);

/// The names that a program's windows have, in the host function and in kernels.
[[nodiscard]] std::vector<std::string> window_names(const interp::LaunchPlan& plan);

/// The windows with the other names that they have: "data_buf (also: data)".
[[nodiscard]] std::vector<std::string> describe_windows(const interp::LaunchPlan& plan);

/// The window on all ranks of its domain, in their order: [ranks, shape of the view]. `contents`
/// are those of a run of the plan.
[[nodiscard]] isa::Array window_array(const interp::LaunchPlan& plan, const WindowView& view,
                                      const WindowContents& contents);

}  // namespace a2a3::tools
