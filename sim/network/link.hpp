// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

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

/// What a link needs to know of a message.
struct LinkMessage {
  Picoseconds ready = 0;       ///< its first byte is there; not before the last message's
  Picoseconds source_end = 0;  ///< its last byte is not there before
  Picoseconds wire_time = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t header_bytes = 0;
};

/// Where a link passes from one message to another.
struct LinkArbitration {
  std::uint64_t packet_payload_bytes = 0;  ///< messages up to this size pass between quanta
  std::uint64_t quantum_bytes = 0;
};

/// Arbitration of one directed link. Bulk messages go whole, in the order they are offered, and are
/// cut into quanta. A message of a single packet (a signal, a read request) that finds the link
/// taken goes after the current quantum. What it takes from the link, the next message to be
/// offered waits for; the message it cuts into keeps the times it was given, which are known to its
/// core by then: early by one packet's wire time.
class Link {
 public:
  explicit Link(const LinkArbitration& arbitration) : arbitration_(arbitration) {}

  LinkSlot send(const LinkMessage& message);
  /// The far side took a message.
  void receive(std::uint64_t payload_bytes);

  [[nodiscard]] const LinkStatistics& statistics() const { return statistics_; }

 private:
  /// A bulk message that has not left yet.
  struct Bulk {
    LinkSlot slot;
    Picoseconds quantum = 0;
  };

  [[nodiscard]] Picoseconds end_of_quantum(Picoseconds ready) const;

  LinkArbitration arbitration_;
  Picoseconds free_ = 0;         ///< for the next bulk message
  Picoseconds packet_free_ = 0;  ///< for the next message of a single packet
  std::deque<Bulk> bulk_;        ///< in the order of time
  LinkStatistics statistics_;
};

}  // namespace a2a3::sim
