// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/observer.hpp"

namespace a2a3::sim {

/// What passed over one directed link.
struct LinkStatistics {
  std::uint64_t payload_sent_bytes = 0;
  std::uint64_t payload_received_bytes = 0;
  std::uint64_t header_bytes = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  Picoseconds busy = 0;  ///< sum of wire times

  LinkStatistics& operator+=(const LinkStatistics& other);
  friend bool operator==(const LinkStatistics&, const LinkStatistics&) = default;
};

/// When a message is on a link.
struct LinkSlot {
  Picoseconds begin = 0;  ///< first byte enters
  Picoseconds leave = 0;  ///< last byte enters
};

/// Arbitration of one directed link: whole messages, in the order they are offered.
class Link {
 public:
  /// Reserves the link for a message whose first byte is there at `ready` and whose last byte is
  /// not there before `source_end`.
  LinkSlot send(Picoseconds ready, Picoseconds source_end, Picoseconds wire_time,
                std::uint64_t payload_bytes, std::uint64_t header_bytes);
  /// The far side took a message.
  void receive(std::uint64_t payload_bytes);

  [[nodiscard]] const LinkStatistics& statistics() const { return statistics_; }

 private:
  Picoseconds free_ = 0;
  LinkStatistics statistics_;
};

}  // namespace a2a3::sim
