// SPDX-License-Identifier: Apache-2.0
#include "models/machine_fields.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include "models/config/member_count.hpp"

namespace a2a3::models {
namespace {

/// A row of a struct's list: its key, member, unit kind, range and meaning.
template <typename Struct>
struct Row {
  const char* key;
  std::variant<double Struct::*, std::uint64_t Struct::*, std::uint32_t Struct::*> member;
  Quantity quantity;
  double low;
  double high;
  const char* help;
  std::optional<double> fallback = std::nullopt;
  bool or_none = false;  ///< "none" stands for 0
};

constexpr double kKi = 1024;
constexpr double kMi = kKi * kKi;
constexpr double kGi = kKi * kMi;
constexpr double kMaxCycles = 1e9;
constexpr double kMaxSeconds = 1;
constexpr double kMinBandwidth = 1e3;
constexpr double kMaxBandwidth = 1e15;

using Core = CoreParameters;
constexpr std::array kCore = {
    Row<Core>{"clock", &Core::clock_hz, Quantity::frequency, 1e6, 1e11, "Core clock."},
    Row<Core>{"ub_size", &Core::ub_bytes, Quantity::bytes, 32, kGi,
              "Unified buffer of one vector core."},
    Row<Core>{"ub_reserved", &Core::ub_reserved_bytes, Quantity::bytes, 0, kGi,
              "Kept by the compiler at the top of the unified buffer."},
    Row<Core>{"scalar_op", &Core::scalar_op_cycles, Quantity::cycles, 0, kMaxCycles,
              "One operation of the scalar unit."},
    Row<Core>{
        "load_startup", &Core::load_startup_cycles, Quantity::cycles, 0, kMaxCycles,
        "Load from global memory to UB (MTE2): from the start of one DMA command to its first "
        "byte."},
    Row<Core>{"load_rate", &Core::load_bytes_per_cycle, Quantity::bytes_per_cycle, 1e-3, 1e6,
              "Rate of a load after its startup."},
    Row<Core>{"load_issue", &Core::load_issue_cycles, Quantity::cycles, 0, kMaxCycles,
              "A further load may start this long after the start of the one before."},
    Row<Core>{
        "store_startup", &Core::store_startup_cycles, Quantity::cycles, 0, kMaxCycles,
        "Store from UB to global memory (MTE3): from the start of one DMA command to its first "
        "byte."},
    Row<Core>{"store_rate", &Core::store_bytes_per_cycle, Quantity::bytes_per_cycle, 1e-3, 1e6,
              "Rate of a store after its startup."},
    Row<Core>{"store_issue", &Core::store_issue_cycles, Quantity::cycles, 0, kMaxCycles,
              "A further store may start this long after the start of the one before."},
    Row<Core>{"barrier", &Core::barrier_cycles, Quantity::cycles, 0, kMaxCycles,
              "Full pipe barrier on idle pipes."},
    Row<Core>{"vector_repeat", &Core::vector_repeat_bytes, Quantity::bytes, 1, kMi,
              "Bytes that one repeat of a vector operation covers."},
    Row<Core>{"vector_masked", &Core::vector_masked_cycles, Quantity::cycles, 0, kMaxCycles,
              "More time of a vector operation whose rows are no multiple of a repeat."},
    Row<Core>{"scalar_access", &Core::scalar_access_seconds, Quantity::time, 0, kMaxSeconds,
              "One pl.read or pl.write of an element in global memory."},
    Row<Core>{"scalar_tile_access", &Core::scalar_tile_cycles, Quantity::cycles, 0, kMaxCycles,
              "One pl.read or pl.write of an element of a tile."},
    Row<Core>{"pipe_queue_depth", &Core::pipe_queue_depth, Quantity::count, 1, 1e6,
              "Instructions that the scalar unit may run ahead of one pipe."},
};
static_assert(kCore.size() == member_count<Core>());

using Cube = CubeParameters;
constexpr std::array kCube = {
    Row<Cube>{"l1_size", &Cube::l1_bytes, Quantity::bytes, 32, kGi, "L1 (MemorySpace.Mat)."},
    Row<Cube>{"l0a_size", &Cube::l0a_bytes, Quantity::bytes, 32, kGi, "L0A (MemorySpace.Left)."},
    Row<Cube>{"l0b_size", &Cube::l0b_bytes, Quantity::bytes, 32, kGi, "L0B (MemorySpace.Right)."},
    Row<Cube>{"l0c_size", &Cube::l0c_bytes, Quantity::bytes, 32, kGi, "L0C (MemorySpace.Acc)."},
    Row<Cube>{"load_rate", &Cube::l1_load_bytes_per_cycle, Quantity::bytes_per_cycle, 1e-3, 1e6,
              "Rate of a load from global memory to L1 after core.load_startup."},
    Row<Cube>{"feed_startup", &Cube::feed_startup_cycles, Quantity::cycles, 0, kMaxCycles,
              "Move from L1 to L0A or L0B (MTE1): to its first byte."},
    Row<Cube>{"l0a_rate", &Cube::l0a_bytes_per_cycle, Quantity::bytes_per_cycle, 1e-3, 1e6,
              "Rate of a move into L0A after its startup."},
    Row<Cube>{"l0b_rate", &Cube::l0b_bytes_per_cycle, Quantity::bytes_per_cycle, 1e-3, 1e6,
              "Rate of a move into L0B after its startup."},
    Row<Cube>{"startup", &Cube::startup_cycles, Quantity::cycles, 0, kMaxCycles,
              "Part of a matrix product's time that does not depend on the size."},
    Row<Cube>{"step", &Cube::step_cycles, Quantity::cycles, 0, kMaxCycles,
              "One block of a matrix product: 16 rows, 32 bytes of the inner dimension, 16 "
              "columns."},
    Row<Cube>{"fp32_step", &Cube::fp32_step_cycles, Quantity::cycles, 0, kMaxCycles,
              "The same block of an fp32 product."},
    Row<Cube>{"store_startup", &Cube::store_startup_cycles, Quantity::cycles, 0, kMaxCycles,
              "Store from L0C to global memory (fixpipe): to its first byte."},
    Row<Cube>{"store_rate", &Cube::store_bytes_per_second, Quantity::bandwidth, kMinBandwidth,
              kMaxBandwidth, "Rate of such a store after its startup."},
};
static_assert(kCube.size() == member_count<Cube>());

using Memory = MemoryParameters;
constexpr std::array kMemory = {
    Row<Memory>{"capacity", &Memory::capacity_bytes, Quantity::bytes, kKi, kMaxMemoryBytes,
                "Global memory of one device."},
    Row<Memory>{"read_bandwidth", &Memory::read_bytes_per_second, Quantity::bandwidth,
                kMinBandwidth, kMaxBandwidth,
                "Reads of all cores of a device and of its peers together."},
    Row<Memory>{"write_bandwidth", &Memory::write_bytes_per_second, Quantity::bandwidth,
                kMinBandwidth, kMaxBandwidth,
                "Writes of all cores of a device and of its peers together."},
};
static_assert(kMemory.size() == member_count<Memory>());

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

using Signal = SignalParameters;
constexpr std::array kSignal = {
    Row<Signal>{"notify_remote", &Signal::notify_remote_seconds, Quantity::time, 0, kMaxSeconds,
                "Time that a notify to a peer occupies its core."},
    Row<Signal>{"notify_self", &Signal::notify_self_seconds, Quantity::time, 0, kMaxSeconds,
                "Time that a notify to the own device occupies its core."},
    Row<Signal>{"poll_interval", &Signal::poll_seconds, Quantity::time, 1e-12, kMaxSeconds,
                "One iteration of a wait."},
    Row<Signal>{"atomic_serial", &Signal::atomic_serial_seconds, Quantity::time, 0, kMaxSeconds,
                "Atomics to one line follow each other at this distance."},
    Row<Signal>{"atomic_line", &Signal::atomic_line_bytes, Quantity::bytes, 4, kMi,
                "Line of the memory that atomics wait for each other at."},
    Row<Signal>{"payload", &Signal::payload_bytes, Quantity::bytes, 1, kKi,
                "Payload bytes of a signal on the wire."},
};
static_assert(kSignal.size() == member_count<Signal>());

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
    Row<Switch>{"dies_per_package", &Switch::dies_per_package, Quantity::count, 1, 65536,
                "Devices that share a package: 0 and 1, 2 and 3, ... when there are two."},
    Row<Switch>{"dies_per_node", &Switch::dies_per_node, Quantity::count, 1, 65536,
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
    Row<Torus>{"rows", &Torus::rows, Quantity::count, 1, 65536, "Rows of the torus."},
    Row<Torus>{"columns", &Torus::columns, Quantity::count, 1, 65536,
               "Columns of the torus: device = row * columns + column."},
};
static_assert(kTorus.size() == member_count<Torus>());

using Launch = LaunchParameters;
constexpr std::array kLaunch = {
    Row<Launch>{"skew", &Launch::skew_seconds, Quantity::time, 0, kMaxSeconds,
                "Rank r starts this long after rank r-1.", 0},
};
using Skew = SkewDistribution;
constexpr std::array kSkew = {
    Row<Skew>{"seed", &Skew::seed, Quantity::count, 0, 1e9, "Of the distribution.", 0},
    Row<Skew>{"max", &Skew::max_seconds, Quantity::time, 0, kMaxSeconds,
              "Uniform: each rank starts between 0 and this time later.", 0},
    Row<Skew>{"mean", &Skew::mean_seconds, Quantity::time, 0, kMaxSeconds,
              "Normal: each rank starts this much later on average; never earlier than at 0.", 0},
    Row<Skew>{"deviation", &Skew::deviation_seconds, Quantity::time, 0, kMaxSeconds,
              "Normal: the standard deviation.", 0},
};
static_assert(kLaunch.size() + 1 == member_count<Launch>());
static_assert(kSkew.size() + 1 == member_count<Skew>());

constexpr std::array kVectorCost = {
    Row<VectorCost>{"slope", &VectorCost::slope_cycles, Quantity::cycles_per_repeat, 0, 1e6,
                    "time of one repeat"},
    Row<VectorCost>{"bias", &VectorCost::bias_cycles, Quantity::cycles, 0, kMaxCycles,
                    "time that does not depend on the size"},
};
static_assert(kVectorCost.size() == member_count<VectorCost>());

struct VectorRow {
  const char* key;
  VectorCost VectorParameters::*member;
  const char* help;
};
constexpr std::array kVector = {
    VectorRow{"add", &VectorParameters::add, "Tile + tile"},
    VectorRow{"sub", &VectorParameters::sub, "Tile - tile"},
    VectorRow{"mul", &VectorParameters::mul, "Tile * tile"},
    VectorRow{"div", &VectorParameters::div, "Tile / tile"},
    VectorRow{"max", &VectorParameters::max, "Larger of two tiles"},
    VectorRow{"min", &VectorParameters::min, "Smaller of two tiles"},
    VectorRow{"adds", &VectorParameters::adds, "Tile + scalar"},
    VectorRow{"subs", &VectorParameters::subs, "Tile - scalar"},
    VectorRow{"muls", &VectorParameters::muls, "Tile * scalar"},
    VectorRow{"divs", &VectorParameters::divs, "Tile / scalar"},
    VectorRow{"maxs", &VectorParameters::maxs, "Larger of tile and scalar"},
    VectorRow{"mins", &VectorParameters::mins, "Smaller of tile and scalar"},
    VectorRow{"cast", &VectorParameters::cast, "Conversion of a tile's dtype"},
    VectorRow{"fill", &VectorParameters::fill, "A tile filled with one value"},
    VectorRow{"copy", &VectorParameters::copy, "A box copied between two tiles"},
    VectorRow{"row_sum", &VectorParameters::row_sum, "Sum of each row of a tile"},
};
static_assert(kVector.size() == member_count<VectorParameters>());

/// Makes a struct's row a field of the whole description; `part` takes the description to the
/// struct.
template <typename Struct, typename Part>
MachineField field(const std::string& section, const Row<Struct>& row, Part part) {
  MachineField result;
  result.path = section + row.key;
  result.quantity = row.quantity;
  result.low = row.low;
  result.high = row.high;
  result.fallback = row.fallback;
  result.help = row.help;
  if (row.or_none) {
    result.words = {"none"};
    result.or_number = true;
  }
  result.get = [member = row.member, part](const MachineDescription& machine) {
    return std::visit([&](auto pointer) { return static_cast<double>(part(machine).*pointer); },
                      member);
  };
  result.set = [member = row.member, part](MachineDescription& machine, double value) {
    std::visit(
        [&](auto pointer) {
          using Value = std::remove_reference_t<decltype(part(machine).*pointer)>;
          part(machine).*pointer = static_cast<Value>(value);
        },
        member);
  };
  return result;
}

using Machine = MachineDescription;

std::vector<MachineField> root_fields() {
  MachineField devices;
  devices.path = "devices";
  devices.low = 1;
  devices.high = 65536;
  devices.help = "Number of devices, or any: as many as a run asks for.";
  devices.words = {"any"};
  devices.or_number = true;
  devices.get = [](const Machine& machine) { return static_cast<double>(machine.devices); };
  devices.set = [](Machine& machine, double value) {
    machine.devices = static_cast<std::uint32_t>(value);
  };

  const Row<Machine> cores_row = {
      "vector_cores_per_device",       &Machine::vector_cores_per_device, Quantity::count, 1, 65536,
      "AI vector cores of one device."};
  MachineField topology;
  topology.path = "topology";
  topology.help =
      "How the devices are linked: one link for every pair (full_mesh), tiers of a switch, links "
      "to "
      "the neighbours on a ring or on a 2-D torus.";
  topology.words = {"full_mesh", "switch", "ring", "torus"};
  topology.get = [](const Machine& machine) { return static_cast<double>(machine.topology); };
  topology.set = [](Machine& machine, double value) {
    machine.topology = static_cast<Topology>(value);
  };
  return {devices,
          field(
              "", cores_row, [](auto& machine) -> auto& { return machine; }),
          topology};
}

MachineField distribution_field() {
  MachineField field;
  field.path = "launch.distribution";
  field.help = "How late ranks start besides, drawn at random: none, uniform, normal.";
  field.words = {"none", "uniform", "normal"};
  field.fallback = 0;
  field.get = [](const Machine& machine) {
    return static_cast<double>(machine.launch.random_skew.kind);
  };
  field.set = [](Machine& machine, double value) {
    machine.launch.random_skew.kind = static_cast<SkewKind>(value);
  };
  return field;
}

/// Fields that only some machines read.
void say_who_reads(MachineField& field) {
  using Reads = bool (*)(const Machine&);
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
       [](const Machine& machine) { return machine.topology != Topology::switched; });
  only("topology", {"switch."},
       [](const Machine& machine) { return machine.topology == Topology::switched; });
  only("topology", {"torus."},
       [](const Machine& machine) { return machine.topology == Topology::torus; });
  only("launch.distribution", {"launch.seed"},
       [](const Machine& machine) { return machine.launch.random_skew.kind != SkewKind::none; });
  only("launch.distribution", {"launch.max"},
       [](const Machine& machine) { return machine.launch.random_skew.kind == SkewKind::uniform; });
  only("launch.distribution", {"launch.mean", "launch.deviation"},
       [](const Machine& machine) { return machine.launch.random_skew.kind == SkewKind::normal; });
}

std::vector<MachineField> all_fields() {
  std::vector<MachineField> fields = root_fields();
  const auto add = [&fields](const std::string& section, const auto& rows, auto part) {
    for (const auto& row : rows)
      fields.push_back(field(section, row, part));
  };
  add(
      "core.", kCore, [](auto& machine) -> auto& { return machine.core; });
  for (const VectorRow& vector : kVector) {
    const auto part = [member = vector.member](auto& machine) -> auto& {
      return machine.vector.*member;
    };
    const std::size_t begin = fields.size();
    add(std::string("vector.") + vector.key + ".", kVectorCost, part);
    for (std::size_t i = begin; i < fields.size(); ++i) {
      fields[i].help = std::string(vector.help) + ": " + fields[i].help + ".";
    }
  }
  add(
      "cube.", kCube, [](auto& machine) -> auto& { return machine.cube; });
  add(
      "memory.", kMemory, [](auto& machine) -> auto& { return machine.memory; });
  add(
      "link.", kLink, [](auto& machine) -> auto& { return machine.link; });
  add(
      "switch.", kSwitch, [](auto& machine) -> auto& { return machine.switched; });
  for (const TierRow& tier : kTiers) {
    const auto part = [member = tier.member](auto& machine) -> auto& {
      return machine.switched.*member;
    };
    const std::size_t begin = fields.size();
    add(std::string("switch.") + tier.key + ".", kTier, part);
    for (std::size_t i = begin; i < fields.size(); ++i)
      fields[i].help = std::string(tier.help) + ": " + fields[i].help + ".";
  }
  add(
      "torus.", kTorus, [](auto& machine) -> auto& { return machine.torus; });
  add(
      "signal.", kSignal, [](auto& machine) -> auto& { return machine.signal; });
  add(
      "launch.", kLaunch, [](auto& machine) -> auto& { return machine.launch; });
  fields.push_back(distribution_field());
  add(
      "launch.", kSkew, [](auto& machine) -> auto& { return machine.launch.random_skew; });
  for (MachineField& one : fields)
    say_who_reads(one);
  return fields;
}

}  // namespace

std::string MachineField::text(double value) const {
  const auto word = static_cast<std::size_t>(value);
  if (word < words.size() && static_cast<double>(word) == value) return words[word];
  return format_quantity(value, quantity);
}

const std::vector<MachineField>& machine_fields() {
  static const std::vector<MachineField> fields = all_fields();
  return fields;
}

const std::map<std::string, std::vector<std::string>>& machine_mappings() {
  static const auto mappings = [] {
    std::map<std::string, std::vector<std::string>> result = {
        {"", {"extends", "description", "sources", "slow_links", "placement"}}};
    for (const MachineField& field : machine_fields()) {
      for (std::size_t begin = 0; begin < field.path.size();) {
        const std::size_t end = std::min(field.path.find('.', begin), field.path.size());
        const std::string mapping = begin == 0 ? "" : field.path.substr(0, begin - 1);
        const std::string key = field.path.substr(begin, end - begin);
        std::vector<std::string>& keys = result[mapping];
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
        begin = end + 1;
      }
    }
    return result;
  }();
  return mappings;
}

}  // namespace a2a3::models
