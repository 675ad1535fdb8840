// SPDX-License-Identifier: Apache-2.0
#include "sim/network/link.hpp"

#include <algorithm>

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

LinkSlot Link::send(Picoseconds ready, Picoseconds source_end, Picoseconds wire_time,
                    std::uint64_t payload_bytes, std::uint64_t header_bytes) {
  const Picoseconds begin = std::max(ready, free_);
  const Picoseconds leave = std::max(begin + wire_time, source_end);
  free_ = leave;
  statistics_.payload_sent_bytes += payload_bytes;
  statistics_.header_bytes += header_bytes;
  ++statistics_.messages_sent;
  statistics_.busy += wire_time;
  return {begin, leave};
}

void Link::receive(std::uint64_t payload_bytes) {
  statistics_.payload_received_bytes += payload_bytes;
  ++statistics_.messages_received;
}

}  // namespace a2a3::sim
