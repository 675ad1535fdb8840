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
  const bool message = segment.message;
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
    case Use::issue:
      return TimeGroup::issue;
    case Use::stream:
      return TimeGroup::stream;
    case Use::vector:
      return TimeGroup::vector;
    case Use::cube:
      return TimeGroup::cube;
    case Use::memory:
      return message ? TimeGroup::signal_flight : TimeGroup::memory;
    case Use::memory_wait:
      return message ? TimeGroup::signal_flight : TimeGroup::memory_wait;
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
      return message ? TimeGroup::signal_flight : TimeGroup::memory_wait;
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
    default:
      return 0;
  }
}

/// Of a link as the machine's file has it: on a switch that of the payload, which is not the same
/// for loads and stores.
double rate_of(const sim::LinkReport& link, sim::Pipe pipe) {
  if (link.rates.bytes_per_second > 0) return link.rates.bytes_per_second;
  return link.rates.rate(pipe == sim::Pipe::mte3 ? models::LinkUse::aiv_write
                                                 : models::LinkUse::aiv_read);
}

/// Which links the time on links went to.
void find_links(Bound& bound, const Explanation& explanation) {
  using Ends = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Ends, std::pair<sim::Picoseconds, double>> by_link;
  for (const PathPiece& piece : explanation.path) {
    if (piece.group != TimeGroup::link) continue;
    const auto link = std::ranges::find_if(explanation.links, [&](const sim::LinkReport& one) {
      return one.from == piece.resource.from && one.to == piece.resource.to;
    });
    auto& [time, rate] = by_link[{piece.resource.from, piece.resource.to}];
    time += piece.time();
    if (link != explanation.links.end()) rate = rate_of(*link, piece.pipe);
  }
  BoundLinks links;
  for (const auto& [ends, link] : by_link) {
    if (link.first <= links.time) continue;
    links = {ends.first, ends.second, link.first};
    bound.rate_bytes_per_second = link.second;
  }
  links.alike = std::ranges::all_of(
      by_link, [&](const auto& link) { return link.second.second == bound.rate_bytes_per_second; });
  bound.links = links;
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
  if (bound.group == TimeGroup::link) find_links(bound, explanation);
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
  static constexpr const char* kNames[kTimeGroups] = {"launch skew",
                                                      "scalar unit",
                                                      "barriers and flags",
                                                      "load/store startup",
                                                      "load/store issue",
                                                      "load/store pipe",
                                                      "vector pipe",
                                                      "cube pipes",
                                                      "memory",
                                                      "memory wait",
                                                      "link wait",
                                                      "link transfer",
                                                      "egress of a core",
                                                      "egress of a device",
                                                      "uplink",
                                                      "hop latency",
                                                      "signal: notify",
                                                      "signal: flight",
                                                      "signal: poll",
                                                      "signal: acquire",
                                                      "DMA engine",
                                                      "no task"};
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
    const PathPiece piece{segment.device,    segment.core,     segment.pipe, locate(segment.source),
                          group_of(segment), segment.resource, segment.from, segment.to};
    explanation.group_times[static_cast<std::size_t>(piece.group)] += piece.time();
    explanation.path.push_back(piece);
  }
  explanation.lines = shares_of_lines(explanation.path);
  explanation.bound = bound_of(explanation, machine);
  return explanation;
}

}  // namespace a2a3
