// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/observers/cause_log.hpp"

namespace a2a3::sim {

/// A stretch of the critical path: `use` is what held everything up from `from` to `to`.
struct PathSegment {
  std::uint32_t device = 0;
  std::uint32_t core = 0;
  Pipe pipe = Pipe::scalar;
  isa::SourceId source = 0;
  TimeUse use = TimeUse::scalar;
  Resource resource{};   ///< of bytes, or of a wait for others: where
  bool message = false;  ///< of a notify
  Picoseconds from = 0;
  Picoseconds to = 0;
};

/// The chain of causes that ends at `end`, when the given core finished, in the order of time. Its
/// segments follow each other without a gap from 0 on: they add up to `end`. A core that waits is
/// no cause; the path goes on where what it waited for was done, on another pipe, core or device.
/// Of what has to wait for its turn at a link, an egress, an uplink or a memory the path
/// goes on with the core's own transfer before it there; only the rest is a wait for others. The
/// time from one load or store to the next of its pipe is that of its bytes or of the issue.
/// When several things end at the same moment one of them is followed. The log must be complete.
[[nodiscard]] std::vector<PathSegment> critical_path(const CauseLog& log,
                                                     const CauseLog::CoreKey& last_core,
                                                     Picoseconds end);

}  // namespace a2a3::sim
