// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "sim/observer.hpp"

namespace a2a3::sim {

/// A time of a machine description, rounded to the simulator's resolution.
[[nodiscard]] inline Picoseconds to_picoseconds(double seconds) {
  return static_cast<Picoseconds>(std::llround(seconds * 1e12));
}

}  // namespace a2a3::sim
