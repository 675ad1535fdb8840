// SPDX-License-Identifier: Apache-2.0
#include "models/network_fields.hpp"

#include <array>
#include <initializer_list>

#include "models/config/member_count.hpp"
#include "models/machine_field_rows.hpp"

namespace a2a3::models {
namespace {

using Link = LinkParameters;
constexpr std::array kLink = {
    Row<Link>{"bandwidth", &Link::bytes_per_second, Quantity::bandwidth, kMinBandwidth,
              kMaxBandwidth, "One direction of the link between two devices."},
    Row<Link>{"hop_latency", &Link::hop_seconds, Quantity::time, 0, kMaxSeconds,
              "One way over a link, on top of the startup at its source."},
    Row<Link>{"read_efficiency", &Link::read_efficiency, Quantity::ratio, 1e-3, 1,
              "Share of the link's rate that the payload of remote loads gets."},
    Row<Link>{"aiv_write_efficiency", &Link::aiv_write_efficiency, Quantity::ratio, 1e-3, 1,
              "Share of the link's rate that the payload of remote stores by a vector core gets."},
    Row<Link>{"dma_read_efficiency", &Link::dma_read_efficiency, Quantity::ratio, 1e-3, 1,
              "Share of the link's rate that the payload of reads by the SDMA engine gets."},
    Row<Link>{"dma_write_efficiency", &Link::dma_write_efficiency, Quantity::ratio, 1e-3, 1,
              "Share of the link's rate that the payload of writes by the SDMA engine gets."},
    Row<Link>{"aiv_egress", &Link::aiv_egress_bytes_per_second, Quantity::bandwidth, kMinBandwidth,
              kMaxBandwidth, "Remote stores of one vector core, or none: no limit.", std::nullopt,
              true},
    Row<Link>{"device_egress", &Link::device_egress_bytes_per_second, Quantity::bandwidth,
              kMinBandwidth, kMaxBandwidth,
              "Remote stores of all vector cores of a device together, or none: no limit.",
              std::nullopt, true},
    Row<Link>{"packet_payload", &Link::packet_payload_bytes, Quantity::bytes, 1, kGi,
              "Most payload bytes in one packet."},
    Row<Link>{"packet_header", &Link::packet_header_bytes, Quantity::bytes, 0, kMi,
              "Header bytes of one packet."},
    Row<Link>{"read_request", &Link::request_bytes, Quantity::bytes, 0, kMi,
              "Bytes of a read request."},
    Row<Link>{"arbitration_quantum", &Link::quantum_bytes, Quantity::bytes, 1, kGi,
              "Bytes that one transfer sends before the link serves another one."},
};
static_assert(kLink.size() == member_count<Link>());

using Tier = TierParameters;
constexpr std::array kTier = {
    Row<Tier>{"hop_latency", &Tier::hop_seconds, Quantity::time, 0, kMaxSeconds,
              "One way, on top of the startup at its source"},
    Row<Tier>{"aiv_read_bandwidth", &Tier::aiv_read_bytes_per_second, Quantity::bandwidth,
              kMinBandwidth, kMaxBandwidth, "Payload of remote loads by vector cores"},
    Row<Tier>{"aiv_write_bandwidth", &Tier::aiv_write_bytes_per_second, Quantity::bandwidth,
              kMinBandwidth, kMaxBandwidth, "Payload of remote stores by vector cores"},
    Row<Tier>{"dma_read_bandwidth", &Tier::dma_read_bytes_per_second, Quantity::bandwidth,
              kMinBandwidth, kMaxBandwidth, "Payload of reads by the SDMA engine"},
    Row<Tier>{"dma_write_bandwidth", &Tier::dma_write_bytes_per_second, Quantity::bandwidth,
              kMinBandwidth, kMaxBandwidth, "Payload of writes by the SDMA engine"},
    Row<Tier>{"dma_overhead", &Tier::dma_overhead_seconds, Quantity::time, 0, kMaxSeconds,
              "More time of every block that the SDMA engine moves"},
};
static_assert(kTier.size() == member_count<Tier>());

using Switch = SwitchParameters;
constexpr std::array kSwitch = {
    Row<Switch>{"dies_per_package", &Switch::dies_per_package, Quantity::count, 1, kMostDevices,
                "Devices that share a package: 0 and 1, 2 and 3, ... when there are two."},
    Row<Switch>{"dies_per_node", &Switch::dies_per_node, Quantity::count, 1, kMostDevices,
                "Devices of one node."},
    Row<Switch>{"uplink", &Switch::uplink_bytes_per_second, Quantity::bandwidth, kMinBandwidth,
                kMaxBandwidth,
                "All that a device sends to other packages together; as much again for what it "
                "receives."},
};
struct TierRow {
  const char* key;
  TierParameters SwitchParameters::*member;
  const char* help;
};
constexpr std::array kTiers = {
    TierRow{"package", &Switch::package, "Between the dies of a package"},
    TierRow{"node", &Switch::node, "Between the packages of a node"},
    TierRow{"cluster", &Switch::cluster, "Between nodes"},
};
static_assert(kSwitch.size() + kTiers.size() == member_count<Switch>());

using Torus = TorusParameters;
constexpr std::array kTorus = {
    Row<Torus>{"rows", &Torus::rows, Quantity::count, 1, kMostDevices, "Rows of the torus."},
    Row<Torus>{"columns", &Torus::columns, Quantity::count, 1, kMostDevices,
               "Columns of the torus: device = row * columns + column."},
};
static_assert(kTorus.size() == member_count<Torus>());

/// Fields that only some machines read.
void say_who_reads(MachineField& field) {
  using Reads = bool (*)(const MachineDescription&);
  const auto only = [&](const char* selector, std::initializer_list<const char*> begins,
                        Reads reads) {
    for (const char* begin : begins) {
      if (!field.path.starts_with(begin)) continue;
      field.selector = selector;
      field.read_by = reads;
    }
  };
  only("topology",
       {"link.bandwidth", "link.hop_latency", "link.read_efficiency", "link.aiv_write_efficiency",
        "link.dma_read_efficiency", "link.dma_write_efficiency"},
       [](const MachineDescription& machine) { return machine.topology != Topology::switched; });
  only("topology", {"switch."},
       [](const MachineDescription& machine) { return machine.topology == Topology::switched; });
  only("topology", {"torus."},
       [](const MachineDescription& machine) { return machine.topology == Topology::torus; });
}

void say_from(std::vector<MachineField>& fields, std::size_t begin) {
  for (std::size_t i = begin; i < fields.size(); ++i)
    say_who_reads(fields[i]);
}

}  // namespace

void add_network_fields(std::vector<MachineField>& fields) {
  const std::size_t begin = fields.size();
  add_fields(
      fields, "link.", kLink, [](auto& machine) -> auto& { return machine.link; });
  add_fields(
      fields, "switch.", kSwitch, [](auto& machine) -> auto& { return machine.switched; });
  for (const TierRow& tier : kTiers) {
    const std::size_t first = fields.size();
    add_fields(
        fields, std::string("switch.") + tier.key + ".",
        kTier, [member = tier.member](auto& machine) -> auto& { return machine.switched.*member; });
    for (std::size_t i = first; i < fields.size(); ++i)
      fields[i].help = std::string(tier.help) + ": " + fields[i].help + ".";
  }
  add_fields(
      fields, "torus.", kTorus, [](auto& machine) -> auto& { return machine.torus; });
  say_from(fields, begin);
}

}  // namespace a2a3::models
