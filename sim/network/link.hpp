// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/observer.hpp"

namespace a2a3::sim {

/// What passed over one directed link.
struct LinkStatistics {
  std::uint64_t payload_sent_bytes = 0;
  std::uint64_t payload_received_bytes = 0;
  std::uint64_t header_bytes = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  Picoseconds busy = 0;          ///< sum of wire times
  std::uint64_t peak_queue = 0;  ///< most messages on it or before it; packets before one are one

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
  std::uint64_t mover = 0;  ///< messages of one mover stay in order
};

/// Where a link passes from one message to another.
struct LinkArbitration {
  std::uint64_t packet_payload_bytes = 0;  ///< messages up to this size pass between quanta
  std::uint64_t quantum_bytes = 0;
};

/// Arbitration of one directed link, or of any other rate that messages share. Bulk messages of
/// different movers are cut into quanta and take turns, a newcomer behind all others; those of one
/// mover follow each other, and a message alone goes through. A message of a single packet (a
/// signal, a read request) goes after the current quantum, packets in the order of their coming.
/// A message holds the link for its wire time only: the gaps of a slow
/// source are others' to use.
///
/// The time at which a bulk message has left is an estimate until then: messages that come later
/// can delay it, never hasten it. No event is needed: the link is asked at the estimated time,
/// which is final unless it has moved.
class Link {
 public:
  using Ticket = std::uint64_t;

  explicit Link(const LinkArbitration& arbitration) : arbitration_(arbitration) {}

  /// Offers a message; called at its `ready`. Calls of all functions follow each other in time.
  Ticket send(const LinkMessage& message);
  /// The message's times as known at `now`: `begin` is final once it is past, and so is `leave`.
  [[nodiscard]] LinkSlot look(Ticket ticket, Picoseconds now);
  /// The far side has taken the message, which had left.
  void receive(Ticket ticket);

  [[nodiscard]] const LinkStatistics& statistics() const { return statistics_; }

 private:
  struct Sending {
    Ticket ticket = 0;
    std::uint64_t mover = 0;
    std::uint64_t payload_bytes = 0;
    Picoseconds source_end = 0;
    Picoseconds quantum = 0;
    Picoseconds remaining = 0;  ///< wire time, the current quantum included
    LinkSlot slot;
    bool begun = false;
    bool received = false;
  };
  /// The messages that take turns.
  struct Turns {
    std::vector<Sending> queue;    ///< a ring with one message of each mover
    std::size_t current = 0;       ///< the one that has its turn; the one before it is the last
    std::vector<Sending> waiting;  ///< behind the message of their mover in the queue
    Picoseconds quantum_end = 0;   ///< of the current message
    Picoseconds end = 0;           ///< the link is free for the next turn, packets sent
  };

  static void take_turn(Turns& turns, Picoseconds at);
  /// Ends the current turn; returns the message if it has left with it.
  static bool end_turn(Turns& turns, Sending& left);
  static void skip_rounds(Turns& turns, Picoseconds until);
  static bool go_on(Turns& turns, std::size_t& turn, Picoseconds until, Sending& left);
  void advance(Picoseconds now);
  [[nodiscard]] LinkSlot foresee(Ticket ticket) const;

  LinkArbitration arbitration_;
  Turns turns_;
  std::vector<Sending> left_;  ///< gone, not yet received
  Ticket tickets_ = 0;
  LinkStatistics statistics_;
};

}  // namespace a2a3::sim
