// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/machine_description.hpp"

namespace a2a3::models {

/// What moves the bytes of a transfer.
enum class Mover : std::uint8_t {
  vector_core,  ///< a core's load or store
  dma,          ///< the SDMA engine
};

/// Who moves bytes over a link, and which way it asked for them.
enum class LinkUse : std::uint8_t { aiv_read, aiv_write, dma_read, dma_write };
inline constexpr std::size_t kLinkUses = 4;

[[nodiscard]] constexpr LinkUse link_use(Mover mover, bool read) {
  if (mover == Mover::dma) return read ? LinkUse::dma_read : LinkUse::dma_write;
  return read ? LinkUse::aiv_read : LinkUse::aiv_write;
}

/// What one directed link gives to a message that has it to itself.
struct LinkRates {
  double hop_seconds = 0;       ///< one way
  double bytes_per_second = 0;  ///< headers included; 0 of a switch's tiers
  std::array<double, kLinkUses> payload_bytes_per_second{};  ///< by LinkUse
  double dma_overhead_seconds = 0;  ///< more time of a block that the SDMA engine moves
  bool uplink = false;  ///< passes the uplinks of both dies, which all their traffic shares

  [[nodiscard]] double rate(LinkUse use) const {
    return payload_bytes_per_second[static_cast<std::size_t>(use)];
  }
};

/// Where a device is on the topology: as the machine's placement says, else at its number.
[[nodiscard]] std::uint32_t position_of(const MachineDescription& machine, std::uint32_t device);
/// The device at a position.
[[nodiscard]] std::uint32_t device_at(const MachineDescription& machine, std::uint32_t position);

/// The devices that a message passes on a machine, by their physical positions: `from` first, `to`
/// last. Neighbours in the list are joined by a directed link.
/// Full mesh and switch: at once. Ring: the shorter way round, towards higher numbers when both are
/// as long. Torus: first along the row, then along the column, each as on a ring; position =
/// row * columns + column.
[[nodiscard]] std::vector<std::uint32_t> route(const MachineDescription& machine,
                                               std::uint32_t from, std::uint32_t to);

/// The link between two neighbours of a route. Switch: the figures of the closest tier that holds
/// both dies. A slow link of the machine has its own bandwidth, hop latency or both.
[[nodiscard]] LinkRates link_rates(const MachineDescription& machine, std::uint32_t from,
                                   std::uint32_t to);

}  // namespace a2a3::models
