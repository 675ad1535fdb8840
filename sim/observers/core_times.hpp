// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/observer.hpp"

namespace a2a3::sim {

/// Where one core's time went. Pipes overlap, so their sum can exceed the total.
struct CoreTime {
  std::uint32_t device = 0;
  std::uint32_t core = 0;
  Picoseconds begin = 0;                   ///< of its first activity
  Picoseconds end = 0;                     ///< of its last activity
  std::array<Picoseconds, kPipes> busy{};  ///< by Pipe: time with at least one operation under way
  Picoseconds waiting = 0;                 ///< for signals, up to the end of a deadlocked run too

  friend bool operator==(const CoreTime&, const CoreTime&) = default;
};

/// Sums up busy and waiting time of every core that did anything.
class CoreTimes final : public Observer {
 public:
  /// Ordered by device and core.
  [[nodiscard]] std::vector<CoreTime> cores() const;

  void on_pipe_activity(const PipeActivity& event) override;
  void on_wait_ended(const WaitEnded& event) override;
  void on_wait_stuck(const WaitEnded& event) override { on_wait_ended(event); }

 private:
  struct Entry {
    bool used = false;
    CoreTime time;
    std::array<Picoseconds, kPipes> busy_until{};
  };
  Entry& at(const Origin& origin, Picoseconds begin, Picoseconds end);

  std::vector<std::vector<Entry>> entries_;  ///< by device, then core
};

}  // namespace a2a3::sim
