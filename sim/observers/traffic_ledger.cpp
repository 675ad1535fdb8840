// SPDX-License-Identifier: Apache-2.0
#include "sim/observers/traffic_ledger.hpp"

namespace a2a3::sim {

Traffic& Traffic::operator+=(const Traffic& other) {
  payload_received_bytes += other.payload_received_bytes;
  payload_sent_bytes += other.payload_sent_bytes;
  local_bytes += other.local_bytes;
  signals_sent += other.signals_sent;
  signals_received += other.signals_received;
  clears += other.clears;
  header_bytes += other.header_bytes;
  gm_read_bytes += other.gm_read_bytes;
  gm_written_bytes += other.gm_written_bytes;
  return *this;
}

Traffic& Traffic::operator-=(const Traffic& part) {
  payload_received_bytes -= part.payload_received_bytes;
  payload_sent_bytes -= part.payload_sent_bytes;
  local_bytes -= part.local_bytes;
  signals_sent -= part.signals_sent;
  signals_received -= part.signals_received;
  clears -= part.clears;
  header_bytes -= part.header_bytes;
  gm_read_bytes -= part.gm_read_bytes;
  gm_written_bytes -= part.gm_written_bytes;
  return *this;
}

TrafficLedger::TrafficLedger(std::uint32_t devices) : phases_(devices), links_(devices) {}

Traffic TrafficLedger::rank(std::uint32_t device) const {
  Traffic sum;
  for (const Traffic& phase : phases_.at(device))
    sum += phase;
  return sum;
}

const std::vector<Traffic>& TrafficLedger::phases(std::uint32_t device) const {
  return phases_.at(device);
}

std::vector<LinkTraffic> TrafficLedger::links() const {
  std::vector<LinkTraffic> all;
  for (const auto& by_destination : links_)
    for (const auto& [to, link] : by_destination.sorted())
      all.push_back(link);
  return all;
}

Traffic& TrafficLedger::at(std::uint32_t device, const Origin& origin) {
  auto& phases = phases_.at(device);
  if (phases.size() <= origin.phase) phases.resize(origin.phase + 1);
  return phases[origin.phase];
}

void TrafficCounter::on_memory_access(const MemoryAccess& event) {
  if (event.signal) return;
  Traffic& owner = at(event.address.device, event.origin);
  if (event.kind == MemoryAccess::Kind::read) {
    owner.gm_read_bytes += event.bytes;
    return;
  }
  owner.gm_written_bytes += event.bytes;
  if (event.origin.device != event.address.device) owner.payload_received_bytes += event.bytes;
}

void TrafficLedger::on_link_transfer(const LinkTransfer& event) {
  if (event.from >= links_.size()) links_.resize(event.from + 1);
  LinkTraffic& link = links_[event.from].at(event.to);
  link.from = event.from;
  link.to = event.to;
  link.header_bytes += event.header_bytes;
  ++link.messages;
  if (event.kind == LinkTransfer::Kind::signal)
    ++link.signals;
  else
    link.payload_bytes += event.payload_bytes;
  TrafficCounter::on_link_transfer(event);
}

void TrafficCounter::on_link_transfer(const LinkTransfer& event) {
  if (event.from != event.source) return;
  Traffic& sender = at(event.source, event.origin);
  sender.header_bytes += event.header_bytes;
  if (event.kind == LinkTransfer::Kind::signal) {
    ++sender.signals_sent;
    return;
  }
  sender.payload_sent_bytes += event.payload_bytes;
  if (event.kind == LinkTransfer::Kind::read_reply)
    at(event.destination, event.origin).payload_received_bytes += event.payload_bytes;
}

void TrafficCounter::on_local_transfer(const LocalTransfer& event) {
  at(event.origin.device, event.origin).local_bytes += event.payload_bytes;
}

void TrafficCounter::on_signal_landed(const SignalLanded& event) {
  Traffic& receiver = at(event.notify.cell.device, event.origin);
  if (event.origin.device == event.notify.cell.device)
    ++receiver.clears;
  else
    ++receiver.signals_received;
}

}  // namespace a2a3::sim
