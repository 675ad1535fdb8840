// SPDX-License-Identifier: Apache-2.0
#include "models/topology.hpp"

#include <algorithm>

namespace a2a3::models {
namespace {

/// The next place on the shorter way round a ring of `size`.
std::uint32_t step_on_ring(std::uint32_t from, std::uint32_t to, std::uint32_t size) {
  const std::uint32_t up = (to + size - from) % size;
  if (up == 0) return from;
  return up <= size - up ? (from + 1) % size : (from + size - 1) % size;
}

std::uint32_t step_on_torus(const TorusParameters& torus, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t columns = torus.columns;
  const std::uint32_t row = from / columns;
  const std::uint32_t column = step_on_ring(from % columns, to % columns, columns);
  if (column != from % columns) return row * columns + column;
  return step_on_ring(row, to / columns, torus.rows) * columns + column;
}

LinkRates tier_rates(const SwitchParameters& tiers, std::uint32_t from, std::uint32_t to) {
  const bool package = from / tiers.dies_per_package == to / tiers.dies_per_package;
  const bool node = from / tiers.dies_per_node == to / tiers.dies_per_node;
  const TierParameters& tier = package ? tiers.package : node ? tiers.node : tiers.cluster;
  return {
      .hop_seconds = tier.hop_seconds,
      .payload_bytes_per_second = {tier.aiv_read_bytes_per_second, tier.aiv_write_bytes_per_second,
                                   tier.dma_read_bytes_per_second, tier.dma_write_bytes_per_second},
      .dma_overhead_seconds = tier.dma_overhead_seconds,
      .uplink = !package};
}

LinkRates own_rates(const LinkParameters& link, double bytes_per_second) {
  return {.hop_seconds = link.hop_seconds,
          .bytes_per_second = bytes_per_second,
          .payload_bytes_per_second = {bytes_per_second * link.read_efficiency,
                                       bytes_per_second * link.aiv_write_efficiency,
                                       bytes_per_second * link.dma_read_efficiency,
                                       bytes_per_second * link.dma_write_efficiency}};
}

}  // namespace

std::uint32_t position_of(const MachineDescription& machine, std::uint32_t device) {
  return device < machine.placement.size() ? machine.placement[device] : device;
}

std::uint32_t device_at(const MachineDescription& machine, std::uint32_t position) {
  const auto at = std::ranges::find(machine.placement, position);
  if (at == machine.placement.end()) return position;
  return static_cast<std::uint32_t>(at - machine.placement.begin());
}

std::vector<std::uint32_t> route(const MachineDescription& machine, std::uint32_t from,
                                 std::uint32_t to) {
  std::vector<std::uint32_t> passed{from};
  while (passed.back() != to) {
    switch (machine.topology) {
      case Topology::full_mesh:
      case Topology::switched:
        passed.push_back(to);
        break;
      case Topology::ring:
        passed.push_back(step_on_ring(passed.back(), to, machine.devices));
        break;
      case Topology::torus:
        passed.push_back(step_on_torus(machine.torus, passed.back(), to));
        break;
    }
  }
  return passed;
}

LinkRates link_rates(const MachineDescription& machine, std::uint32_t from, std::uint32_t to) {
  const bool switched = machine.topology == Topology::switched;
  LinkRates rates = switched ? tier_rates(machine.switched, from, to)
                             : own_rates(machine.link, machine.link.bytes_per_second);
  for (const SlowLink& slow : machine.slow_links) {
    if (slow.from != from || slow.to != to) continue;
    if (slow.bytes_per_second && switched)
      rates.payload_bytes_per_second.fill(rates.bytes_per_second = *slow.bytes_per_second);
    else if (slow.bytes_per_second)
      rates = own_rates(machine.link, *slow.bytes_per_second);
    if (slow.hop_seconds) rates.hop_seconds = *slow.hop_seconds;
  }
  return rates;
}

}  // namespace a2a3::models
