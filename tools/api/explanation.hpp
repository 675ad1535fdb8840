// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "a2a3/cost_observers.hpp"
#include "ir/diagnostic.hpp"
#include "models/machine_description.hpp"
#include "sim/machine.hpp"
#include "sim/observers/critical_path.hpp"

namespace a2a3 {

/// What a piece of the critical path belongs to: a sim::TimeUse, those of a notify's message
/// together.
enum class TimeGroup : std::uint8_t {
  launch_skew,
  scalar,
  barriers,  ///< full barriers, and flags between pipes
  startup,   ///< of loads and stores
  issue,     ///< from one to the next of its pipe, when the bytes take less
  stream,    ///< loads and stores at the rate of their pipe
  vector,
  cube,
  memory,
  memory_wait,
  link_wait,
  link,
  core_egress,
  device_egress,
  uplink,
  hop,
  notify,
  signal_flight,
  poll,
  acquire,
  dma,
  idle,
};
inline constexpr int kTimeGroups = 22;

/// The name of a group in words, for example "link wait".
[[nodiscard]] const char* name(TimeGroup group);

struct PathPiece {
  std::uint32_t rank = 0;
  std::uint32_t core = 0;
  sim::Pipe pipe = sim::Pipe::scalar;
  ir::SourceLocation location;
  TimeGroup group = TimeGroup::scalar;
  sim::Resource resource{};  ///< of bytes, or of a wait for others: where
  sim::Picoseconds from = 0;
  sim::Picoseconds to = 0;

  [[nodiscard]] sim::Picoseconds time() const { return to - from; }
};

/// The time of one key, and of what it mostly is.
struct LineShare {
  ir::SourceLocation location;
  sim::Picoseconds time = 0;
  TimeGroup mostly = TimeGroup::scalar;
};

/// The links that the bytes of a run were bound by.
struct BoundLinks {
  std::uint32_t from = 0;  ///< ends of the one with most of the time, as in sim::LinkReport
  std::uint32_t to = 0;
  sim::Picoseconds time = 0;  ///< on the path
  bool alike = true;          ///< they all have the same rate
};

/// What a run was bound by.
struct Bound {
  TimeGroup group = TimeGroup::scalar;  ///< with `signals`, the longest of theirs
  bool signals = false;                 ///< the groups of signals together are more than any other
  sim::Picoseconds time = 0;            ///< of the group, or of all of signals
  double rate_bytes_per_second = 0;     ///< of the resource; 0 when it is not a rate
  std::optional<BoundLinks> links;      ///< TimeGroup::link only
  sim::Pipe pipe = sim::Pipe::scalar;   ///< of most of it
  ir::SourceLocation location;          ///< of the line with most of it...
  sim::Picoseconds line_time = 0;       ///< ...and how much
};

/// Where the time of a run went: the chain of causes that ends with the last core. Its pieces add
/// up to the run's time.
struct Explanation {
  bool complete = false;  ///< false, and no path: more records than Limits::max_explain_records
  std::vector<PathPiece> path;                ///< in the order of time
  std::vector<sim::Picoseconds> group_times;  ///< by TimeGroup
  std::vector<LineShare> lines;               ///< longest first
  std::vector<sim::LinkReport> links;         ///< busiest first
  Bound bound;
};

/// Of a run that finished at `end` on this core.
[[nodiscard]] Explanation explain(const sim::CauseLog& log, const sim::CauseLog::CoreKey& last_core,
                                  sim::Picoseconds end, std::vector<sim::LinkReport> links,
                                  const models::MachineDescription& machine, const Locate& locate);

}  // namespace a2a3
