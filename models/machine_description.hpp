// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2a3::models {

/// Most global memory that one device of a description may have.
inline constexpr std::uint64_t kMaxMemoryBytes = std::uint64_t{1} << 40;

/// Most devices of a description.
inline constexpr std::uint32_t kMostDevices = 65536;

/// One AI vector core and its pipes. Times in cycles of `clock_hz`.
struct CoreParameters {
  double clock_hz = 0;
  std::uint64_t ub_bytes = 0;
  std::uint64_t ub_reserved_bytes = 0;  ///< kept by the compiler at the top of UB
  double scalar_op_cycles = 0;          ///< one scalar-unit operation
  double load_startup_cycles = 0;       ///< GM to UB (MTE2), one instruction
  double load_bytes_per_cycle = 0;
  double load_issue_cycles = 0;     ///< a further load may start this long after the former
  double store_startup_cycles = 0;  ///< UB to GM (MTE3)
  double store_bytes_per_cycle = 0;
  double store_issue_cycles = 0;
  double unaligned_rate = 0;             ///< share of a transfer's rate when GM is not aligned
  std::uint64_t gm_alignment_bytes = 0;  ///< what aligned means: addresses are multiples of it
  double flag_cycles = 0;                ///< set and wait of a flag between two pipes
  double barrier_cycles = 0;             ///< full pipe barrier on idle pipes
  double vector_repeat_bytes = 0;        ///< bytes of one vector repeat
  double vector_masked_cycles = 0;       ///< more when a row is no multiple of the repeat
  double scalar_access_seconds = 0;      ///< one pl.read or pl.write of global memory
  double scalar_tile_cycles = 0;         ///< one pl.read or pl.write of a tile
  std::uint32_t pipe_queue_depth = 0;    ///< instructions the scalar unit may run ahead of one pipe
};

/// cycles = slope * repeats + bias, a repeat being CoreParameters::vector_repeat_bytes
struct VectorCost {
  double slope_cycles = 0;
  double bias_cycles = 0;
};

struct VectorParameters {
  VectorCost add, sub, mul, div, max, min;        ///< tile with tile
  VectorCost adds, subs, muls, divs, maxs, mins;  ///< tile with scalar
  VectorCost exp, ln, sqrt, relu;
  VectorCost cast, fill;
  VectorCost copy, row_sum;
};

/// The cube core beside a vector core: its memories and the pipes that work on them.
struct CubeParameters {
  std::uint64_t l1_bytes = 0;
  std::uint64_t l0a_bytes = 0;
  std::uint64_t l0b_bytes = 0;
  std::uint64_t l0c_bytes = 0;
  double l1_load_bytes_per_cycle = 0;  ///< GM to L1, after the startup of a load
  double feed_startup_cycles = 0;      ///< L1 to L0A or L0B (MTE1)
  double l0a_bytes_per_cycle = 0;
  double l0b_bytes_per_cycle = 0;
  double startup_cycles = 0;        ///< of a matrix product
  double step_cycles = 0;           ///< one 16 x 32 B by 32 B x 16 block
  double fp32_step_cycles = 0;      ///< the same block of fp32
  double store_startup_cycles = 0;  ///< L0C to GM (fixpipe)
  double store_bytes_per_second = 0;
};

struct MemoryParameters {
  std::uint64_t capacity_bytes = 0;
  double read_bytes_per_second = 0;  ///< shared by all cores of the device
  double write_bytes_per_second = 0;
};

struct LinkParameters {
  double bytes_per_second = 0;  ///< one direction of one pair
  double hop_seconds = 0;       ///< one way
  double read_efficiency = 0;   ///< share of the rate that payload gets, by mover
  double aiv_write_efficiency = 0;
  double dma_read_efficiency = 0;
  double dma_write_efficiency = 0;
  double aiv_egress_bytes_per_second = 0;     ///< remote stores of one core; 0: no limit
  double device_egress_bytes_per_second = 0;  ///< and of all cores of a device
  std::uint64_t packet_payload_bytes = 0;
  std::uint64_t packet_header_bytes = 0;
  std::uint64_t request_bytes = 0;  ///< a read request on the wire
  std::uint64_t quantum_bytes = 0;  ///< arbitration unit
};

