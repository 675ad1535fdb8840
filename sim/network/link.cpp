// SPDX-License-Identifier: Apache-2.0
#include "sim/network/link.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace a2a3::sim {

LinkStatistics& LinkStatistics::operator+=(const LinkStatistics& other) {
  payload_sent_bytes += other.payload_sent_bytes;
  payload_received_bytes += other.payload_received_bytes;
  header_bytes += other.header_bytes;
  messages_sent += other.messages_sent;
  messages_received += other.messages_received;
  busy += other.busy;
  peak_queue = std::max(peak_queue, other.peak_queue);
  return *this;
}

/// The first message of the queue sends its next quantum.
void Link::take_turn(Turns& turns, Picoseconds at) {
  Sending& first = turns.queue.front();
  if (!first.begun) first.slot.begin = at;
  first.begun = true;
  turns.quantum_end = at + std::min(first.quantum, first.remaining);
  turns.end = turns.quantum_end;
}

bool Link::end_turn(Turns& turns, Sending& left) {
  Sending first = turns.queue.front();
  first.remaining -= std::min(first.quantum, first.remaining);
  turns.queue.erase(turns.queue.begin());
  const bool gone = first.remaining == 0;
  if (gone) {
    first.slot.leave = std::max(turns.quantum_end, first.source_end);
    left = first;
    const auto next = std::ranges::find(turns.waiting, first.mover, &Sending::mover);
    if (next != turns.waiting.end()) {
      turns.queue.push_back(*next);
      turns.waiting.erase(next);
    }
  } else {
    turns.queue.push_back(first);
  }
  if (!turns.queue.empty()) take_turn(turns, turns.end);
  return gone;
}

/// Lets the message, which is alone, send all its quanta in this turn.
void Link::go_through(Turns& turns) {
  Sending& only = turns.queue.front();
  const Picoseconds rest = only.remaining - std::min(only.quantum, only.remaining);
  only.remaining -= rest;
  turns.end += rest;
  if (rest > 0) turns.quantum_end = turns.end;
}

/// Ends all turns that are over before `now`. One that is over at `now` stays: what comes at the
/// same moment takes part in deciding who is next.
void Link::advance(Picoseconds now) {
  Sending left;
  while (!turns_.queue.empty() && turns_.end < now) {
    if (turns_.queue.size() == 1) {
      // Alone: whole quanta at once.
      Sending& only = turns_.queue.front();
      const Picoseconds rest = only.remaining - std::min(only.quantum, only.remaining);
      const Picoseconds whole = std::min(rest, now - turns_.end - 1) / only.quantum * only.quantum;
      only.remaining -= whole;
      turns_.end += whole;
      if (whole > 0) turns_.quantum_end = turns_.end;
    }
    if (end_turn(turns_, left) && !left.received) left_.push_back(left);
  }
}

Link::Ticket Link::send(const LinkMessage& message) {
  advance(message.ready);
  statistics_.payload_sent_bytes += message.payload_bytes;
  statistics_.header_bytes += message.header_bytes;
  ++statistics_.messages_sent;
  statistics_.busy += message.wire_time;

  Sending sending;
  sending.ticket = ++tickets_;
  sending.mover = message.mover;
  sending.payload_bytes = message.payload_bytes;
  sending.source_end = message.source_end;
  const Picoseconds free = std::max(turns_.end, message.ready);
  const std::size_t packets = turns_.queue.empty() && turns_.end > message.ready ? 1 : 0;
  statistics_.peak_queue = std::max<std::uint64_t>(
      statistics_.peak_queue, turns_.queue.size() + turns_.waiting.size() + packets + 1);
  if (message.payload_bytes <= arbitration_.packet_payload_bytes) {
    turns_.end = free + message.wire_time;
    sending.slot = {free, std::max(turns_.end, message.source_end)};
    left_.push_back(sending);
    return sending.ticket;
  }
  const double quanta =
      static_cast<double>(message.payload_bytes) / static_cast<double>(arbitration_.quantum_bytes);
  const double quantum = static_cast<double>(message.wire_time) / std::max(quanta, 1.0);
  sending.quantum = std::max<Picoseconds>(std::llround(quantum), 1);
  sending.remaining = message.wire_time;
  const bool behind =
      std::ranges::find(turns_.queue, message.mover, &Sending::mover) != turns_.queue.end();
  (behind ? turns_.waiting : turns_.queue).push_back(sending);
  if (behind) return sending.ticket;
  if (turns_.queue.size() == 1) take_turn(turns_, free);
  return sending.ticket;
}

LinkSlot Link::look(Ticket ticket, Picoseconds now) {
  advance(now);
  for (const Sending& message : left_)
    if (message.ticket == ticket) return message.slot;
  return foresee(ticket);
}

/// The times of a message in the queue if nothing else came.
LinkSlot Link::foresee(Ticket ticket) const {
  if (turns_.queue.size() == 1 && turns_.queue.front().ticket == ticket) {
    const Sending& only = turns_.queue.front();
    const Picoseconds rest = only.remaining - std::min(only.quantum, only.remaining);
    const Picoseconds end = rest == 0 ? turns_.quantum_end : turns_.end + rest;
    return {only.slot.begin, std::max(end, only.source_end)};
  }
  Turns turns = turns_;
  Sending left;
  while (left.ticket != ticket) {
    assert(!turns.queue.empty());
    if (turns.queue.size() == 1) go_through(turns);
    end_turn(turns, left);
  }
  return left.slot;
}

void Link::receive(Ticket ticket) {
  const auto is_it = [ticket](const Sending& message) { return message.ticket == ticket; };
  ++statistics_.messages_received;
  const auto gone = std::ranges::find_if(left_, is_it);
  if (gone != left_.end()) {
    statistics_.payload_received_bytes += gone->payload_bytes;
    left_.erase(gone);
    return;
  }
  const auto last_quantum = std::ranges::find_if(turns_.queue, is_it);
  assert(last_quantum == turns_.queue.begin());
  statistics_.payload_received_bytes += last_quantum->payload_bytes;
  last_quantum->received = true;
}

}  // namespace a2a3::sim
