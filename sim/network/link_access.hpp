// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "sim/observer.hpp"

namespace a2a3::sim {

/// A message between two different devices.
struct Message {
  LinkTransfer::Kind kind = LinkTransfer::Kind::write;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t payload_bytes = 0;
  Picoseconds ready = 0;       ///< when its first byte can enter the link
  Picoseconds source_end = 0;  ///< when its last byte is there, if the source is the slower one
};

struct Flight {
  Picoseconds arrival = 0;    ///< last byte at the far side
  Picoseconds streaming = 0;  ///< time between its first and its last byte
};

/// The links as the movers of data see them.
class LinkAccess : public sc_core::sc_interface {
 public:
  /// Puts a message on its way. Must be called at the message's `ready` time, so that messages
  /// compete in the order of time.
  virtual Flight send(const Message& message, const Origin& origin) = 0;
  /// Takes a message from the link; every message sent is received once.
  virtual void receive(std::uint32_t from, std::uint32_t to, std::uint64_t payload_bytes) = 0;
  /// One-way latency.
  [[nodiscard]] virtual Picoseconds latency(std::uint32_t from, std::uint32_t to) const = 0;
};

}  // namespace a2a3::sim
