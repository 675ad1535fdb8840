// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "models/machine_description.hpp"
#include "models/traffic/schedule.hpp"

namespace a2a3::models {

/// What a time consists of, in seconds; along one chain of operations that wait for each other.
/// The groups are those of the alpha-beta-gamma model (Thakur, Rabenseifner, Gropp 2005; Chan et
/// al. 2007): alpha per message, beta per byte, gamma per element that is reduced.
struct TimeTerms {
  double startup = 0;  ///< alpha: of loads and stores, flags and barriers between pipes
  double hops = 0;     ///< alpha: flight of requests, replies and acknowledgements
  double signals = 0;  ///< alpha: notifies with their flight, polls, acquires
  double link = 0;     ///< beta: bytes that a link, or a core's egress, holds up
  double memory = 0;   ///< beta: bytes between global memory and the unified buffer
  double vector = 0;   ///< gamma: reductions

  [[nodiscard]] double alpha() const { return startup + hops + signals; }
  [[nodiscard]] double beta() const { return link + memory; }
  [[nodiscard]] double gamma() const { return vector; }
  [[nodiscard]] double seconds() const { return alpha() + beta() + gamma(); }

  TimeTerms& operator+=(const TimeTerms& other);
  friend TimeTerms operator+(TimeTerms a, const TimeTerms& b) { return a += b; }
  friend TimeTerms operator*(double times, TimeTerms terms);
  friend bool operator==(const TimeTerms&, const TimeTerms&) = default;
};

struct ModelledTime {
  TimeTerms terms;
  [[nodiscard]] double seconds() const { return terms.seconds(); }
};

/// Closed-form time of a schedule, as the example kernels run it: staged into the window, moved and
/// reduced, written to the output. Phases between barriers last as long as their slowest rank;
/// within one, sums over chunks of 16 KiB (host forms: 256 elements) and over peers. Every rank is
/// alone on its links and starts at 0: contention and skew are what the simulation adds.
/// `size.rank` has no meaning. docs/comparing.md has the formulas; counts are those of the traffic
/// table of the project's specification, terms those of docs/timing_model.md.
///
/// Nothing for schedules without a size (barrier, none) and for all_to_all_v, whose counts only the
/// data says.
[[nodiscard]] std::optional<ModelledTime> modelled_time(const Schedule& schedule,
                                                        const ScheduleSize& size,
                                                        const MachineDescription& machine);

}  // namespace a2a3::models
