// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/observer.hpp"
#include "sim/observers/core_times.hpp"
#include "sim/observers/traffic_ledger.hpp"

namespace a2a3 {

/// What happened between two barriers on one rank. A barrier is a group of waits; the waits belong
/// to the phase that they end.
struct PhaseCost {
  std::string kernels;           ///< that executed something in it: "scale, shift"
  std::uint32_t first_line = 0;  ///< of the source lines that executed something
  std::uint32_t last_line = 0;
  sim::Traffic traffic;  ///< what peers cause here counts in the phase that the peer is in
  sim::Picoseconds begin = 0;
  sim::Picoseconds end = 0;
  sim::Picoseconds waiting = 0;  ///< for signals, of the core that waited longest
};

struct RankCost {
  sim::Traffic traffic;
  sim::Picoseconds total = 0;  ///< when the rank's last core finished
  /// Of all its cores together, by sim::Pipe: time with work in the pipe.
  std::array<sim::Picoseconds, sim::kPipes> busy{};
  sim::Picoseconds waiting = 0;      ///< for signals, of all its cores together
  std::vector<sim::CoreTime> cores;  ///< those that did anything, by number
  std::vector<PhaseCost> phases;
};

/// What a run cost, counted where it happened: at the links, memories and pipes, never from the
/// program text. Signals are counted apart from payload.
struct Cost {
  std::vector<RankCost> ranks;          ///< by rank
  std::vector<sim::LinkTraffic> links;  ///< those that carried something, by source and destination
};

}  // namespace a2a3
