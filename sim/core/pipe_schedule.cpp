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

// Slots of many cores do not fit a processor's cache: copies touch no more of them than has a
// meaning. An assignment of the whole copies an operation as large as the largest one.
void assign(isa::Operation& to, const isa::Operation& from) {
  std::visit([&](const auto& operation) { to = operation; }, from);
}
void assign(isa::ByteRanges& to, const isa::ByteRanges& from) {
  std::copy_n(from.range.begin(), from.count, to.range.begin());
  to.count = from.count;
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
  assign(slot.operation, operation);
  slot.origin = origin;
  assign(slot.ranges, isa::operand_ranges(operation));
  slot.time = time;
  slot.issued = issued;
  slot.has_turn = false;
  slot.was_late = false;
  order_.push_back(handle);
  Lane& queue = lane(pipe);
  queue.operations.push_back(handle);
  ++queue.issued;
  queued_ |= bit(pipe);
  under_way_ |= bit(pipe);
  return slot;
}

/// Forgets what is over, and its flag seen, by the time the scalar unit has reached: nothing that
/// is issued from now on can start earlier.
void PipeSchedule::retire(Picoseconds issued) {
  std::erase_if(order_, [&](Handle handle) {
    InFlight& slot = slots_[handle];
    if (slot.state != InFlight::State::complete || slot.end + flag_ > issued) return false;
    slot.state = InFlight::State::free;
    free_.push_back(handle);
    return true;
  });
}

bool PipeSchedule::try_start(Lane& lane) {
  InFlight& slot = slots_[lane.operations[lane.next_start]];
  Picoseconds begin = std::max(slot.issued, lane.free);
  std::uint32_t cause = lane.free > slot.issued ? InFlight::kPipeFree : InFlight::kIssued;
  for (const Handle earlier : order_) {
    const InFlight& other = slots_[earlier];
    if (other.number >= slot.number) break;
    const bool complete = other.state == InFlight::State::complete;
    const Picoseconds seen = other.pipe == slot.pipe ? other.end : other.end + flag_;
    if (complete && seen <= begin) continue;
    if (!conflict(slot.ranges, other.ranges)) continue;
    if (!complete) {
      lane.blocked_by = earlier;
      lane.blocked_by_number = other.number;
      return false;
    }
    begin = seen;
    cause = InFlight::kAfter + static_cast<std::uint32_t>(other.number);
  }
  if (slot.pipe == Pipe::scalar) {
    if (lane.next_start > lane.first) return false;
    if (lane.end > begin) cause = InFlight::kPipeFree;
    begin = std::max(begin, lane.end);
  }
  slot.state = InFlight::State::started;
  slot.begin = begin;
  slot.cause = cause;
  lane.blocked_by_number = kNone;
  lane.free = begin + slot.time.issue_ps;
  if (lane.begins.empty()) lane.begins.resize(ring_mask_ + 1);
  lane.begins[lane.started++ & ring_mask_] = begin;
  if (++lane.next_start == lane.operations.size()) queued_ &= ~bit(slot.pipe);
  return true;
}

std::optional<PipeSchedule::Handle> PipeSchedule::start_next() {
  for (std::uint32_t rest = queued_; rest != 0; rest &= rest - 1) {
    Lane& lane = lanes_[static_cast<std::size_t>(std::countr_zero(rest))];
    if (!still_blocked(lane) && try_start(lane)) return lane.operations[lane.next_start - 1];
  }
  return std::nullopt;
}

void PipeSchedule::executed(Handle handle, Picoseconds end) {
  InFlight& slot = slots_[handle];
  slot.state = InFlight::State::executed;
  slot.end = end;
  executed_ |= bit(slot.pipe);
}

const InFlight* PipeSchedule::complete_next() {
  constexpr std::size_t kCompactAt = 64;
  for (; executed_ != 0; executed_ &= executed_ - 1) {
    Lane& lane = lanes_[static_cast<std::size_t>(std::countr_zero(executed_))];
    if (lane.first == lane.operations.size()) continue;
    InFlight& slot = slots_[lane.operations[lane.first]];
    if (slot.state != InFlight::State::executed) continue;
    slot.state = InFlight::State::complete;
    slot.end = std::max(slot.end, lane.end);
    lane.end = slot.end;
    if (slot.pipe != Pipe::scalar) pipes_end_ = std::max(pipes_end_, slot.end);
    ++lane.first;
    if (lane.first == lane.operations.size()) under_way_ &= ~bit(slot.pipe);
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
  const std::uint32_t counting = with_signals ? under_way_ : under_way_ & ~bit(Pipe::scalar);
  if (counting != 0) return std::nullopt;
  return with_signals ? std::max(pipes_end_, lane(Pipe::scalar).end) : pipes_end_;
}

}  // namespace a2a3::sim
