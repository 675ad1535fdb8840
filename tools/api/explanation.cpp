// SPDX-License-Identifier: Apache-2.0
#include "a2a3/explanation.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace a2a3 {
namespace {

TimeGroup group_of(const sim::PathSegment& segment) {
  using Use = sim::TimeUse;
  const bool message = segment.pipe == sim::Pipe::scalar;
  switch (segment.use) {
    case Use::launch_skew:
      return TimeGroup::launch_skew;
    case Use::scalar:
      return TimeGroup::scalar;
    case Use::barrier:
    case Use::flag:
      return TimeGroup::barriers;
    case Use::startup:
      return TimeGroup::startup;
    case Use::stream:
      return TimeGroup::stream;
    case Use::vector:
      return TimeGroup::vector;
    case Use::cube:
      return TimeGroup::cube;
    case Use::memory:
      return message ? TimeGroup::signal_flight : TimeGroup::memory;
    case Use::link_wait:
      return message ? TimeGroup::signal_flight : TimeGroup::link_wait;
    case Use::link:
      return message ? TimeGroup::signal_flight : TimeGroup::link;
    case Use::core_egress:
      return TimeGroup::core_egress;
    case Use::device_egress:
      return TimeGroup::device_egress;
    case Use::uplink:
      return message ? TimeGroup::signal_flight : TimeGroup::uplink;
    case Use::hop:
      return message ? TimeGroup::signal_flight : TimeGroup::hop;
    case Use::atomic_turn:
      return TimeGroup::signal_flight;
    case Use::notify:
      return TimeGroup::notify;
    case Use::poll:
      return TimeGroup::poll;
    case Use::acquire:
      return TimeGroup::acquire;
    case Use::dma:
      return TimeGroup::dma;
    case Use::idle:
      return TimeGroup::idle;
  }
  return TimeGroup::idle;
}

/// The rate of what a group stands for, where it is one figure of the machine; 0 otherwise.
double rate_of(TimeGroup group, const models::MachineDescription& machine) {
  switch (group) {
    case TimeGroup::core_egress:
      return machine.link.aiv_egress_bytes_per_second;
    case TimeGroup::device_egress:
      return machine.link.device_egress_bytes_per_second;
    case TimeGroup::uplink:
      return machine.switched.uplink_bytes_per_second;
    case TimeGroup::link:
      return machine.topology == models::Topology::switched ? 0 : machine.link.bytes_per_second;
    default:
      return 0;
  }
}

using Times = std::vector<sim::Picoseconds>;  ///< by TimeGroup

TimeGroup longest(const Times& times) {
  return static_cast<TimeGroup>(std::ranges::max_element(times) - times.begin());
}

using LineKey = std::pair<const ir::SourceFile*, std::uint32_t>;
LineKey line_key(const ir::SourceLocation& location) {
  return {location.file, static_cast<std::uint32_t>(location.line)};
}

std::vector<LineShare> shares_of_lines(const std::vector<PathPiece>& path) {
  std::map<LineKey, std::pair<ir::SourceLocation, Times>> by_line;
  for (const PathPiece& piece : path) {
    auto& [location, times] = by_line[line_key(piece.location)];
    if (times.empty()) {
      location = piece.location;
      times.resize(kTimeGroups);
    }
    times[static_cast<std::size_t>(piece.group)] += piece.time();
  }
  std::vector<LineShare> lines;
  for (const auto& [key, line] : by_line) {
    sim::Picoseconds sum = 0;
    for (const sim::Picoseconds time : line.second)
      sum += time;
    lines.push_back({line.first, sum, longest(line.second)});
  }
  std::ranges::sort(lines, [](const LineShare& a, const LineShare& b) {
    return std::tuple(b.time, a.location.line) < std::tuple(a.time, b.location.line);
  });
  return lines;
}

/// The group that most time went to, and where.
Bound bound_of(const Explanation& explanation, const models::MachineDescription& machine) {
  Bound bound;
  bound.group = longest(explanation.group_times);
  bound.time = explanation.group_times[static_cast<std::size_t>(bound.group)];
  Times signals(kTimeGroups);
  sim::Picoseconds signal_time = 0;
  for (const TimeGroup group :
       {TimeGroup::notify, TimeGroup::signal_flight, TimeGroup::poll, TimeGroup::acquire}) {
    const auto index = static_cast<std::size_t>(group);
    signals[index] = explanation.group_times[index];
    signal_time += signals[index];
  }
  if (signal_time >= bound.time) {
    bound.signals = true;
    bound.group = longest(signals);
    bound.time = signal_time;
  }
  bound.rate_bytes_per_second = rate_of(bound.group, machine);
  std::map<std::pair<LineKey, sim::Pipe>, sim::Picoseconds> by_place;
  for (const PathPiece& piece : explanation.path) {
    const bool counts = bound.signals ? signals[static_cast<std::size_t>(piece.group)] > 0
                                      : piece.group == bound.group;
    if (!counts) continue;
    sim::Picoseconds& sum = by_place[{line_key(piece.location), piece.pipe}];
    sum += piece.time();
    if (sum <= bound.line_time) continue;
    bound.line_time = sum;
    bound.location = piece.location;
    bound.pipe = piece.pipe;
  }
  return bound;
}

}  // namespace

const char* name(TimeGroup group) {
  static constexpr const char* kNames[kTimeGroups] = {
      "launch skew",     "scalar unit",     "barriers and flags", "load/store startup",
      "load/store pipe", "vector pipe",     "cube pipes",         "memory",
      "link wait",       "link transfer",   "egress of a core",   "egress of a device",
      "uplink",          "hop latency",     "signal: notify",     "signal: flight",
      "signal: poll",    "signal: acquire", "DMA engine",         "no task"};
  return kNames[static_cast<std::size_t>(group)];
}

Explanation explain(const sim::CauseLog& log, const sim::CauseLog::CoreKey& last_core,
                    sim::Picoseconds end, std::vector<sim::LinkReport> links,
                    const models::MachineDescription& machine, const Locate& locate) {
  Explanation explanation;
  explanation.links = std::move(links);
  std::ranges::stable_sort(explanation.links, std::ranges::greater{}, &sim::LinkReport::busy);
  explanation.complete = log.complete();
  if (!explanation.complete) return explanation;
  explanation.group_times.resize(kTimeGroups);
  for (const sim::PathSegment& segment : sim::critical_path(log, last_core, end)) {
    const PathPiece piece{segment.device,    segment.core, segment.pipe, locate(segment.source),
                          group_of(segment), segment.from, segment.to};
    explanation.group_times[static_cast<std::size_t>(piece.group)] += piece.time();
    explanation.path.push_back(piece);
  }
  explanation.lines = shares_of_lines(explanation.path);
  explanation.bound = bound_of(explanation, machine);
  return explanation;
}

}  // namespace a2a3
