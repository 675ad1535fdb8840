// SPDX-License-Identifier: Apache-2.0
#include "sim/core/pipe_schedule.hpp"

namespace a2a3::sim {
namespace {

bool conflict(const isa::ByteRanges& a, const isa::ByteRanges& b) {
  for (int i = 0; i < a.count; ++i)
    for (int j = 0; j < b.count; ++j)
      if (a.range[static_cast<std::size_t>(i)].conflicts_with(b.range[static_cast<std::size_t>(j)]))
        return true;
  return false;
}

}  // namespace

std::optional<Picoseconds> PipeSchedule::room(Pipe pipe) const {
  const Lane& queue = lane(pipe);
  if (queue.issued < queue_depth_) return 0;
  const std::uint64_t before = queue.issued - queue_depth_;
  if (before >= queue.started) return std::nullopt;
  return queue.begins[before % queue_depth_];
}

InFlight& PipeSchedule::issue(Pipe pipe, const isa::Operation& operation,
                              const isa::ByteRanges& ranges, const models::InstructionTime& time,
                              const Origin& origin, Picoseconds issued) {
  retire(issued);
  if (free_.empty()) {
    free_.push_back(static_cast<Handle>(slots_.size()));
    slots_.emplace_back();
  }
  const Handle handle = free_.back();
  free_.pop_back();
  InFlight& slot = slots_[handle];
  slot.state = InFlight::State::queued;
  slot.pipe = pipe;
  slot.number = issued_++;
  slot.operation = operation;
  slot.origin = origin;
  slot.ranges = ranges;
  slot.time = time;
  slot.issued = issued;
  order_.push_back(handle);
  Lane& queue = lane(pipe);
  queue.operations.push_back(handle);
  ++queue.issued;
  return slot;
}

/// Forgets what is over by the time the scalar unit has reached: nothing that is issued from now on
/// can start earlier.
void PipeSchedule::retire(Picoseconds issued) {
  std::erase_if(order_, [&](Handle handle) {
    InFlight& slot = slots_[handle];
    if (slot.state != InFlight::State::complete || slot.end > issued) return false;
    slot.state = InFlight::State::free;
    free_.push_back(handle);
    return true;
  });
}

bool PipeSchedule::try_start(Lane& lane) {
  const Handle handle = lane.operations[lane.next_start];
  InFlight& slot = slots_[handle];
  Picoseconds begin = std::max(slot.issued, lane.free);
  for (const Handle earlier : order_) {
    const InFlight& other = slots_[earlier];
    if (other.number >= slot.number) break;
    if (!conflict(slot.ranges, other.ranges)) continue;
    if (other.state != InFlight::State::complete) return false;
    begin = std::max(begin, other.end);
  }
  if (slot.pipe == Pipe::scalar) {
    if (lane.next_start > lane.first) return false;
    begin = std::max(begin, lane.end);
  }
  slot.state = InFlight::State::started;
  slot.begin = begin;
  lane.free = begin + slot.time.issue_ps;
  if (lane.begins.empty()) lane.begins.resize(queue_depth_);
  lane.begins[lane.started++ % queue_depth_] = begin;
  ++lane.next_start;
  return true;
}

std::optional<PipeSchedule::Handle> PipeSchedule::start_next() {
  for (Lane& lane : lanes_) {
    if (lane.next_start == lane.operations.size()) continue;
    const Handle handle = lane.operations[lane.next_start];
    if (try_start(lane)) return handle;
  }
  return std::nullopt;
}

void PipeSchedule::executed(Handle handle, Picoseconds end) {
  slots_[handle].state = InFlight::State::executed;
  slots_[handle].end = end;
}

const InFlight* PipeSchedule::complete_next() {
  constexpr std::size_t kCompactAt = 64;
  for (Lane& lane : lanes_) {
    if (lane.first == lane.next_start) continue;
    InFlight& slot = slots_[lane.operations[lane.first]];
    if (slot.state != InFlight::State::executed) continue;
    slot.state = InFlight::State::complete;
    slot.end = std::max(slot.end, lane.end);
    lane.end = slot.end;
    ++lane.first;
    if (lane.first == lane.operations.size() || lane.first == kCompactAt) {
      lane.operations.erase(lane.operations.begin(),
                            lane.operations.begin() + static_cast<std::ptrdiff_t>(lane.first));
      lane.next_start -= lane.first;
      lane.first = 0;
    }
    return &slot;
  }
  return nullptr;
}

std::optional<Picoseconds> PipeSchedule::clear_of(const isa::ByteRanges& ranges) const {
  Picoseconds time = 0;
  for (const Handle handle : order_) {
    const InFlight& slot = slots_[handle];
    if (!conflict(ranges, slot.ranges)) continue;
    if (slot.state != InFlight::State::complete) return std::nullopt;
    time = std::max(time, slot.end);
  }
  return time;
}

std::optional<Picoseconds> PipeSchedule::drained(bool with_signals) const {
  Picoseconds time = 0;
  for (const Lane& lane : lanes_) {
    if (&lane == &lanes_[static_cast<std::size_t>(Pipe::scalar)] && !with_signals) continue;
    if (lane.first != lane.operations.size()) return std::nullopt;
    time = std::max(time, lane.end);
  }
  return time;
}

}  // namespace a2a3::sim
