// SPDX-License-Identifier: Apache-2.0
#include "sim/network/fabric.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "models/instruction_timing.hpp"
#include "sim/memory/access_extension.hpp"
#include "sim/time.hpp"

namespace a2a3::sim {
namespace {

constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

bool is_read(LinkTransfer::Kind kind) {
  return kind == LinkTransfer::Kind::read_request || kind == LinkTransfer::Kind::read_reply;
}

/// One pipe of one core or engine: its messages stay in order.
std::uint64_t mover_of(const Message& message, const Origin& origin) {
  return std::uint64_t{origin.device} << 32 | std::uint64_t{origin.core} << 2 |
         (message.mover == models::Mover::dma ? 2u : 0u) | (is_read(message.kind) ? 1u : 0u);
}

/// Whether messages pass devices between their ends.
bool routed(models::Topology topology) {
  return topology == models::Topology::ring || topology == models::Topology::torus;
}

}  // namespace

Fabric::Fabric(const sc_core::sc_module_name& name, const models::MachineDescription& machine,
               std::vector<std::uint32_t> positions, const Probe& probe)
    : sc_module(name),
      from_devices("from_devices"),
      to_devices("to_devices"),
      links("links"),
      machine_(machine),
      positions_(std::move(positions)),
      hop_(to_picoseconds(machine.link.hop_seconds)),
      probe_(probe),
      device_egress_(positions_.size(), kNowhere),
      uplink_out_(positions_.size(), kNowhere),
      uplink_in_(positions_.size(), kNowhere),
      core_free_(positions_.size()) {
  from_devices.register_b_transport(this, &Fabric::transport);
  from_devices.register_transport_dbg(this, &Fabric::debug);
  links.bind(*this);
  for (std::uint32_t rank = 0; rank < positions_.size(); ++rank) {
    if (positions_[rank] >= ranks_.size()) ranks_.resize(positions_[rank] + 1, kNowhere);
    ranks_[positions_[rank]] = rank;
  }
  wire_of_.resize(positions_.size() + (routed(machine_.topology) ? machine_.devices : 0));
}

std::uint32_t Fabric::position(std::uint32_t number) const {
  const auto ranks = static_cast<std::uint32_t>(positions_.size());
  return number < ranks ? positions_[number] : number - ranks;
}

std::uint32_t Fabric::number(std::uint32_t position) const {
  const bool taken = position < ranks_.size() && ranks_[position] != kNowhere;
  return taken ? ranks_[position] : static_cast<std::uint32_t>(positions_.size()) + position;
}

void Fabric::find_route(std::uint32_t from, std::uint32_t to,
                        std::vector<std::uint32_t>& route) const {
  route.clear();
  if (!routed(machine_.topology)) {
    route.push_back(from);
    route.push_back(to);
    return;
  }
  for (const std::uint32_t passed : models::route(machine_, positions_[from], positions_[to]))
    route.push_back(number(passed));
}

Fabric::Wire& Fabric::wire(std::uint32_t from, std::uint32_t to) {
  Wire*& known = wire_of_.at(from).at(to);
  if (known == nullptr) {
    const models::LinkRates rates = models::link_rates(machine_, position(from), position(to));
    known = &wires_.emplace_back(
        Wire{from, to, rates, to_picoseconds(rates.hop_seconds),
             Link({machine_.link.packet_payload_bytes, machine_.link.quantum_bytes})});
  }
  return *known;
}

Link& Fabric::shared(std::vector<std::uint32_t>& table, std::uint32_t rank) {
  std::uint32_t& index = table.at(rank);
  if (index == kNowhere) {
    index = static_cast<std::uint32_t>(shared_.size());
    shared_.emplace_back(
        LinkArbitration{machine_.link.packet_payload_bytes, machine_.link.quantum_bytes});
  }
  return shared_[index];
}

/// When the last byte is there: a core sends its remote stores at its own rate, one after the
/// other.
Picoseconds Fabric::paced(const Message& message, std::uint32_t core) {
  const double rate = machine_.link.aiv_egress_bytes_per_second;
  if (rate == 0 || message.kind != LinkTransfer::Kind::write ||
      message.mover != models::Mover::vector_core)
    return message.source_end;
  std::vector<Picoseconds>& cores = core_free_.at(message.from);
  if (core >= cores.size()) cores.resize(core + 1, 0);
  cores[core] =
      std::max(cores[core], message.ready) + models::link_time_ps(message.payload_bytes, rate);
  return std::max(message.source_end, cores[core]);
}

std::uint64_t Fabric::header_bytes(const Message& message) const {
  return message.kind == LinkTransfer::Kind::read_request
             ? machine_.link.request_bytes
             : models::header_bytes(message.payload_bytes, machine_.link);
}

Transit Fabric::send(const Message& message, const Origin& origin) {
  assert(message.from != message.to);
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(passages_.size()));
    passages_.emplace_back();
  }
  const std::uint32_t id = free_.back();
  free_.pop_back();
  Passage& passage = passages_[id];
  passage.message = message;
  passage.origin = origin;
  find_route(message.from, message.to, passage.route);
  passage.entered = 0;
  passage.stages.clear();
  passage.source_end = paced(message, origin.core);
  enter(passage, message.ready);
  return {id, look(passage, message.ready).time};
}

