// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/observer.hpp"
#include "sim/peer_table.hpp"

namespace a2a3::sim {

/// What one rank moved. A pull counts as received by the rank that asked and as sent by the one
/// that served it; its request and the headers count as header bytes of the rank that put them on
/// its link.
struct Traffic {
  std::uint64_t payload_received_bytes = 0;
  std::uint64_t payload_sent_bytes = 0;
  std::uint64_t local_bytes = 0;  ///< transfers addressed to the own rank, once each
  std::uint64_t signals_sent = 0;
  std::uint64_t signals_received = 0;  ///< from peers
  std::uint64_t clears = 0;            ///< signals to itself
  std::uint64_t header_bytes = 0;
  std::uint64_t gm_read_bytes = 0;  ///< of this rank's memory, by whomever; signals not counted
  std::uint64_t gm_written_bytes = 0;

  Traffic& operator+=(const Traffic& other);
  /// Takes out a part of this.
  Traffic& operator-=(const Traffic& part);
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// Totals of one directed link.
struct LinkTraffic {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t header_bytes = 0;
  std::uint64_t messages = 0;
  std::uint64_t signals = 0;

  friend bool operator==(const LinkTraffic&, const LinkTraffic&) = default;
};

/// Counts bytes and signals where they pass: sending at the first link of a route, receiving at the
/// memory or pipe they arrive at. What a transfer causes at another rank counts for that rank,
/// under the origin of the core that started it.
class TrafficCounter : public Observer {
 public:
  void on_memory_access(const MemoryAccess& event) override;
  void on_link_transfer(const LinkTransfer& event) override;
  void on_local_transfer(const LocalTransfer& event) override;
  void on_signal_landed(const SignalLanded& event) override;

 private:
  /// Where what `origin` causes at a device is summed up.
  virtual Traffic& at(std::uint32_t device, const Origin& origin) = 0;
};

/// The traffic of each rank by the phase of the core that caused it, and of each link.
class TrafficLedger final : public TrafficCounter {
 public:
  explicit TrafficLedger(std::uint32_t devices);

  /// Sum over a rank's phases.
  [[nodiscard]] Traffic rank(std::uint32_t device) const;
  /// By phase; as long as the last phase in which the rank moved anything.
  [[nodiscard]] const std::vector<Traffic>& phases(std::uint32_t device) const;
  /// The links that carried anything, ordered by source and destination.
  [[nodiscard]] std::vector<LinkTraffic> links() const;

  void on_link_transfer(const LinkTransfer& event) override;

 private:
  Traffic& at(std::uint32_t device, const Origin& origin) override;

  std::vector<std::vector<Traffic>> phases_;   ///< by device
  std::vector<PeerTable<LinkTraffic>> links_;  ///< by source, then destination
};

}  // namespace a2a3::sim
