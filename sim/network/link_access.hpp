// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/topology.hpp"
#include "sim/causes.hpp"
#include "sim/observer.hpp"

namespace a2a3::sim {

/// A message between two different devices.
struct Message {
  LinkTransfer::Kind kind = LinkTransfer::Kind::write;
  models::Mover mover = models::Mover::vector_core;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t payload_bytes = 0;
  Picoseconds ready = 0;       ///< when its first byte can enter the link
  Picoseconds source_end = 0;  ///< when its last byte is there, if the source is the slower one
};

/// A message on its way.
struct Transit {
  std::uint32_t id = 0;
  Picoseconds look = 0;  ///< when to follow() it
};

/// Where a message was found.
struct Progress {
  bool arrived = false;
  Picoseconds time = 0;       ///< when its last byte arrived, or when to look again
  Picoseconds streaming = 0;  ///< of an arrived one: time between its first and its last byte
  /// Of an arrived one, while somebody asks for causes: from its `ready` on it waited, then its
  /// bytes passed at the rate of `bound`, and the rest was hops.
  Picoseconds waited = 0;
  Picoseconds passed = 0;
  Resource bound{.use = TimeUse::link};
};

/// The links as the movers of data see them.
class LinkAccess : public sc_core::sc_interface {
 public:
  /// Puts a message on its way. Must be called at the message's `ready` time, so that messages
  /// compete in the order of time.
  virtual Transit send(const Message& message, const Origin& origin) = 0;
  /// Looks at a message at the time that was given for it. Others that came meanwhile may have
  /// delayed it, or it goes on to the next link of its route: then it is to be looked at again. Its
  /// id is free once it has arrived, which every message does.
  virtual Progress follow(std::uint32_t transit, Picoseconds now) = 0;
  /// One-way latency of the whole route.
  [[nodiscard]] virtual Picoseconds latency(std::uint32_t from, std::uint32_t to) const = 0;
  /// More time that the SDMA engine takes once for each block between these devices.
  [[nodiscard]] virtual Picoseconds dma_overhead(std::uint32_t from, std::uint32_t to) const = 0;
};

}  // namespace a2a3::sim
