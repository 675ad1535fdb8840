// SPDX-License-Identifier: Apache-2.0
#include "sim/network/fabric.hpp"

#include <cassert>

#include "models/instruction_timing.hpp"
#include "sim/memory/access_extension.hpp"
#include "sim/time.hpp"

namespace a2a3::sim {

Fabric::Fabric(const sc_core::sc_module_name& name, const models::LinkParameters& params,
               std::uint32_t devices, const Probe& probe)
    : sc_module(name),
      from_devices("from_devices"),
      to_devices("to_devices"),
      links("links"),
      params_(params),
      hop_(to_picoseconds(params.hop_seconds)),
      probe_(probe),
      links_(devices) {
  from_devices.register_b_transport(this, &Fabric::transport);
  from_devices.register_transport_dbg(this, &Fabric::debug);
  links.bind(*this);
}

double Fabric::efficiency(LinkTransfer::Kind kind) const {
  switch (kind) {
    case LinkTransfer::Kind::write:
    case LinkTransfer::Kind::signal:
      return params_.aiv_write_efficiency;
    case LinkTransfer::Kind::dma_write:
      return params_.dma_write_efficiency;
    case LinkTransfer::Kind::read_request:
    case LinkTransfer::Kind::read_reply:
      return params_.read_efficiency;
  }
  return 1.0;
}

Flight Fabric::send(const Message& message, const Origin& origin) {
  assert(message.from != message.to);
  // The efficiency covers what headers cost, so a bare request takes no time of its own.
  const Picoseconds wire =
      models::link_time_ps(message.payload_bytes, efficiency(message.kind), params_);
  const std::uint64_t header = message.kind == LinkTransfer::Kind::read_request
                                   ? params_.request_bytes
                                   : models::header_bytes(message.payload_bytes, params_);
  const LinkSlot slot = link(message.from, message.to)
                            .send({.ready = message.ready,
                                   .source_end = message.source_end,
                                   .wire_time = wire,
                                   .payload_bytes = message.payload_bytes,
                                   .header_bytes = header});
  const Picoseconds arrival = slot.leave + hop_;
  if (probe_.active())
    probe_.report(LinkTransfer{.origin = origin,
                               .from = message.from,
                               .to = message.to,
                               .kind = message.kind,
                               .payload_bytes = message.payload_bytes,
                               .header_bytes = header,
                               .begin = slot.begin,
                               .end = arrival});
  return {.arrival = arrival, .streaming = slot.leave - slot.begin};
}

void Fabric::receive(std::uint32_t from, std::uint32_t to, std::uint64_t payload_bytes) {
  link(from, to).receive(payload_bytes);
}

Picoseconds Fabric::latency(std::uint32_t /*from*/, std::uint32_t /*to*/) const {
  return hop_;
}

Link& Fabric::link(std::uint32_t from, std::uint32_t to) {
  return links_.at(from).at(to,
                            LinkArbitration{params_.packet_payload_bytes, params_.quantum_bytes});
}

std::vector<Fabric::UsedLink> Fabric::used_links() const {
  std::vector<UsedLink> used;
  for (std::uint32_t from = 0; from < links_.size(); ++from) {
    for (const auto& [to, link] : links_[from].sorted())
      used.push_back({from, to, link.statistics()});
  }
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