/// Puts the message on a link, or on a rate it shares. The efficiency covers what headers cost, so
/// a bare request takes no time of its own.
void Fabric::stage(Passage& passage, Link& link, const Wire& wire, Picoseconds now, double rate,
                   const Resource& resource) {
  const Message& message = passage.message;
  const Picoseconds wire_time = models::link_time_ps(message.payload_bytes, rate);
  const Link::Ticket ticket =
      link.send({.ready = now,
                 .source_end = passage.entered == 0 ? passage.source_end : 0,
                 .wire_time = wire_time,
                 .payload_bytes = message.payload_bytes,
                 .header_bytes = header_bytes(message),
                 .mover = mover_of(message, passage.origin)});
  passage.stages.push_back({&link, ticket, &wire, resource, wire_time});
}

/// The message's head is at the next link of its route.
void Fabric::enter(Passage& passage, Picoseconds now) {
  const Message& message = passage.message;
  Wire& next = wire(passage.route[passage.entered], passage.route[passage.entered + 1]);
  const double egress = machine_.link.device_egress_bytes_per_second;
  if (passage.entered == 0 && egress != 0 && message.kind == LinkTransfer::Kind::write &&
      message.mover == models::Mover::vector_core)
    stage(passage, shared(device_egress_, message.from), next, now, egress,
          {TimeUse::device_egress, message.from, 0});
  if (next.rates.uplink) {
    const double uplink = machine_.switched.uplink_bytes_per_second;
    stage(passage, shared(uplink_out_, message.from), next, now, uplink,
          {TimeUse::uplink, message.from, kNowhere});
    stage(passage, shared(uplink_in_, message.to), next, now, uplink,
          {TimeUse::uplink, kNowhere, message.to});
  }
  stage(passage, next.link, next, now,
        next.rates.rate(models::link_use(message.mover, is_read(message.kind))),
        {TimeUse::link, next.from, next.to});
  ++passage.entered;
}

/// How far the message is; enters the links it has come to.
Progress Fabric::look(Passage& passage, Picoseconds now) {
  for (;;) {
    const Stage& last = passage.stages.back();
    const LinkSlot slot = last.link->look(last.ticket, now);
    const Picoseconds head = slot.begin + last.wire->hop;
    if (passage.entered + 1 == passage.route.size()) {
      Picoseconds after = 0;
      Picoseconds arrival = 0;
      const Wire* behind = nullptr;
      for (auto stage = passage.stages.rbegin(); stage != passage.stages.rend(); ++stage) {
        if (stage->wire != behind) after += stage->wire->hop;
        behind = stage->wire;
        arrival = std::max(arrival, stage->link->look(stage->ticket, now).leave + after);
      }
      return {arrival <= now, arrival, arrival - head};
    }
    if (head > now) return {false, head, 0};
    enter(passage, now);
  }
}

Progress Fabric::follow(std::uint32_t transit, Picoseconds now) {
  Passage& passage = passages_.at(transit);
  Progress progress = look(passage, now);
  if (progress.arrived) {
    if (probe_.causes() != nullptr) split(passage, now, progress);
    finish(passage, now);
    free_.push_back(transit);
  }
  return progress;
}

