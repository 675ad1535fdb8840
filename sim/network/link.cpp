// SPDX-License-Identifier: Apache-2.0
#include "sim/network/link.hpp"

#include <algorithm>
#include <cmath>

namespace a2a3::sim {

LinkStatistics& LinkStatistics::operator+=(const LinkStatistics& other) {
  payload_sent_bytes += other.payload_sent_bytes;
  payload_received_bytes += other.payload_received_bytes;
  header_bytes += other.header_bytes;
  messages_sent += other.messages_sent;
  messages_received += other.messages_received;
  busy += other.busy;
  return *this;
}

/// When the link can serve another message: at `ready`, unless a bulk message holds it then.
Picoseconds Link::end_of_quantum(Picoseconds ready) const {
  if (bulk_.empty() || bulk_.front().slot.begin > ready) return ready;
  const auto& [slot, quantum] = bulk_.front();
  const Picoseconds quanta = (ready - slot.begin + quantum - 1) / quantum;
  return std::min(slot.begin + std::max<Picoseconds>(quanta, 1) * quantum, slot.leave);
}

LinkSlot Link::send(const LinkMessage& message) {
  statistics_.payload_sent_bytes += message.payload_bytes;
  statistics_.header_bytes += message.header_bytes;
  ++statistics_.messages_sent;
  statistics_.busy += message.wire_time;
  while (!bulk_.empty() && bulk_.front().slot.leave <= message.ready)
    bulk_.pop_front();

  if (message.payload_bytes <= arbitration_.packet_payload_bytes) {
    const Picoseconds begin = std::max(end_of_quantum(message.ready), packet_free_);
    const Picoseconds leave = std::max(begin + message.wire_time, message.source_end);
    packet_free_ = leave;
    free_ = std::max(free_ + message.wire_time, leave);
    return {begin, leave};
  }
  const Picoseconds begin = std::max(message.ready, free_);
  const Picoseconds leave = std::max(begin + message.wire_time, message.source_end);
  free_ = leave;
  const double quanta =
      static_cast<double>(message.payload_bytes) / static_cast<double>(arbitration_.quantum_bytes);
  const double quantum = static_cast<double>(leave - begin) / std::max(quanta, 1.0);
  if (leave > begin)
    bulk_.push_back({{begin, leave}, std::max<Picoseconds>(std::llround(quantum), 1)});
  return {begin, leave};
}

void Link::receive(std::uint64_t payload_bytes) {
  statistics_.payload_received_bytes += payload_bytes;
  ++statistics_.messages_received;
}

}  // namespace a2a3::sim
