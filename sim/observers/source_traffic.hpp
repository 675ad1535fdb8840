// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/observers/traffic_ledger.hpp"

namespace a2a3::sim {

/// The traffic of each rank by the source line of the core that caused it, and when that line was
/// at work.
class SourceTraffic final : public TrafficCounter {
 public:
  explicit SourceTraffic(std::uint32_t devices) : entries_(devices) {}

  /// What one line did on one device. Signals that set a cell carry counts of rows or the like:
  /// `set_values_received` is the sum of those that peers sent here.
  struct Entry {
    Traffic traffic;
    std::int64_t set_values_received = 0;
    Picoseconds begin = ~Picoseconds{0};  ///< of the first operation; no operation: after `end`
    Picoseconds end = 0;
  };
  /// By source; lines beyond its size did nothing.
  [[nodiscard]] const std::vector<Entry>& sources(std::uint32_t device) const {
    return entries_.at(device);
  }

  void on_signal_landed(const SignalLanded& event) override;
  void on_pipe_activity(const PipeActivity& activity) override;
  void on_wait_ended(const WaitEnded& wait) override;

 private:
  Entry& entry(std::uint32_t device, const Origin& origin);
  Traffic& at(std::uint32_t device, const Origin& origin) override {
    return entry(device, origin).traffic;
  }
  void was_at_work(const Origin& origin, Picoseconds begin, Picoseconds end);

  std::vector<std::vector<Entry>> entries_;
};

}  // namespace a2a3::sim
