// SPDX-License-Identifier: Apache-2.0
#include "a2a3/collective_parts.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace a2a3 {
namespace {

/// The collective of one line so far, and what each rank did of it.
struct PartInWork {
  TrafficPart part;
  std::vector<std::uint64_t> calls;
  std::vector<std::int64_t> buffer_bytes;
  std::int64_t row_bytes = 0;  ///< of all_to_all_v: what one row of a count stands for
  bool is_counted = false;
  bool differs = false;  ///< calls have different sizes
};

models::ScheduleSize size_of(const interp::CollectiveShape& call,
                             const models::Schedule& schedule) {
  models::ScheduleSize size;
  size.ranks = call.ranks;
  size.rank = call.rank;
  size.element_bytes = isa::size_of(call.dtype);
  size.root = call.note.root;
  size.lanes = call.note.lanes;
  if (schedule.data == models::ScheduleData::none) return size;
  size.elements = 1;
  const bool in_slices = schedule.data == models::ScheduleData::slices;
  for (std::size_t d = in_slices ? 1 : 0; d < call.dims.size(); ++d)
    size.elements *= call.dims[d];
  if (in_slices) size.elements *= call.note.block_rows;
  if (call.note.is_rectangle) size.rows = std::max(std::int64_t{1}, call.dims[0]);
  return size;
}

models::ExpectedTraffic times(const models::ExpectedTraffic& once, std::uint64_t calls) {
  models::ExpectedTraffic all;
  const auto scale = [&](const std::optional<std::int64_t>& value) {
    return value ? std::optional(*value * static_cast<std::int64_t>(calls)) : std::nullopt;
  };
  all.received_bytes = scale(once.received_bytes);
  all.sent_bytes = scale(once.sent_bytes);
  all.local_bytes = scale(once.local_bytes);
  all.signals = scale(once.signals);
  all.clears = scale(once.clears);
  all.useful_bytes = scale(once.useful_bytes);
  return all;
}

PartInWork begin(const models::Schedule& schedule, std::uint32_t ranks,
                 const ir::SourceLocation& location) {
  PartInWork work;
  work.part.schedule = schedule.name;
  work.part.form = schedule.form;
  work.part.location = location;
  work.part.formula = schedule.formula();
  work.part.calls = 0;
  work.part.ranks.resize(ranks);
  // Ranks that never call it expect nothing.
  for (RankTraffic& rank : work.part.ranks)
    rank.expected = {0, 0, 0, 0, 0, 0};
  work.calls.resize(ranks);
  work.buffer_bytes.resize(ranks);
  return work;
}

void add(PartInWork& work, const models::Schedule& schedule, const interp::CollectiveShape& call,
         std::uint64_t calls) {
  const models::ScheduleSize size = size_of(call, schedule);
  work.part.ranks[call.device].expected += times(schedule.traffic(size), calls);
  work.calls[call.device] += calls;
  if (call.rank == 0) {
    const bool first = !work.part.size && !work.differs;
    work.differs = work.differs || (!first && work.part.size != size);
    work.part.size = work.differs ? std::nullopt : std::optional(size);
  }
  work.buffer_bytes[call.device] += static_cast<std::int64_t>(calls) * schedule.buffer_bytes(size);
  work.part.bus_factor = schedule.bus_factor(call.ranks);
  if (schedule.name == "all_to_all_v" && call.note.block_rows > 0) {
    work.is_counted = true;
    work.row_bytes = size.bytes() / call.note.block_rows;
  }
}

TrafficPart finish(PartInWork work, isa::SourceId source, const sim::SourceTraffic& traffic) {
  sim::Picoseconds begin = ~sim::Picoseconds{0};
  sim::Picoseconds end = 0;
  for (std::uint32_t r = 0; r < work.part.ranks.size(); ++r) {
    const auto& sources = traffic.sources(r);
    if (source >= sources.size()) continue;
    const sim::SourceTraffic::Entry& entry = sources[source];
    work.part.ranks[r].measured = entry.traffic;
    if (work.is_counted) {
      work.part.ranks[r].expected.useful_bytes = entry.set_values_received * work.row_bytes;
    }
    begin = std::min(begin, entry.begin);
    end = std::max(end, entry.end);
  }
  work.part.calls = std::ranges::max(work.calls);
  work.part.buffer_bytes = std::ranges::max(work.buffer_bytes);
  work.part.time = begin < end ? end - begin : 0;
  return std::move(work.part);
}

}  // namespace

std::vector<TrafficPart> collective_parts(const interp::CollectiveLog& log,
                                          const sim::SourceTraffic& traffic, std::uint32_t ranks,
                                          const Locate& locate) {
  std::map<isa::SourceId, PartInWork> by_source;
  for (const auto& [call, count] : log) {
    const auto form = call.note.form == ir::CollectiveNote::Form::host
                          ? models::ScheduleForm::host
                          : models::ScheduleForm::in_core;
    const models::Schedule* schedule = models::find_schedule(call.note.schedule, form);
    if (schedule == nullptr) throw std::logic_error("no closed form of " + call.note.schedule);
    auto found = by_source.find(call.source);
    if (found == by_source.end()) {
      found = by_source.emplace(call.source, begin(*schedule, ranks, locate(call.source))).first;
    }
    // Each lane of a call has logged it.
    add(found->second, *schedule, call, count / static_cast<std::uint64_t>(call.note.lanes));
  }
  std::vector<TrafficPart> parts;
  for (auto& [source, work] : by_source)
    parts.push_back(finish(std::move(work), source, traffic));
  std::ranges::stable_sort(parts, {}, [](const TrafficPart& part) {
    return std::pair(part.location.line, part.location.column);
  });
  return parts;
}

std::vector<sim::Traffic> other_traffic(const Cost& cost, const std::vector<TrafficPart>& parts) {
  std::vector<sim::Traffic> other;
  for (const RankCost& rank : cost.ranks)
    other.push_back(rank.traffic);
  for (const TrafficPart& part : parts) {
    for (std::size_t r = 0; r < other.size(); ++r)
      other[r] -= part.ranks[r].measured;
  }
  return other;
}

}  // namespace a2a3
