// SPDX-License-Identifier: Apache-2.0
#include "sim/core/pipe_schedule.hpp"

namespace a2a3::sim {
namespace {

bool conflict(const isa::ByteRanges& a, const isa::ByteRanges& b) {
  const isa::ByteRange* const end_a = a.range.data() + a.count;
  const isa::ByteRange* const end_b = b.range.data() + b.count;
  for (const isa::ByteRange* i = a.range.data(); i != end_a; ++i)
    for (const isa::ByteRange* j = b.range.data(); j != end_b; ++j)
      // The cheapest test that tells most ranges apart first.
      if (i->begin < j->end && j->begin < i->end && i->conflicts_with(*j)) return true;
  return false;
}

}  // namespace

std::optional<Picoseconds> PipeSchedule::room(Pipe pipe) const {
  const Lane& queue = lane(pipe);
  if (queue.issued < queue_depth_) return 0;
  const std::uint64_t before = queue.issued - queue_depth_;
  if (before >= queue.started) return std::nullopt;
  return queue.begins[before & ring_mask_];
}

InFlight& PipeSchedule::issue(Pipe pipe, const isa::Operation& operation,
                              const models::InstructionTime& time, const Origin& origin,
                              Picoseconds issued) {
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
  slot.ranges = isa::operand_ranges(operation);
  slot.time = time;
  slot.issued = issued;
  slot.has_turn = false;
  order_.push_back(handle);
  Lane& queue = lane(pipe);
  queue.operations.push_back(handle);
  ++queue.issued;
  ++queued_;
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
  InFlight& slot = slots_[lane.operations[lane.next_start]];
  Picoseconds begin = std::max(slot.issued, lane.free);
  for (const Handle earlier : order_) {
    const InFlight& other = slots_[earlier];
    if (other.number >= slot.number) break;
    const bool complete = other.state == InFlight::State::complete;
    if (complete && other.end <= begin) continue;
    if (!conflict(slot.ranges, other.ranges)) continue;
    if (!complete) {
      lane.blocked_by = earlier;
      lane.blocked_by_number = other.number;
      return false;
    }
    begin = other.end;
  }
  if (slot.pipe == Pipe::scalar) {
    if (lane.next_start > lane.first) return false;
    begin = std::max(begin, lane.end);
  }
  slot.state = InFlight::State::started;
  slot.begin = begin;
  lane.blocked_by_number = kNone;
  lane.free = begin + slot.time.issue_ps;
  if (lane.begins.empty()) lane.begins.resize(ring_mask_ + 1);
  lane.begins[lane.started++ & ring_mask_] = begin;
  ++lane.next_start;
  --queued_;
  return true;
}

std::optional<PipeSchedule::Handle> PipeSchedule::start_next() {
  if (queued_ == 0) return std::nullopt;
  for (Lane& lane : lanes_) {
    if (lane.next_start == lane.operations.size() || still_blocked(lane)) continue;
    if (try_start(lane)) return lane.operations[lane.next_start - 1];
  }
  return std::nullopt;
}

void PipeSchedule::executed(Handle handle, Picoseconds end) {
  ++executed_;
  slots_[handle].state = InFlight::State::executed;
  slots_[handle].end = end;
}

const InFlight* PipeSchedule::complete_next() {
  constexpr std::size_t kCompactAt = 64;
  if (executed_ == 0) return nullptr;
  for (Lane& lane : lanes_) {
    if (lane.first == lane.next_start) continue;
    InFlight& slot = slots_[lane.operations[lane.first]];
    if (slot.state != InFlight::State::executed) continue;
    slot.state = InFlight::State::complete;
    --executed_;
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
