// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include "models/machine_description.hpp"
#include "models/topology.hpp"
#include "sim/network/link.hpp"
#include "sim/network/link_access.hpp"
#include "sim/peer_table.hpp"
#include "sim/probe.hpp"

namespace a2a3::sim {

/// The interconnect between devices: directed links, made when first used, and the rates that
/// messages share besides them: the remote stores of one core and of all cores of a device, and the
/// uplinks of a die on a switch. A message goes over the links of its route one after the other,
/// cut through: its head asks for the next link one hop after it entered the one before, and it has
/// arrived when its last byte is through everything it shares with others. Each of these is
/// arbitrated for itself (Link): what one of them cannot use because another holds a message back
/// is not given to others before that message's turn is over. Time passes here (LinkAccess); the
/// sockets carry a transaction to the device it addresses once its message is there. A device's
/// traffic with itself is no business of the fabric. Left out: buffers, so back-pressure.
class Fabric : public sc_core::sc_module, public LinkAccess {
 public:
  tlm_utils::multi_passthrough_target_socket<Fabric> from_devices;
  /// Bound in the order of device numbers.
  tlm_utils::multi_passthrough_initiator_socket<Fabric> to_devices;
  sc_core::sc_export<LinkAccess> links;

  /// `positions[r]` is the physical position of rank r.
  Fabric(const sc_core::sc_module_name& name, const models::MachineDescription& machine,
         std::vector<std::uint32_t> positions, const Probe& probe);

  Transit send(const Message& message, const Origin& origin) override;
  Progress follow(std::uint32_t transit, Picoseconds now) override;
  [[nodiscard]] Picoseconds latency(std::uint32_t from, std::uint32_t to) const override;
  [[nodiscard]] Picoseconds dma_overhead(std::uint32_t from, std::uint32_t to) const override;

  struct UsedLink {
    std::uint32_t from = 0;  ///< rank, or number of ranks + position where no rank is
    std::uint32_t to = 0;
    models::LinkRates rates;
    LinkStatistics statistics;
  };
  /// The links that carried anything, ordered by source and destination.
  [[nodiscard]] std::vector<UsedLink> used_links() const;

 private:
  /// One directed link between neighbours.
  struct Wire {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    models::LinkRates rates;
    Picoseconds hop = 0;
    Link link;
  };
  /// Something that a message waits for: a wire, or a shared rate at the wire before or after it.
  struct Stage {
    Link* link = nullptr;
    Link::Ticket ticket = 0;
    const Wire* wire = nullptr;  ///< the wire itself, or the one it is passed with
    Resource resource{};
    Picoseconds wire_time = 0;
  };
  /// A message on its way.
  struct Passage {
    Message message;
    Origin origin;
    std::vector<std::uint32_t> route;  ///< link ends, by number
    std::size_t entered = 0;           ///< links of the route
    Picoseconds source_end = 0;
    std::vector<Stage> stages;
  };

  void transport(int source, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned int debug(int source, tlm::tlm_generic_payload& transaction);

  [[nodiscard]] std::uint32_t position(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t number(std::uint32_t position) const;
  void find_route(std::uint32_t from, std::uint32_t to, std::vector<std::uint32_t>& route) const;
  Wire& wire(std::uint32_t from, std::uint32_t to);
  Link& shared(std::vector<std::uint32_t>& table, std::uint32_t rank);
  [[nodiscard]] Picoseconds paced(const Message& message, std::uint32_t core);
  void enter(Passage& passage, Picoseconds now);
  void stage(Passage& passage, Link& link, const Wire& wire, Picoseconds now, double rate,
             const Resource& resource);
  [[nodiscard]] Progress look(Passage& passage, Picoseconds now);
  void split(const Passage& passage, Picoseconds now, Progress& progress) const;
  void finish(const Passage& passage, Picoseconds now);
  [[nodiscard]] std::uint64_t header_bytes(const Message& message) const;

  models::MachineDescription machine_;
  std::vector<std::uint32_t> positions_;  ///< by rank
  std::vector<std::uint32_t> ranks_;      ///< by position; kNowhere where none is
  Picoseconds hop_;                       ///< of a full mesh whose links are all alike
  const Probe& probe_;
  std::deque<Wire> wires_;
  std::vector<PeerTable<Wire*>> wire_of_;  ///< by numbers of both ends
  std::deque<Link> shared_;
  std::vector<std::uint32_t> device_egress_, uplink_out_, uplink_in_;  ///< in shared_, by rank
  std::vector<std::vector<Picoseconds>> core_free_;  ///< for a core's next remote store, by rank
  std::vector<Passage> passages_;
  std::vector<std::uint32_t> free_;  ///< passages not in use
};

}  // namespace a2a3::sim
