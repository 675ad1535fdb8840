// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include "models/machine_description.hpp"
#include "sim/network/link.hpp"
#include "sim/network/link_access.hpp"
#include "sim/peer_table.hpp"
#include "sim/probe.hpp"

namespace a2a3::sim {

/// The interconnect between devices: a full mesh, one directed link per ordered pair, made when
/// first used. Time passes on the links (LinkAccess); the sockets carry a transaction to the
/// device it addresses once its message is there. A device's traffic with itself is no business of
/// the fabric. Left out: egress caps, other topologies.
class Fabric : public sc_core::sc_module, public LinkAccess {
 public:
  tlm_utils::multi_passthrough_target_socket<Fabric> from_devices;
  /// Bound in the order of device numbers.
  tlm_utils::multi_passthrough_initiator_socket<Fabric> to_devices;
  sc_core::sc_export<LinkAccess> links;

  Fabric(const sc_core::sc_module_name& name, const models::LinkParameters& params,
         std::uint32_t devices, const Probe& probe);

  Flight send(const Message& message, const Origin& origin) override;
  void receive(std::uint32_t from, std::uint32_t to, std::uint64_t payload_bytes) override;
  [[nodiscard]] Picoseconds latency(std::uint32_t from, std::uint32_t to) const override;

  struct UsedLink {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    LinkStatistics statistics;
  };
  /// The links that carried anything, ordered by source and destination.
  [[nodiscard]] std::vector<UsedLink> used_links() const;

 private:
  void transport(int source, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned int debug(int source, tlm::tlm_generic_payload& transaction);
  Link& link(std::uint32_t from, std::uint32_t to);
  [[nodiscard]] double efficiency(LinkTransfer::Kind kind) const;

  models::LinkParameters params_;
  Picoseconds hop_;
  const Probe& probe_;
  std::vector<PeerTable<Link>> links_;  ///< by source, then destination
};

}  // namespace a2a3::sim