/// Says what an arrived message's time went to: what bound it is the stage behind which it had
/// nothing but hops left, or at the first link the source of its bytes.
void Fabric::split(const Passage& passage, Picoseconds now, Progress& progress) const {
  const Message& message = passage.message;
  Picoseconds hops = 0;
  Picoseconds latest = 0;
  LinkSlot slot;
  const Stage* binding = nullptr;
  const Wire* behind = nullptr;
  for (auto stage = passage.stages.rbegin(); stage != passage.stages.rend(); ++stage) {
    if (stage->wire != behind) hops += stage->wire->hop;
    behind = stage->wire;
    const LinkSlot at = stage->link->look(stage->ticket, now);
    if (at.leave + hops < latest) continue;
    latest = at.leave + hops;
    binding = &*stage;
    slot = at;
  }
  const Picoseconds arrived = std::min(progress.time, now);
  const Picoseconds total = arrived > message.ready ? arrived - message.ready : 0;
  const Picoseconds rest = total - std::min(hops, total);
  const Picoseconds sending = slot.leave - slot.begin;
  const bool by_source = binding->wire == passage.stages.front().wire &&
                         slot.leave == passage.source_end && sending > binding->wire_time;
  if (!by_source) {
    progress.bound = binding->resource;
    progress.passed = std::min(rest, binding->wire_time);
  } else if (passage.source_end > message.source_end) {
    progress.bound = {TimeUse::core_egress, message.from, passage.origin.core};
    progress.passed = std::min(
        rest,
        models::link_time_ps(message.payload_bytes, machine_.link.aiv_egress_bytes_per_second));
  } else {
    const bool reply = message.kind == LinkTransfer::Kind::read_reply;
    progress.bound = {reply ? TimeUse::memory : TimeUse::stream, message.from, 0};
    progress.passed = rest;
  }
  progress.waited = rest - progress.passed;
}

/// Reports the message on each of its links and takes it from them.
void Fabric::finish(const Passage& passage, Picoseconds now) {
  const Message& message = passage.message;
  Picoseconds tail = 0;  // at the far end of a link: not before it was at its near end
  for (const Stage& stage : passage.stages) {
    const LinkSlot slot = stage.link->look(stage.ticket, now);
    stage.link->receive(stage.ticket);
    tail = std::max(tail, slot.leave);
    if (stage.resource.use != TimeUse::link) continue;
    tail += stage.wire->hop;
    if (probe_.active())
      probe_.report(LinkTransfer{.origin = passage.origin,
                                 .from = stage.wire->from,
                                 .to = stage.wire->to,
                                 .source = message.from,
                                 .destination = message.to,
                                 .kind = message.kind,
                                 .payload_bytes = message.payload_bytes,
                                 .header_bytes = header_bytes(message),
                                 .begin = slot.begin,
                                 .end = tail});
  }
}

Picoseconds Fabric::latency(std::uint32_t from, std::uint32_t to) const {
  if (machine_.topology == models::Topology::full_mesh && machine_.slow_links.empty()) return hop_;
  std::vector<std::uint32_t> route;
  find_route(from, to, route);
  Picoseconds sum = 0;
  for (std::size_t i = 0; i + 1 < route.size(); ++i)
    sum += to_picoseconds(
        models::link_rates(machine_, position(route[i]), position(route[i + 1])).hop_seconds);
  return sum;
}

Picoseconds Fabric::dma_overhead(std::uint32_t from, std::uint32_t to) const {
  if (machine_.topology != models::Topology::switched) return 0;
  return to_picoseconds(
      models::link_rates(machine_, position(from), position(to)).dma_overhead_seconds);
}

std::vector<Fabric::UsedLink> Fabric::used_links() const {
  std::vector<UsedLink> used;
  for (const Wire& wire : wires_)
    used.push_back({wire.from, wire.to, wire.rates, wire.link.statistics()});
  std::ranges::sort(used, [](const UsedLink& a, const UsedLink& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  return used;
}

void Fabric::transport(int /*source*/, tlm::tlm_generic_payload& transaction,
                       sc_core::sc_time& delay) {
  const std::uint32_t device = from_bus_address(transaction.get_address()).device;
  if (device >= to_devices.size()) {
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  to_devices[static_cast<int>(device)]->b_transport(transaction, delay);
}

unsigned int Fabric::debug(int /*source*/, tlm::tlm_generic_payload& transaction) {
  const std::uint32_t device = from_bus_address(transaction.get_address()).device;
  if (device >= to_devices.size()) return 0;
  return to_devices[static_cast<int>(device)]->transport_dbg(transaction);
}

}  // namespace a2a3::sim