/// Figures between two dies of a switch that are as close as the tier says.
struct TierParameters {
  double hop_seconds = 0;
  double aiv_read_bytes_per_second = 0;
  double aiv_write_bytes_per_second = 0;
  double dma_read_bytes_per_second = 0;
  double dma_write_bytes_per_second = 0;
  double dma_overhead_seconds = 0;  ///< once for every block that the SDMA engine moves
};

struct SwitchParameters {
  std::uint32_t dies_per_package = 0;
  std::uint32_t dies_per_node = 0;
  double uplink_bytes_per_second = 0;  ///< of one die, each direction, to all other packages
  TierParameters package, node, cluster;
};

struct TorusParameters {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
};

/// One directed link, by physical positions, that differs from the others.
struct SlowLink {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::optional<double> bytes_per_second;
  std::optional<double> hop_seconds;
};

/// A notify: clean a line, send the message, wait until it is acknowledged, clean, dsb.
struct SignalParameters {
  double clean_seconds = 0;             ///< one cache line cleaned (dcci)
  double dsb_seconds = 0;               ///< data synchronisation barrier
  double poll_seconds = 0;              ///< one TWAIT iteration
  double acquire_seconds = 0;           ///< after the poll that ended a wait
  double atomic_serial_seconds = 0;     ///< between atomics to one line
  std::uint64_t atomic_line_bytes = 0;  ///< of the memory they are made in
  std::uint64_t payload_bytes = 0;      ///< 4
};

/// The DMA engine of a device.
struct SdmaParameters {
  double startup_seconds = 0;          ///< from the request to the first byte or the read request
  double stream_bytes_per_second = 0;  ///< one request
  std::uint32_t streams = 0;           ///< requests under way at once
  std::uint64_t burst_bytes = 0;       ///< what a stream sends at a time
  std::uint32_t window_bursts = 0;     ///< of one stream on their way at once
};

enum class SkewKind : std::uint8_t { none, uniform, normal };

/// When ranks start, drawn at random: uniform from 0 to the maximum, or normal.
struct SkewDistribution {
  SkewKind kind = SkewKind::none;
  std::uint64_t seed = 0;
  double max_seconds = 0;
  double mean_seconds = 0;
  double deviation_seconds = 0;
};

struct LaunchParameters {
  double skew_seconds = 0;  ///< of rank r against rank r-1
  SkewDistribution random_skew;
};

enum class MemoryOrder : std::uint8_t {
  ordered,  ///< a write is in memory when the machine's times say so
  relaxed   ///< it comes there later, drawn at random, as far as nothing orders it
};

/// How late a core's writes and signals are in memory.
struct RelaxedParameters {
  MemoryOrder order = MemoryOrder::ordered;
  std::uint64_t seed = 0;
  double delay_seconds = 0;  ///< the most that a write, a signal or the start of a rank is late
};

enum class Fences : std::uint8_t { automatic, none };
enum class Zeroing : std::uint8_t { early, late };

/// What a relaxed machine may do wrong besides.
struct HazardParameters {
  Fences fences = Fences::automatic;  ///< those that the compiler puts behind stores and puts
  Zeroing zeroing = Zeroing::early;   ///< of windows: before the launch, or as their owner starts
  std::uint64_t set_line_bytes = 0;   ///< what a notify with Set writes; 0: its cell alone
};

enum class Topology : std::uint8_t { full_mesh, switched, ring, torus };

/// A machine, resolved and checked: what the simulator builds from. Filled only by machine_yaml.
struct MachineDescription {
  std::string name;
  std::string description;
  std::uint32_t devices = 0;  ///< 0: as many as asked for
  std::uint32_t vector_cores_per_device = 0;
  Topology topology = Topology::full_mesh;
  CoreParameters core;
  VectorParameters vector;
  CubeParameters cube;
  MemoryParameters memory;
  RelaxedParameters relaxed;
  HazardParameters hazards;
  LinkParameters link;
  SwitchParameters switched;
  TorusParameters torus;
  std::vector<SlowLink> slow_links;
  std::vector<std::uint32_t> placement;  ///< position of each device; empty: its number
  SignalParameters signal;
  SdmaParameters sdma;
  LaunchParameters launch;
};

}  // namespace a2a3::models
