// SPDX-License-Identifier: Apache-2.0
#include "sim/core/sdma.hpp"

#include <algorithm>
#include <exception>

#include "isa/memory.hpp"
#include "sim/time.hpp"

namespace a2a3::sim {

Sdma::Sdma(const sc_core::sc_module_name& name, const models::SdmaParameters& params,
           const Probe& probe, RunControl& control)
    : sc_module(name),
      gm("gm"),
      links("links"),
      params_(params),
      startup_(to_picoseconds(params.startup_seconds)),
      probe_(probe),
      control_(control),
      port_(gm, probe) {
  SC_HAS_PROCESS(Sdma);
  SC_METHOD(turn);
  sensitive << agenda_.wake;
  dont_initialize();
}

void Sdma::request(const SdmaRequest& request) {
  const auto free = std::find_if(streams_.begin(), streams_.end(),
                                 [](const Stream& stream) { return !stream.busy; });
  const auto number = static_cast<std::uint32_t>(free - streams_.begin());
  if (free == streams_.end()) {
    if (number == params_.streams) return waiting_.push_back(request);
    streams_.emplace_back();
  }
  start(number, request);
  agenda_.arm();
}

void Sdma::start(std::uint32_t number, const SdmaRequest& request) {
  Stream& stream = streams_[number];
  stream = {.request = request, .busy = true};
  if (const auto* put = std::get_if<isa::TPutAsync>(&request.operation)) {
    stream.put = true;
    stream.own = put->src.base.device;
    stream.peer = put->dst.base.device;
    stream.bytes = static_cast<std::uint64_t>(put->src.payload_bytes());
    stream.event = put->event;
  } else {
    const auto& get = std::get<isa::TGetAsync>(request.operation);
    stream.own = get.dst.base.device;
    stream.peer = get.src.base.device;
    stream.bytes = static_cast<std::uint64_t>(get.src.payload_bytes());
    stream.event = get.event;
  }
  const Picoseconds overhead = stream.remote() ? links->dma_overhead(stream.own, stream.peer) : 0;
  agenda_.add(sc_core::sc_time_stamp().value() + startup_ + overhead, Step::begin, number);
}

void Sdma::turn() {
  if (control_.stopped) return;
  try {
    const Picoseconds now = sc_core::sc_time_stamp().value();
    while (const auto entry = agenda_.take(now))
      happen(*entry, now);
    agenda_.arm();
  } catch (...) {
    control_.internal_fault = std::current_exception();
    control_.stopped = true;
  }
}

void Sdma::happen(const Agenda::Entry& entry, Picoseconds now) {
  switch (entry.kind) {
    case Step::begin:
      return begin(entry.operation, now);
    case Step::answer:
      return answer(entry.operation, now);
    case Step::depart:
      return depart(entry.operation, now);
    case Step::land:
      return land(entry.operation, now);
    case Step::finish:
      return finish(entry.operation, now);
  }
}

std::uint64_t Sdma::burst_bytes(std::uint64_t rest) const {
  return std::min(params_.burst_bytes, rest);
}

Picoseconds Sdma::stream_time(std::uint64_t bytes) const {
  return to_picoseconds(static_cast<double>(bytes) / params_.stream_bytes_per_second);
}

/// The startup is over.
void Sdma::begin(std::uint32_t number, Picoseconds now) {
  Stream& stream = streams_[number];
  stream.first_byte = now;
  if (!stream.remote() || stream.bytes == 0)
    return agenda_.add(now + stream_time(stream.bytes), Step::finish, number);
  if (stream.put) return next_burst(number, now);
  const Transit transit = links->send({.kind = LinkTransfer::Kind::read_request,
                                       .mover = models::Mover::dma,
                                       .from = stream.own,
                                       .to = stream.peer,
                                       .ready = now},
                                      stream.request.origin);
  stream.transits.push_back(transit.id);
  agenda_.add(transit.look, Step::answer, number);
}

/// Whether the first of the stream's messages has arrived. If not, it is looked at again.
bool Sdma::arrived(std::uint32_t number, Step kind, Picoseconds now) {
  std::deque<std::uint32_t>& transits = streams_[number].transits;
  const Progress progress = links->follow(transits.front(), now);
  if (progress.arrived)
    transits.pop_front();
  else
    agenda_.add(progress.time, kind, number);
  return progress.arrived;
}

/// The read request may be at the peer.
void Sdma::answer(std::uint32_t number, Picoseconds now) {
  if (!arrived(number, Step::answer, now)) return;
  streams_[number].first_byte = now;
  next_burst(number, now);
}

/// Brings up the next burst, the one before having been there at `now`.
void Sdma::next_burst(std::uint32_t number, Picoseconds now) {
  Stream& stream = streams_[number];
  stream.ready = now + stream_time(burst_bytes(stream.bytes - stream.sent_bytes));
  stream.held_up = stream.transits.size() == params_.window_bursts;
  if (!stream.held_up) agenda_.add(stream.ready, Step::depart, number);
}

/// A burst is there and can have the link.
void Sdma::depart(std::uint32_t number, Picoseconds now) {
  Stream& stream = streams_[number];
  const std::uint64_t bytes = burst_bytes(stream.bytes - stream.sent_bytes);
  const Transit transit =
      links->send({.kind = stream.put ? LinkTransfer::Kind::write : LinkTransfer::Kind::read_reply,
                   .mover = models::Mover::dma,
                   .from = stream.from(),
                   .to = stream.to(),
                   .payload_bytes = bytes,
                   .ready = now},
                  stream.request.origin);
  stream.sent_bytes += bytes;
  stream.transits.push_back(transit.id);
  agenda_.add(transit.look, Step::land, number);
  if (stream.sent_bytes < stream.bytes) next_burst(number, now);
}

/// The first of the bursts that are under way may have landed.
void Sdma::land(std::uint32_t number, Picoseconds now) {
  if (!arrived(number, Step::land, now)) return;
  Stream& stream = streams_[number];
  const std::uint64_t bytes = burst_bytes(stream.bytes - stream.landed_bytes);
  stream.landed_bytes += bytes;
  if (stream.landed_bytes == stream.bytes) return finish(number, now);
  if (!stream.held_up) return;
  stream.held_up = false;
  agenda_.add(std::max(stream.ready, now), Step::depart, number);
}

/// All bytes have landed: memory changes, and the stream is free for another request.
void Sdma::finish(std::uint32_t number, Picoseconds now) {
  const Stream stream = streams_[number];
  port_.begin({.origin = stream.request.origin,
               .now = now,
               .streamed = now - stream.first_byte,
               .without_data = !control_.moves_data});
  isa::execute(stream.request.operation, {}, port_);
  if (probe_.active() && !stream.remote())
    probe_.report(LocalTransfer{stream.request.origin, stream.bytes});
  const Picoseconds acknowledged =
      stream.put && stream.remote() ? links->latency(stream.peer, stream.own) : 0;
  const Picoseconds end = now + port_.delay() + acknowledged;
  if (auto* causes = probe_.causes())
    causes->on_async_transfer_ended({stream.request.origin, stream.request.asked, end});
  stream.request.client->transfer_complete(stream.event, end);
  streams_[number].busy = false;
  if (waiting_.empty()) return;
  const SdmaRequest next = waiting_.front();
  waiting_.pop_front();
  start(number, next);
}

}  // namespace a2a3::sim
