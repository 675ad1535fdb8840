// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interp/launch_plan.hpp"

namespace a2a3 {

/// The index of a view's element that lies `offset` elements behind its first one; nothing when
/// none lies there.
[[nodiscard]] std::optional<std::vector<std::int64_t>> element_of(
    std::int64_t offset, const interp::TensorArgument& view);

/// The region of a device's memory that a window occupies.
struct WindowRegion {
  std::int32_t index = -1;  ///< into LaunchPlan::windows; -1: no window
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
[[nodiscard]] WindowRegion window_of(const interp::LaunchPlan& plan,
                                     const isa::GlobalAddress& address);

/// A range of a device's memory as a kernel's author knows it.
struct RangeName {
  std::string window;  ///< the window buffer's name in the host function; "" outside of windows
  /// "data[2, 0:64]", "data[0:3]": elements of a kernel's parameter; of the host function's tensor
  /// when no kernel got them.
  std::string text;
};
[[nodiscard]] RangeName name_range(const interp::LaunchPlan& plan,
                                   const isa::GlobalAddress& address, std::uint64_t bytes);

/// Bytes begin..end of a tensor of the host function: "y[0, 32:64]", or "y" for the whole tensor.
[[nodiscard]] std::string name_host_range(const interp::HostParameter& parameter,
                                          std::uint64_t begin, std::uint64_t end);

}  // namespace a2a3
