// SPDX-License-Identifier: Apache-2.0
#include "models/time/operation_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace a2a3::models {

TimeTerms& TimeTerms::operator+=(const TimeTerms& other) {
  startup += other.startup;
  hops += other.hops;
  signals += other.signals;
  link += other.link;
  memory += other.memory;
  vector += other.vector;
  return *this;
}

TimeTerms operator*(double times, TimeTerms terms) {
  for (double TimeTerms::*term : {&TimeTerms::startup, &TimeTerms::hops, &TimeTerms::signals,
                                  &TimeTerms::link, &TimeTerms::memory, &TimeTerms::vector})
    terms.*term *= times;
  return terms;
}

OperationCosts::OperationCosts(const MachineDescription& machine)
    : machine_(machine),
      flag_(machine.core.flag_cycles / machine.core.clock_hz),
      barrier_(machine.core.barrier_cycles / machine.core.clock_hz) {}

double OperationCosts::core_time(std::int64_t bytes, double bytes_per_cycle,
                                 std::int64_t offset) const {
  const auto alignment = static_cast<std::int64_t>(machine_.core.gm_alignment_bytes);
  const double share = offset % alignment == 0 ? 1 : machine_.core.unaligned_rate;
  return cycles(static_cast<double>(bytes) / (bytes_per_cycle * share));
}

TimeTerms OperationCosts::load(std::int64_t bytes, std::int64_t offset) const {
  const double shared = static_cast<double>(bytes) / machine_.memory.read_bytes_per_second;
  return {.startup = cycles(machine_.core.load_startup_cycles),
          .memory = std::max(core_time(bytes, machine_.core.load_bytes_per_cycle, offset), shared)};
}

TimeTerms OperationCosts::store(std::int64_t bytes, std::int64_t offset) const {
  const double shared = static_cast<double>(bytes) / machine_.memory.write_bytes_per_second;
  return {
      .startup = cycles(machine_.core.store_startup_cycles),
      .memory = std::max(core_time(bytes, machine_.core.store_bytes_per_cycle, offset), shared)};
}

TimeTerms OperationCosts::load_issue(std::int64_t bytes, std::int64_t offset) const {
  const double moving = core_time(bytes, machine_.core.load_bytes_per_cycle, offset);
  const double issue = cycles(machine_.core.load_issue_cycles);
  if (moving >= issue) return {.memory = moving};
  return {.startup = issue};
}

OperationCosts::Path OperationCosts::path(std::int64_t from, std::int64_t to, LinkUse use) const {
  const auto position = [this](std::int64_t rank) {
    return position_of(machine_, static_cast<std::uint32_t>(rank));
  };
  Path found{0, std::numeric_limits<double>::infinity()};
  const std::vector<std::uint32_t> there = route(machine_, position(from), position(to));
  for (std::size_t i = 0; i + 1 < there.size(); ++i) {
    const LinkRates rates = link_rates(machine_, there[i], there[i + 1]);
    found.hops += rates.hop_seconds;
    found.bytes_per_second = std::min(found.bytes_per_second, rates.rate(use));
    if (rates.uplink)
      found.bytes_per_second =
          std::min(found.bytes_per_second, machine_.switched.uplink_bytes_per_second);
  }
  const std::vector<std::uint32_t> back = route(machine_, position(to), position(from));
  for (std::size_t i = 0; i + 1 < back.size(); ++i)
    found.hops += link_rates(machine_, back[i], back[i + 1]).hop_seconds;
  return found;
}

TimeTerms OperationCosts::remote_load(std::int64_t rank, std::int64_t from, std::int64_t bytes,
                                      std::int64_t offset) const {
  if (from == rank) return load(bytes, offset);
  const Path way = path(from, rank, LinkUse::aiv_read);
  const TimeTerms local = load(bytes, offset);
  const auto payload = static_cast<double>(bytes);
  const double link =
      std::max(payload / way.bytes_per_second, payload / machine_.memory.read_bytes_per_second);
  return {.startup = local.startup,
          .hops = way.hops,
          .link = link,
          .memory = std::max(0.0, local.memory - way.hops - link)};
}

TimeTerms OperationCosts::remote_store(std::int64_t rank, std::int64_t to, std::int64_t bytes,
                                       std::int64_t offset) const {
  if (to == rank) return store(bytes, offset);
  const Path way = path(rank, to, LinkUse::aiv_write);
  double rate = way.bytes_per_second;
  for (const double limit :
       {machine_.link.aiv_egress_bytes_per_second, machine_.link.device_egress_bytes_per_second}) {
    if (limit != 0) rate = std::min(rate, limit);
  }
  const TimeTerms local = store(bytes, offset);
  return {.startup = local.startup,
          .hops = way.hops,
          .link = std::max(static_cast<double>(bytes) / rate, local.memory)};
}

/// slope * repeats + bias, and what a row that is no multiple of a repeat takes more.
TimeTerms OperationCosts::vector(const VectorCost& cost, std::int64_t bytes) const {
  const double repeats = static_cast<double>(bytes) / machine_.core.vector_repeat_bytes;
  const bool masked = std::ceil(repeats) != repeats;
  return {.vector = cycles(cost.slope_cycles * std::ceil(repeats) + cost.bias_cycles +
                           (masked ? machine_.core.vector_masked_cycles : 0))};
}

TimeTerms OperationCosts::add(std::int64_t bytes) const {
  return vector(machine_.vector.add, bytes);
}

TimeTerms OperationCosts::fill(std::int64_t tile_bytes) const {
  return vector(machine_.vector.fill, tile_bytes);
}

TimeTerms OperationCosts::notify(std::int64_t rank, std::int64_t to) const {
  const SignalParameters& signal = machine_.signal;
  double message = 0;
  if (to != rank) {
    const Path way = path(rank, to, LinkUse::aiv_write);
    message = way.hops + static_cast<double>(signal.payload_bytes) / way.bytes_per_second;
  }
  return {.signals = 2 * barrier_ + 2 * signal.clean_seconds + signal.dsb_seconds + message};
}

double OperationCosts::landing(std::int64_t rank, std::int64_t to) const {
  const Path way = path(rank, to, LinkUse::aiv_write);
  return barrier_ + machine_.signal.clean_seconds + way.hops / 2 +
         static_cast<double>(machine_.signal.payload_bytes) / way.bytes_per_second;
}

double OperationCosts::wait_end(double begin, double landed) const {
  const double interval = machine_.signal.poll_seconds;
  const double acquire = machine_.signal.acquire_seconds;
  if (interval == 0) return std::max(begin, landed) + acquire;
  const double polls = std::max(1.0, std::ceil((landed - begin) / interval));
  return begin + polls * interval + acquire;
}

TimeTerms OperationCosts::wait() const {
  return {.signals = machine_.signal.poll_seconds + machine_.signal.acquire_seconds};
}

TimeTerms OperationCosts::credit_barrier(std::int64_t rank, std::int64_t ranks) const {
  TimeTerms sum;
  for (std::int64_t peer = 0; peer < ranks; ++peer) {
    if (peer != rank) sum += notify(rank, peer) + wait();
  }
  // All ranks begin with the same peer, whose cells share a line.
  if (ranks > 2)
    sum.signals += static_cast<double>(ranks - 2) * machine_.signal.atomic_serial_seconds;
  return sum;
}

}  // namespace a2a3::models
