// SPDX-License-Identifier: Apache-2.0
#include "models/machine_fields.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/config/member_count.hpp"
#include "models/machine_field_rows.hpp"
#include "models/network_fields.hpp"

namespace a2a3::models {
namespace {

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
    Row<Core>{"unaligned_rate", &Core::unaligned_rate, Quantity::ratio, 1e-3, 1,
              "Share of its rate that a load or store keeps whose rows in global memory do not all "
              "begin at multiples of gm_alignment."},
    Row<Core>{"gm_alignment", &Core::gm_alignment_bytes, Quantity::bytes, 1, kMi,
              "Addresses in global memory that are multiples of this have the full rate."},
    Row<Core>{"flag", &Core::flag_cycles, Quantity::cycles, 0, kMaxCycles,
              "Flag between two pipes, set and wait: what depends on an operation of another pipe "
              "begins this long after its end. Scalar accesses and asynchronous requests wait for "
              "that end "
              "alone."},
    Row<Core>{"barrier", &Core::barrier_cycles, Quantity::cycles, 0, kMaxCycles,
              "Full pipe barrier on idle pipes; one that a flag precedes costs the flag, too."},
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

using Signal = SignalParameters;
constexpr std::array kSignal = {
    Row<Signal>{"clean", &Signal::clean_seconds, Quantity::time, 0, kMaxSeconds,
                "Clean of a cache line; a notify makes one before its message and one after it."},
    Row<Signal>{"dsb", &Signal::dsb_seconds, Quantity::time, 0, kMaxSeconds,
                "Data synchronisation barrier at the end of a notify."},
    Row<Signal>{"poll_interval", &Signal::poll_seconds, Quantity::time, 1e-12, kMaxSeconds,
                "One iteration of a wait."},
    Row<Signal>{"acquire", &Signal::acquire_seconds, Quantity::time, 0, kMaxSeconds,
                "From the poll that ended a wait to the core's next instruction."},
    Row<Signal>{"atomic_serial", &Signal::atomic_serial_seconds, Quantity::time, 0, kMaxSeconds,
                "Atomics to one line follow each other at this distance."},
    Row<Signal>{"atomic_line", &Signal::atomic_line_bytes, Quantity::bytes, 4, kMi,
                "Line of the memory that atomics wait for each other at."},
    Row<Signal>{"payload", &Signal::payload_bytes, Quantity::bytes, 1, kKi,
                "Payload bytes of a signal on the wire."},
};
static_assert(kSignal.size() == member_count<Signal>());

using SdmaEngine = SdmaParameters;
constexpr std::array kSdma = {
    Row<SdmaEngine>{"startup", &SdmaEngine::startup_seconds, Quantity::time, 0, kMaxSeconds,
                    "From an asynchronous request to its first byte (put) or its read request "
                    "(get)."},
    Row<SdmaEngine>{"stream_rate", &SdmaEngine::stream_bytes_per_second, Quantity::bandwidth,
                    kMinBandwidth, kMaxBandwidth, "Rate of one request."},
    Row<SdmaEngine>{"streams", &SdmaEngine::streams, Quantity::count, 1, 65536,
                    "Requests under way at once; others wait."},
    Row<SdmaEngine>{"burst", &SdmaEngine::burst_bytes, Quantity::bytes, 1, kGi,
                    "Bytes that a request puts on the link at a time."},
    Row<SdmaEngine>{"window", &SdmaEngine::window_bursts, Quantity::count, 1, 1e6,
                    "Bursts of one request on their way at once; further ones wait."},
};
static_assert(kSdma.size() == member_count<SdmaEngine>());

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
    VectorRow{"exp", &VectorParameters::exp, "Exponential of a tile"},
    VectorRow{"ln", &VectorParameters::ln, "Natural logarithm of a tile"},
    VectorRow{"sqrt", &VectorParameters::sqrt, "Square root of a tile"},
    VectorRow{"relu", &VectorParameters::relu, "Larger of a tile and 0"},
    VectorRow{"cast", &VectorParameters::cast, "Conversion of a tile's dtype"},
    VectorRow{"fill", &VectorParameters::fill, "A tile filled with one value"},
    VectorRow{"copy", &VectorParameters::copy, "A box copied between two tiles"},
    VectorRow{"row_sum", &VectorParameters::row_sum, "Sum of each row of a tile"},
};
static_assert(kVector.size() == member_count<VectorParameters>());

using Machine = MachineDescription;

std::vector<MachineField> root_fields() {
  MachineField devices;
  devices.path = "devices";
  devices.low = 1;
  devices.high = kMostDevices;
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
  return {devices,
          field(
              "", cores_row, [](auto& machine) -> auto& { return machine; }),
          word_field(
              "topology",
              "How the devices are linked: one link for every pair (full_mesh), tiers of a switch, "
              "links to the neighbours on a ring or on a 2-D torus.",
              {"full_mesh", "switch", "ring", "torus"},
              [](auto& machine) -> auto& { return machine.topology; })};
}

std::vector<MachineField> all_fields() {
  std::vector<MachineField> fields = root_fields();
  const auto add = [&fields](const std::string& section, const auto& rows, auto part) {
    add_fields(fields, section, rows, part);
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
  add_network_fields(fields);
  add(
      "signal.", kSignal, [](auto& machine) -> auto& { return machine.signal; });
  add(
      "sdma.", kSdma, [](auto& machine) -> auto& { return machine.sdma; });
  add_launch_fields(fields);
  add_relaxed_fields(fields);
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
