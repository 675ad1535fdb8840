// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/source.hpp"
#include "models/traffic/claim.hpp"
#include "models/traffic/schedule.hpp"
#include "sim/observer.hpp"
#include "sim/observers/traffic_ledger.hpp"

namespace a2a3 {

/// A quantity that a closed form gives and the run counts.
struct TrafficQuantity {
  std::optional<std::int64_t> models::ExpectedTraffic::*expected;
  std::uint64_t sim::Traffic::*measured;
};
/// All of them; signals are held to one number in both directions.
inline constexpr std::array kTrafficQuantities{
    TrafficQuantity{&models::ExpectedTraffic::received_bytes,
                    &sim::Traffic::payload_received_bytes},
    TrafficQuantity{&models::ExpectedTraffic::sent_bytes, &sim::Traffic::payload_sent_bytes},
    TrafficQuantity{&models::ExpectedTraffic::local_bytes, &sim::Traffic::local_bytes},
    TrafficQuantity{&models::ExpectedTraffic::signals, &sim::Traffic::signals_sent},
    TrafficQuantity{&models::ExpectedTraffic::signals, &sim::Traffic::signals_received},
    TrafficQuantity{&models::ExpectedTraffic::clears, &sim::Traffic::clears}};

/// What one rank should move in a part of a run, and what it moved.
struct RankTraffic {
  models::ExpectedTraffic expected;
  sim::Traffic measured;

  /// What is expected of the quantity is measured.
  [[nodiscard]] bool agrees(const TrafficQuantity& quantity) const;
  /// Every quantity agrees.
  [[nodiscard]] bool right() const;
  /// Received bytes that the result did not need; 0 when that is not known.
  [[nodiscard]] std::int64_t padding_bytes() const;
  /// Received bytes without the padding.
  [[nodiscard]] std::int64_t useful_bytes() const {
    return static_cast<std::int64_t>(measured.payload_received_bytes) - padding_bytes();
  }
  /// What the rank put on its links: payload and headers.
  [[nodiscard]] std::uint64_t wire_bytes() const {
    return measured.payload_sent_bytes + measured.header_bytes;
  }
};

/// A part of a run whose traffic is known in closed form: all executions of one call of a builtin
/// collective, or what a claim says about everything else.
struct TrafficPart {
  std::string schedule;  ///< "allreduce.ring", "own formulas"
  models::ScheduleForm form = models::ScheduleForm::hand;
  ir::SourceLocation location;  ///< of the call; unknown for a claim
  std::uint64_t calls = 1;      ///< how often each rank called it, the most of all ranks
  std::string formula;          ///< in words
  std::vector<RankTraffic> ranks;

  /// Size of the collective as in NCCL-tests, all calls together; 0: no bandwidth is defined.
  std::int64_t buffer_bytes = 0;
  /// What one call works on, seen from rank 0; nothing for own formulas, and when calls differ.
  std::optional<models::ScheduleSize> size;
  double bus_factor = 1;
  /// First to last operation on any rank; for a claim the whole run. Of several calls it holds what
  /// happened between them too: see has_own_time().
  sim::Picoseconds time = 0;

  [[nodiscard]] bool right() const;
  /// False for a call that ran several times.
  [[nodiscard]] bool has_own_time() const { return calls == 1; }
  /// Bytes per second: models::kBandwidthSource. 0 when no bandwidth is defined, or no time.
  [[nodiscard]] double algbw() const;
  [[nodiscard]] double busbw() const { return algbw() * bus_factor; }
};

/// The sum of parts by rank.
[[nodiscard]] std::vector<RankTraffic> sum(const std::vector<TrafficPart>& parts);

struct Result;
/// What a claim says about the traffic beside that of builtin collectives, against what a timed run
/// counted.
[[nodiscard]] TrafficPart claimed_part(const Result& result, const models::TrafficClaim& claim);

}  // namespace a2a3
