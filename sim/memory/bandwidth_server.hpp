// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sim/observer.hpp"

namespace a2a3::sim {

/// A shared bandwidth, first come, first served: what one user has reserved, the next waits for.
class BandwidthServer {
 public:
  /// Reserves the time of `bytes` that begin to flow at `first_byte`; returns when the last one is
  /// through.
  Picoseconds reserve(Picoseconds first_byte, std::uint64_t bytes, double bytes_per_second) {
    const double picoseconds = static_cast<double>(bytes) / bytes_per_second * 1e12;
    const auto service = static_cast<Picoseconds>(std::llround(picoseconds));
    free_ = std::max(free_, first_byte) + service;
    busy_ += service;
    return free_;
  }
  /// Sum of all reservations.
  [[nodiscard]] Picoseconds busy() const { return busy_; }

 private:
  Picoseconds free_ = 0;
  Picoseconds busy_ = 0;
};

}  // namespace a2a3::sim
