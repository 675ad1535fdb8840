// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "interp/launch_plan.hpp"
#include "isa/operand.hpp"

namespace a2a3 {

/// What the window buffers of a plan hold: bytes by window, then by device.
using WindowContents = std::vector<std::map<std::uint32_t, std::vector<std::byte>>>;

/// Puts contents that another run of the same program left into the plan's windows. Windows or
/// devices that it did not have, and sizes that differ, start with zeros.
void put_windows(const interp::LaunchPlan& plan, const WindowContents& contents,
                 const std::function<void(isa::GlobalAddress, std::span<const std::byte>)>& write);

[[nodiscard]] WindowContents take_windows(
    const interp::LaunchPlan& plan,
    const std::function<void(isa::GlobalAddress, std::span<std::byte>)>& read);

}  // namespace a2a3
