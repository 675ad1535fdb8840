// SPDX-License-Identifier: Apache-2.0
#include "models/topology.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace a2a3::models::topology_test {
namespace {

using Route = std::vector<std::uint32_t>;

MachineDescription machine(Topology topology, std::uint32_t devices) {
  MachineDescription result;
  result.topology = topology;
  result.devices = devices;
  result.link = {.bytes_per_second = 10e9,
                 .hop_seconds = 100e-9,
                 .read_efficiency = 0.9,
                 .aiv_write_efficiency = 0.5,
                 .dma_read_efficiency = 0.8,
                 .dma_write_efficiency = 0.6,
                 .aiv_egress_bytes_per_second = 0,
                 .device_egress_bytes_per_second = 0,
                 .packet_payload_bytes = 512,
                 .packet_header_bytes = 38,
                 .request_bytes = 38,
                 .quantum_bytes = 4096};
  return result;
}

MachineDescription torus(std::uint32_t rows, std::uint32_t columns) {
  MachineDescription result = machine(Topology::torus, rows * columns);
  result.torus = {rows, columns};
  return result;
}

TEST(Route, OfAMeshIsOneLink) {
  const MachineDescription mesh = machine(Topology::full_mesh, 8);
  EXPECT_EQ(route(mesh, 2, 7), (Route{2, 7}));
  EXPECT_EQ(route(mesh, 3, 3), (Route{3}));
}

TEST(Route, OfARingTakesTheShorterWay) {
  const MachineDescription ring = machine(Topology::ring, 5);
  EXPECT_EQ(route(ring, 0, 2), (Route{0, 1, 2}));
  EXPECT_EQ(route(ring, 0, 3), (Route{0, 4, 3}));
  EXPECT_EQ(route(ring, 4, 1), (Route{4, 0, 1}));
  EXPECT_EQ(route(machine(Topology::ring, 1), 0, 0), (Route{0}));
  EXPECT_EQ(route(machine(Topology::ring, 2), 1, 0), (Route{1, 0}));
}

TEST(Route, OfARingBreaksATieTowardsHigherNumbers) {
  const MachineDescription ring = machine(Topology::ring, 4);
  EXPECT_EQ(route(ring, 0, 2), (Route{0, 1, 2}));
  EXPECT_EQ(route(ring, 2, 0), (Route{2, 3, 0}));
  EXPECT_EQ(route(ring, 3, 1), (Route{3, 0, 1}));
}

TEST(Route, OfATorusGoesAlongTheRowFirst) {
  // 0 1 2 3
  // 4 5 6 7
  // 8 9 10 11
  const MachineDescription grid = torus(3, 4);
  EXPECT_EQ(route(grid, 0, 5), (Route{0, 1, 5}));
  EXPECT_EQ(route(grid, 0, 11), (Route{0, 3, 11})) << "both ways round are shorter";
  EXPECT_EQ(route(grid, 1, 11), (Route{1, 2, 3, 11}));
  EXPECT_EQ(route(grid, 8, 4), (Route{8, 4}));
}

TEST(Route, EveryPairIsJoinedByTheFewestLinks) {
  for (const std::uint32_t devices : {1, 2, 3, 4, 5, 7, 8, 17}) {
    const MachineDescription ring = machine(Topology::ring, devices);
    for (std::uint32_t a = 0; a < devices; ++a)
      for (std::uint32_t b = 0; b < devices; ++b) {
        const Route passed = route(ring, a, b);
        const std::uint32_t up = (b + devices - a) % devices;
        EXPECT_EQ(passed.size(), 1 + std::min(up, devices - up));
        EXPECT_EQ(passed.front(), a);
        EXPECT_EQ(passed.back(), b);
        for (std::size_t i = 0; i + 1 < passed.size(); ++i)
          EXPECT_EQ(route(ring, passed[i], passed[i + 1]).size(), 2u) << "neighbours";
      }
  }
  for (const auto& [rows, columns] : {std::pair{1u, 5u}, {2u, 2u}, {3u, 4u}, {4u, 4u}, {5u, 3u}}) {
    const MachineDescription grid = torus(rows, columns);
    for (std::uint32_t a = 0; a < rows * columns; ++a)
      for (std::uint32_t b = 0; b < rows * columns; ++b) {
        const std::uint32_t x = (b % columns + columns - a % columns) % columns;
        const std::uint32_t y = (b / columns + rows - a / columns) % rows;
        EXPECT_EQ(route(grid, a, b).size(), 1 + std::min(x, columns - x) + std::min(y, rows - y));
      }
  }
}

TEST(LinkRates, FollowTheMover) {
  const LinkRates rates = link_rates(machine(Topology::ring, 4), 0, 1);
  EXPECT_DOUBLE_EQ(rates.rate(LinkUse::aiv_read), 9e9);
  EXPECT_DOUBLE_EQ(rates.rate(LinkUse::aiv_write), 5e9);
  EXPECT_DOUBLE_EQ(rates.rate(LinkUse::dma_read), 8e9);
  EXPECT_DOUBLE_EQ(rates.rate(LinkUse::dma_write), 6e9);
  EXPECT_EQ(rates.hop_seconds, 100e-9);
  EXPECT_FALSE(rates.uplink);
}

TEST(LinkRates, OfASwitchFollowTheTier) {
  MachineDescription a3 = machine(Topology::switched, 0);
  a3.switched = {.dies_per_package = 2,
                 .dies_per_node = 4,
                 .uplink_bytes_per_second = 196e9,
                 .package = {1e-9, 11, 12, 13, 14, 15},
                 .node = {2e-9, 21, 22, 23, 24, 25},
                 .cluster = {3e-9, 31, 32, 33, 34, 35}};
  const auto hop = [&](std::uint32_t from, std::uint32_t to) {
    return link_rates(a3, from, to).hop_seconds;
  };
  EXPECT_EQ(hop(0, 1), 1e-9);
  EXPECT_EQ(hop(1, 2), 2e-9);
  EXPECT_EQ(hop(3, 0), 2e-9);
  EXPECT_EQ(hop(3, 4), 3e-9);
  EXPECT_EQ(hop(400, 401), 1e-9);
  EXPECT_FALSE(link_rates(a3, 2, 3).uplink) << "SIO stays in the package";
  EXPECT_TRUE(link_rates(a3, 1, 2).uplink);
  EXPECT_EQ(link_rates(a3, 1, 2).rate(LinkUse::dma_read), 23);
  EXPECT_EQ(link_rates(a3, 1, 4).rate(LinkUse::aiv_write), 32);
  EXPECT_EQ(link_rates(a3, 1, 4).dma_overhead_seconds, 35);
}

TEST(LinkRates, ASlowLinkIsOneDirectionOfOnePair) {
  MachineDescription mesh = machine(Topology::full_mesh, 4);
  mesh.slow_links = {{1, 2, 2e9, std::nullopt}, {2, 3, std::nullopt, 1e-6}};
  EXPECT_DOUBLE_EQ(link_rates(mesh, 1, 2).rate(LinkUse::aiv_read), 2e9 * 0.9);
  EXPECT_EQ(link_rates(mesh, 1, 2).hop_seconds, 100e-9);
  EXPECT_DOUBLE_EQ(link_rates(mesh, 2, 1).rate(LinkUse::aiv_read), 9e9);
  EXPECT_DOUBLE_EQ(link_rates(mesh, 2, 3).rate(LinkUse::aiv_read), 9e9);
  EXPECT_EQ(link_rates(mesh, 2, 3).hop_seconds, 1e-6);
}

TEST(Placement, IsTheNumberWithoutOne) {
  MachineDescription mesh = machine(Topology::full_mesh, 3);
  EXPECT_EQ(position_of(mesh, 2), 2u);
  EXPECT_EQ(device_at(mesh, 2), 2u);
  mesh.placement = {2, 0, 1};
  for (std::uint32_t device = 0; device < 3; ++device)
    EXPECT_EQ(device_at(mesh, position_of(mesh, device)), device);
  EXPECT_EQ(position_of(mesh, 0), 2u);
}

}  // namespace
}  // namespace a2a3::models::topology_test
