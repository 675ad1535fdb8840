// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/diagnostic.hpp"
#include "models/config/document.hpp"
#include "models/machine_description.hpp"

namespace a2a3::models {

/// An item of a list of a machine file, with its place and source comment.
template <typename Item>
struct Listed {
  Item item;
  ir::SourceLocation location;
  std::string source;
};

/// `slow_links`: a list of mappings {from, to, bandwidth, hop_latency}, the last two optional but
/// not both left out. Errors for what is malformed, out of range, or given twice for one link.
[[nodiscard]] std::vector<Listed<SlowLink>> read_slow_links(const ConfigEntry& entry,
                                                            ir::Diagnostics& diagnostics);

/// `placement`: a list of different positions. Errors as above.
[[nodiscard]] std::vector<Listed<std::uint32_t>> read_placement(const ConfigEntry& entry,
                                                                ir::Diagnostics& diagnostics);

/// "from 0 to 3: bandwidth 14 GB/s, hop_latency 1 us"
[[nodiscard]] std::string text(const SlowLink& slow);

}  // namespace a2a3::models
