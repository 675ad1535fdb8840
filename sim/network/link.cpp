// SPDX-License-Identifier: Apache-2.0
#include "sim/network/link.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

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

/// The message that has its turn sends its next quantum.
void Link::take_turn(Turns& turns, Picoseconds at) {
  Sending& current = turns.queue[turns.current];
  if (!current.begun) current.slot.begin = at;
  current.begun = true;
  turns.quantum_end = at + std::min(current.quantum, current.remaining);
  turns.end = turns.quantum_end;
}

bool Link::end_turn(Turns& turns, Sending& left) {
  Sending& current = turns.queue[turns.current];
  current.remaining -= std::min(current.quantum, current.remaining);
  const bool gone = current.remaining == 0;
  bool place_is_kept = !gone;
  if (gone) {
    current.slot.leave = std::max(turns.quantum_end, current.source_end);
    left = current;
    const auto next = std::ranges::find(turns.waiting, left.mover, &Sending::mover);
    place_is_kept = next != turns.waiting.end();
    if (place_is_kept) {
      current = *next;
      turns.waiting.erase(next);
    } else {
      turns.queue.erase(turns.queue.begin() + static_cast<std::ptrdiff_t>(turns.current));
    }
  }
  if (place_is_kept) ++turns.current;
  if (turns.current == turns.queue.size()) turns.current = 0;
  if (!turns.queue.empty()) take_turn(turns, turns.end);
  return gone;
}

/// Ends whole rounds at once in which all send a full quantum and nobody leaves, as far as their
/// ends are before `until`.
void Link::skip_rounds(Turns& turns, Picoseconds until) {
  Picoseconds round = 0;
  Picoseconds rounds = std::numeric_limits<Picoseconds>::max();
  for (std::size_t i = 0; i < turns.queue.size(); ++i) {
    const Sending& one = turns.queue[i];
    if (!one.begun) return;
    round += one.quantum;
    // The turn that is under way after the last round is a full one too.
    const Picoseconds kept = std::min(i == turns.current ? one.quantum : 1, one.remaining);
    rounds = std::min(rounds, (one.remaining - kept) / one.quantum);
  }
  rounds = std::min(rounds, (until - 1 - turns.end) / round);
  if (rounds == 0) return;
  for (Sending& one : turns.queue)
    one.remaining -= rounds * one.quantum;
  turns.end += rounds * round;
  turns.quantum_end = turns.end;
}

/// Ends the current turn, and before it whole rounds that end before `until`; `turn` counts those
/// since that was tried. Returns the message if it has left.
bool Link::go_on(Turns& turns, std::size_t& turn, Picoseconds until, Sending& left) {
  if (turn % turns.queue.size() == 0) skip_rounds(turns, until);
  const bool gone = end_turn(turns, left);
  turn = gone ? 0 : turn + 1;
  return gone;
}

/// Ends all turns that are over before `now`. One that is over at `now` stays: what comes at the
/// same moment takes part in deciding who is next.
void Link::advance(Picoseconds now) {
  Sending left;
  for (std::size_t turn = 0; !turns_.queue.empty() && turns_.end < now;)
    if (go_on(turns_, turn, now, left) && !left.received) left_.push_back(left);
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
  if (behind) {
    turns_.waiting.push_back(sending);
    return sending.ticket;
  }
  const bool alone = turns_.queue.empty();
  turns_.queue.insert(turns_.queue.begin() + static_cast<std::ptrdiff_t>(turns_.current), sending);
  if (alone)
    take_turn(turns_, free);
  else
    ++turns_.current;
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
  for (std::size_t turn = 0; left.ticket != ticket;) {
    assert(!turns.queue.empty());
    go_on(turns, turn, std::numeric_limits<Picoseconds>::max(), left);
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
  assert(last_quantum == turns_.queue.begin() + static_cast<std::ptrdiff_t>(turns_.current));
  statistics_.payload_received_bytes += last_quantum->payload_bytes;
  last_quantum->received = true;
}

}  // namespace a2a3::sim
