// SPDX-License-Identifier: Apache-2.0
#include "models/machine_check.hpp"

#include <bit>

#include <fmt/format.h>

#include "models/config/quantity.hpp"
#include "models/topology.hpp"

namespace a2a3::models {
namespace {

/// Whether the topology fits the number of devices, so that its routes may be asked for.
bool check_topology(const MachineDescription& machine, const LocateKey& locate,
                    ir::Diagnostics& diagnostics) {
  if (machine.topology == Topology::switched) {
    const SwitchParameters& tiers = machine.switched;
    if (tiers.dies_per_node % tiers.dies_per_package == 0) return true;
    diagnostics.error(locate("switch.dies_per_node"),
                      fmt::format("switch.dies_per_node must be a multiple of "
                                  "switch.dies_per_package, which is {}",
                                  tiers.dies_per_package));
    return false;
  }
  if (machine.topology == Topology::full_mesh) return true;
  const bool ring = machine.topology == Topology::ring;
  if (machine.devices == 0) {
    diagnostics
        .error(locate("topology"),
               fmt::format("a {} needs a number of devices, not any", ring ? "ring" : "torus"))
        .notes.push_back({"'devices' is given here", locate("devices")});
    return false;
  }
  const std::uint64_t product = std::uint64_t{machine.torus.rows} * machine.torus.columns;
  if (ring || product == machine.devices) return true;
  diagnostics.error(
      locate("torus.rows"),
      fmt::format("torus.rows * torus.columns must be the number of devices: {} * "
                  "{} is {}, not {}",
                  machine.torus.rows, machine.torus.columns, product, machine.devices));
  return false;
}

void check_slow_link(const MachineDescription& machine, const Listed<SlowLink>& slow,
                     ir::Diagnostics& diagnostics) {
  const auto& [from, to, bandwidth, hop] = slow.item;
  for (const std::uint32_t end : {from, to}) {
    if (machine.devices == 0 || end < machine.devices) continue;
    diagnostics.error(slow.location,
                      fmt::format("slow_links: there is no position {}: they are 0 to {}", end,
                                  machine.devices - 1));
    return;
  }
  if (route(machine, from, to).size() == 2) return;
  diagnostics.error(slow.location,
                    fmt::format("slow_links: there is no link from {} to {}: they are no "
                                "neighbours on this topology",
                                from, to));
}

void check_placement(const MachineDescription& machine,
                     const std::vector<Listed<std::uint32_t>>& placement,
                     ir::Diagnostics& diagnostics) {
  if (placement.empty()) return;
  if (machine.devices == 0) {
    diagnostics.error(placement.front().location,
                      "placement needs a number of devices, not any: it gives each one's position");
    return;
  }
  if (placement.size() != machine.devices) {
    diagnostics.error(
        placement.front().location,
        fmt::format("placement: {} positions for {} devices", placement.size(), machine.devices));
  }
  for (const auto& [position, location, source] : placement) {
    if (position < machine.devices) continue;
    diagnostics.error(location, fmt::format("placement: there is no position {}: they are 0 to {}",
                                            position, machine.devices - 1));
  }
}

}  // namespace

void check_together(const MachineDescription& machine,
                    const std::vector<Listed<SlowLink>>& slow_links,
                    const std::vector<Listed<std::uint32_t>>& placement, const LocateKey& locate,
                    ir::Diagnostics& diagnostics) {
  const std::uint64_t line = machine.hazards.set_line_bytes;
  if (line != 0 && !std::has_single_bit(line)) {
    diagnostics.error(locate("hazards.set_line"),
                      fmt::format("hazards.set_line must be a power of two, got {} bytes", line));
  }
  if (machine.core.ub_reserved_bytes >= machine.core.ub_bytes) {
    diagnostics.error(
        locate("core.ub_reserved"),
        fmt::format("core.ub_reserved must be smaller than core.ub_size, which is {}",
                    format_quantity(static_cast<double>(machine.core.ub_bytes), Quantity::bytes)));
  }
  if (machine.signal.payload_bytes > machine.link.quantum_bytes) {
    diagnostics.error(locate("signal.payload"),
                      "signal.payload must fit into link.arbitration_quantum");
  }
  if (check_topology(machine, locate, diagnostics)) {
    for (const Listed<SlowLink>& slow : slow_links)
      check_slow_link(machine, slow, diagnostics);
  }
  check_placement(machine, placement, diagnostics);
}

}  // namespace a2a3::models
