// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>

#include "isa/instruction.hpp"
#include "models/machine_description.hpp"
#include "sim/core/agenda.hpp"
#include "sim/core/gm_port.hpp"
#include "sim/network/link_access.hpp"
#include "sim/probe.hpp"
#include "sim/run_control.hpp"

namespace a2a3::sim {

/// Told when a transfer that it has asked for is complete.
class SdmaClient {
 public:
  SdmaClient() = default;
  SdmaClient(const SdmaClient&) = delete;
  SdmaClient& operator=(const SdmaClient&) = delete;
  virtual ~SdmaClient() = default;

  /// Called in the engine's process as soon as `end` is known, which is then or later.
  virtual void transfer_complete(std::uint32_t event, Picoseconds end) = 0;
};

/// A TPutAsync or TGetAsync on its way.
struct SdmaRequest {
  isa::Operation operation;
  Origin origin;
  SdmaClient* client = nullptr;
  Picoseconds asked = 0;
};

/// The DMA engine of a device. A request takes a free stream, or waits for one in the order of
/// coming. After the startup a put sends its bytes; a get sends a read request, which the peer
/// answers. A stream brings its bytes up in bursts at its own rate; a burst goes to the link when
/// it is there, unless a whole window of them is on its way. Memory changes when the last burst has
/// landed; a put is complete one hop later. One process for all streams. Left out: what asking
/// takes the core and polling the event, which the startup covers.
class Sdma : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Sdma> gm;
  sc_core::sc_port<LinkAccess> links;

  Sdma(const sc_core::sc_module_name& name, const models::SdmaParameters& params,
       const Probe& probe, RunControl& control);

  /// Must be called at the time of the request.
  void request(const SdmaRequest& request);

 private:
  enum class Step : std::uint8_t {
    begin,   ///< the startup is over
    answer,  ///< the read request may be at the peer
    depart,  ///< a burst is there and can have the link
    land,    ///< the first of the bursts under way may have landed
    finish,  ///< all bytes of a copy within the device are moved
  };
  using Agenda = AgendaOf<Step>;
  struct Stream {
    SdmaRequest request;
    bool busy = false;
    bool put = false;
    std::uint32_t own = 0;   ///< device of the engine
    std::uint32_t peer = 0;  ///< the other side; the same for a copy within the device
    std::uint64_t bytes = 0;
    std::uint32_t event = 0;
    std::uint64_t sent_bytes = 0;
    std::uint64_t landed_bytes = 0;
    std::deque<std::uint32_t> transits{};  ///< the read request, or the bursts, in order
    bool held_up = false;                  ///< the next burst waits for the window, from `ready` on
    Picoseconds ready = 0;
    Picoseconds first_byte = 0;  ///< when bytes began to flow

    [[nodiscard]] bool remote() const { return own != peer; }
    [[nodiscard]] std::uint32_t from() const { return put ? own : peer; }
    [[nodiscard]] std::uint32_t to() const { return put ? peer : own; }
  };

  void turn();
  void happen(const Agenda::Entry& entry, Picoseconds now);
  void start(std::uint32_t number, const SdmaRequest& request);
  void begin(std::uint32_t number, Picoseconds now);
  void depart(std::uint32_t number, Picoseconds now);
  void answer(std::uint32_t number, Picoseconds now);
  void land(std::uint32_t number, Picoseconds now);
  void finish(std::uint32_t number, Picoseconds now);
  void next_burst(std::uint32_t number, Picoseconds now);
  [[nodiscard]] bool arrived(std::uint32_t number, Step kind, Picoseconds now);
  [[nodiscard]] std::uint64_t burst_bytes(std::uint64_t rest) const;
  [[nodiscard]] Picoseconds stream_time(std::uint64_t bytes) const;

  models::SdmaParameters params_;
  Picoseconds startup_;
  const Probe& probe_;
  RunControl& control_;
  GmPort port_;
  Agenda agenda_;
  std::vector<Stream> streams_;  ///< made when first needed
  std::deque<SdmaRequest> waiting_;
};

}  // namespace a2a3::sim
