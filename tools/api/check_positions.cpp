// SPDX-License-Identifier: Apache-2.0
#include "a2a3/check_positions.hpp"

#include <map>

#include <fmt/format.h>

namespace a2a3 {

void check_positions(const std::vector<std::uint32_t>& positions, std::uint32_t ranks,
                     const models::MachineDescription& machine, ir::Diagnostics& diagnostics) {
  if (positions.empty()) return;
  if (positions.size() != ranks) {
    diagnostics.error({}, fmt::format("{} positions for {} ranks: give one for each, or none",
                                      positions.size(), ranks));
    return;
  }
  std::map<std::uint32_t, std::size_t> rank_at;
  for (std::size_t rank = 0; rank < positions.size(); ++rank) {
    const auto [first, is_free] = rank_at.emplace(positions[rank], rank);
    if (!is_free) {
      diagnostics.error({}, fmt::format("rank {} is at position {}, where rank {} is already", rank,
                                        positions[rank], first->second));
    }
    if (machine.devices != 0 && positions[rank] >= machine.devices) {
      diagnostics.error({}, fmt::format("rank {} is at position {}; machine {} has positions 0 to "
                                        "{}",
                                        rank, positions[rank], machine.name, machine.devices - 1));
    }
  }
}

}  // namespace a2a3
