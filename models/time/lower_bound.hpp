// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "models/machine_description.hpp"
#include "models/traffic/schedule.hpp"

namespace a2a3::models {

/// What no schedule of a collective can beat on a machine, in seconds, with all cores, both
/// directions of every link and the DMA engine in use at once.
struct LowerBound {
  double bandwidth = 0;  ///< bytes that ranks must take in, or give away, over all their links
  double latency = 0;    ///< what a rank needs from others passes at least one link
  double memory = 0;     ///< every rank reads its input and writes its result

  [[nodiscard]] double seconds() const;
  /// "bandwidth", "latency" or "memory": the largest.
  [[nodiscard]] std::string_view binding() const;
};

/// Bandwidth, N: bytes of one rank's data, S: of one of its P slices, q = P - 1:
///     allreduce       2 q / P N on average, at least N     broadcast  N; q N in all, N of the root
///     allgather, all_to_all  q S                           reduce_scatter  q S on average, at
///     least S
/// The average is of the bytes that all ranks take in together: q transfers combine an element, q
/// more spread it. Source: Chan, Heimlich, Purkayastha, van de Geijn, "Collective communication:
/// theory, practice, and experience" (2007), table of lower bounds, with the links of a rank in
/// place of its one port.
///
/// Nothing where modelled_time() has nothing.
[[nodiscard]] std::optional<LowerBound> lower_bound(const Schedule& schedule,
                                                    const ScheduleSize& size,
                                                    const MachineDescription& machine);

}  // namespace a2a3::models
