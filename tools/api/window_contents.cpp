// SPDX-License-Identifier: Apache-2.0
#include "a2a3/window_contents.hpp"

#include <algorithm>

namespace a2a3 {

void put_windows(const interp::LaunchPlan& plan, const WindowContents& contents,
                 const std::function<void(isa::GlobalAddress, std::span<const std::byte>)>& write) {
  for (std::size_t w = 0; w < std::min(plan.windows.size(), contents.size()); ++w) {
    const interp::WindowBuffer& window = plan.windows[w];
    for (const auto& [device, bytes] : contents[w]) {
      const auto place = window.offset_bytes.find(device);
      if (place == window.offset_bytes.end() || bytes.size() != window.bytes) continue;
      write({device, place->second}, bytes);
    }
  }
}

WindowContents take_windows(
    const interp::LaunchPlan& plan,
    const std::function<void(isa::GlobalAddress, std::span<std::byte>)>& read) {
  WindowContents contents;
  for (const interp::WindowBuffer& window : plan.windows) {
    auto& devices = contents.emplace_back();
    for (const auto& [device, offset] : window.offset_bytes) {
      std::vector<std::byte>& bytes = devices[device];
      bytes.resize(window.bytes);
      read({device, offset}, bytes);
    }
  }
  return contents;
}

}  // namespace a2a3
