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
  agenda_.add(sc_core::sc_time_stamp().value() + startup_, Agenda::Kind::start, number);
}

void Sdma::turn() {
  if (control_.stopped) return;
  try {
    const Picoseconds now = sc_core::sc_time_stamp().value();
    while (const auto entry = agenda_.take(now)) {
      if (entry->kind == Agenda::Kind::start)
        begin(entry->operation, now);
      else if (entry->kind == Agenda::Kind::depart)
        depart(entry->operation, now);
      else
        land(entry->operation, now);
    }
    agenda_.arm();
  } catch (...) {
    control_.internal_fault = std::current_exception();
    control_.stopped = true;
  }
}

std::uint64_t Sdma::burst_bytes(const Stream& stream) const {
  return std::min(params_.burst_bytes, stream.bytes - stream.sent_bytes);
}

Picoseconds Sdma::stream_time(std::uint64_t bytes) const {
  return to_picoseconds(static_cast<double>(bytes) / params_.stream_bytes_per_second);
}

/// The startup is over.
void Sdma::begin(std::uint32_t number, Picoseconds now) {
  Stream& stream = streams_[number];
  stream.first_byte = now;
  if (!stream.remote() || stream.bytes == 0)
    return agenda_.add(now + stream_time(stream.bytes), Agenda::Kind::memory, number);
  if (!stream.put)
    stream.first_byte = links
                            ->send({.kind = LinkTransfer::Kind::read_request,
                                    .from = stream.own,
                                    .to = stream.peer,
                                    .ready = now},
                                   stream.request.origin)
                            .arrival;
  agenda_.add(stream.first_byte + stream_time(burst_bytes(stream)), Agenda::Kind::depart, number);
}

/// A burst is there and can have the link.
void Sdma::depart(std::uint32_t number, Picoseconds now) {
  Stream& stream = streams_[number];
  const std::uint64_t bytes = burst_bytes(stream);
  const std::uint32_t from = stream.put ? stream.own : stream.peer;
  const std::uint32_t to = stream.put ? stream.peer : stream.own;
  const Flight flight = links->send(
      {.kind = stream.put ? LinkTransfer::Kind::dma_write : LinkTransfer::Kind::read_reply,
       .from = from,
       .to = to,
       .payload_bytes = bytes,
       .ready = now},
      stream.request.origin);
  stream.sent_bytes += bytes;
  if (stream.sent_bytes == stream.bytes)
    return agenda_.add(flight.arrival, Agenda::Kind::memory, number);
  const Picoseconds left = flight.arrival - links->latency(from, to);
  agenda_.add(std::max(now + stream_time(burst_bytes(stream)), left), Agenda::Kind::depart, number);
}

/// The last burst has landed: memory changes, and the stream is free for another request.
void Sdma::land(std::uint32_t number, Picoseconds now) {
  const Stream stream = streams_[number];
  take_messages(stream);
  port_.begin({.origin = stream.request.origin, .now = now, .streamed = now - stream.first_byte});
  isa::execute(stream.request.operation, {}, port_);
  if (probe_.active() && !stream.remote())
    probe_.report(LocalTransfer{stream.request.origin, stream.bytes});
  const Picoseconds acknowledged =
      stream.put && stream.remote() ? links->latency(stream.peer, stream.own) : 0;
  stream.request.client->transfer_complete(stream.event, now + port_.delay() + acknowledged);
  streams_[number].busy = false;
  if (waiting_.empty()) return;
  const SdmaRequest next = waiting_.front();
  waiting_.pop_front();
  start(number, next);
}

void Sdma::take_messages(const Stream& stream) {
  if (!stream.remote() || stream.bytes == 0) return;
  if (!stream.put) links->receive(stream.own, stream.peer, 0);
  for (std::uint64_t taken = 0; taken < stream.bytes; taken += params_.burst_bytes)
    links->receive(stream.put ? stream.own : stream.peer, stream.put ? stream.peer : stream.own,
                   std::min(params_.burst_bytes, stream.bytes - taken));
}

}  // namespace a2a3::sim
