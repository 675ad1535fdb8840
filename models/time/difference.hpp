// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/time/modelled_time.hpp"

namespace a2a3::models {

/// Where the time of a run went along its critical path, in seconds.
struct SimulatedParts {
  double skew = 0;           ///< until the launch reached the core
  double contention = 0;     ///< for links, egress, uplinks, memory or atomics that others use
  double chunk_latency = 0;  ///< startups, hops, flags, barriers, scalar operations
  double signals = 0;        ///< notifies, their flight, polls, acquires
  double bytes = 0;          ///< at the rate of links and memory
  double vector = 0;

  [[nodiscard]] double seconds() const {
    return skew + contention + chunk_latency + signals + bytes + vector;
  }
};

/// A closed form within this share of the simulated time is right.
inline constexpr double kModelTolerance = 0.1;

/// How far the closed form is from a run, and the term that makes most of the difference: skew,
/// contention, chunk latency, signals, bytes or vector. One sentence, times in microseconds:
///
///     simulated 12.500 us, modelled 10.000 us (-20.0 %): contention takes 2.000 us more
///
/// Within kModelTolerance it says so and names no term.
[[nodiscard]] std::string explain_difference(const SimulatedParts& simulated,
                                             const ModelledTime& modelled);

}  // namespace a2a3::models
