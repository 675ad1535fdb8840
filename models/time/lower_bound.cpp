// SPDX-License-Identifier: Apache-2.0
#include "models/time/lower_bound.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "models/topology.hpp"

namespace a2a3::models {
namespace {

/// What one rank can take in or give away.
struct RankPort {
  double bytes_per_second = 0;
  double shortest_hop = std::numeric_limits<double>::infinity();
};

double best_rate(const LinkRates& rates) {
  return std::ranges::max(rates.payload_bytes_per_second);
}

/// All links between a rank and its neighbours. Through an uplink no more than it carries.
RankPort port(const MachineDescription& machine, std::int64_t ranks, std::int64_t rank,
              bool incoming) {
  RankPort port;
  double through_uplink = 0;
  bool has_uplink = false;
  std::vector<std::uint32_t> neighbours;
  const std::uint32_t own = position_of(machine, static_cast<std::uint32_t>(rank));
  for (std::int64_t peer = 0; peer < ranks; ++peer) {
    if (peer == rank) continue;
    const std::uint32_t other = position_of(machine, static_cast<std::uint32_t>(peer));
    const auto way = incoming ? route(machine, other, own) : route(machine, own, other);
    const std::uint32_t next = incoming ? way[way.size() - 2] : way[1];
    if (std::ranges::find(neighbours, next) != neighbours.end()) continue;
    neighbours.push_back(next);
    const LinkRates rates =
        incoming ? link_rates(machine, next, own) : link_rates(machine, own, next);
    port.shortest_hop = std::min(port.shortest_hop, rates.hop_seconds);
    (rates.uplink ? through_uplink : port.bytes_per_second) += best_rate(rates);
    has_uplink = has_uplink || rates.uplink;
  }
  if (has_uplink)
    port.bytes_per_second += std::min(through_uplink, machine.switched.uplink_bytes_per_second);
  return port;
}

/// Bytes that a collective has to move between ranks, and in the memory of each.
struct MovedBytes {
  double all_ranks = 0;   ///< taken in by all ranks together
  double each_rank = 0;   ///< by each rank that takes in anything
  double of_root = 0;     ///< given away by the root
  double input = 0;       ///< read by a rank
  double result = 0;      ///< written by a rank
  bool has_root = false;  ///< that takes in nothing
};

std::optional<MovedBytes> moved_bytes(const Schedule& schedule, const ScheduleSize& size) {
  const auto p = static_cast<double>(size.ranks);
  const auto n = static_cast<double>(size.bytes());
  const double q = p - 1;
  const bool any = q > 0;
  if (schedule.name.starts_with("allreduce."))
    return MovedBytes{.all_ranks = 2 * q * n, .each_rank = any ? n : 0, .input = n, .result = n};
  if (schedule.name == "broadcast")
    return MovedBytes{.all_ranks = q * n,
                      .each_rank = any ? n : 0,
                      .of_root = any ? n : 0,
                      .result = n,
                      .has_root = true};
  if (schedule.name == "allgather")
    return MovedBytes{.all_ranks = p * q * n, .each_rank = q * n, .input = n, .result = p * n};
  if (schedule.name == "all_to_all")
    return MovedBytes{.all_ranks = p * q * n, .each_rank = q * n, .input = p * n, .result = p * n};
  if (schedule.name == "reduce_scatter")
    return MovedBytes{
        .all_ranks = p * q * n, .each_rank = any ? n : 0, .input = p * n, .result = n};
  return std::nullopt;
}

double memory_time(const MachineDescription& machine, const MovedBytes& moved) {
  const double cores = machine.vector_cores_per_device * machine.core.clock_hz;
  const double read =
      std::min(machine.memory.read_bytes_per_second, cores * machine.core.load_bytes_per_cycle);
  const double write =
      std::min(machine.memory.write_bytes_per_second, cores * machine.core.store_bytes_per_cycle);
  return std::max(moved.input / read, moved.result / write);
}

}  // namespace

double LowerBound::seconds() const {
  return std::max({bandwidth, latency, memory});
}

std::string_view LowerBound::binding() const {
  if (seconds() == memory) return "memory";
  return seconds() == bandwidth ? "bandwidth" : "latency";
}

std::optional<LowerBound> lower_bound(const Schedule& schedule, const ScheduleSize& size,
                                      const MachineDescription& machine) {
  const auto moved = moved_bytes(schedule, size);
  if (!moved || size.elements <= 0) return std::nullopt;
  LowerBound bound{.memory = memory_time(machine, *moved)};
  if (size.ranks < 2) return bound;
  double all_ports = 0;
  for (std::int64_t rank = 0; rank < size.ranks; ++rank) {
    const bool is_root = moved->has_root && rank == size.root;
    const RankPort one = port(machine, size.ranks, rank, !is_root);
    const double own = is_root ? moved->of_root : moved->each_rank;
    bound.bandwidth = std::max(bound.bandwidth, own / one.bytes_per_second);
    bound.latency = std::max(bound.latency, one.shortest_hop);
    if (!is_root) all_ports += one.bytes_per_second;
  }
  bound.bandwidth = std::max(bound.bandwidth, moved->all_ranks / all_ports);
  return bound;
}

}  // namespace a2a3::models
