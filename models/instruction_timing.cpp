// SPDX-License-Identifier: Apache-2.0
#include "models/instruction_timing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <variant>

namespace a2a3::models {
namespace {

constexpr double kPicosecondsPerSecond = 1e12;

/// Rows of the vector table, in the order of isa::BinaryOp and isa::UnaryOp.
using CostMember = VectorCost VectorParameters::*;
constexpr std::array<CostMember, 6> kTileTile = {&VectorParameters::add, &VectorParameters::sub,
                                                 &VectorParameters::mul, &VectorParameters::div,
                                                 &VectorParameters::max, &VectorParameters::min};
constexpr std::array<CostMember, 6> kTileScalar = {
    &VectorParameters::adds, &VectorParameters::subs, &VectorParameters::muls,
    &VectorParameters::divs, &VectorParameters::maxs, &VectorParameters::mins};

constexpr std::array<CostMember, 4> kUnary = {&VectorParameters::exp, &VectorParameters::ln,
                                              &VectorParameters::sqrt, &VectorParameters::relu};

constexpr std::size_t index(isa::BinaryOp op) {
  return static_cast<std::size_t>(op);
}

std::uint64_t picoseconds(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * kPicosecondsPerSecond));
}

/// Whether all runs of bytes of a box begin at multiples of `alignment`. Dimensions that follow
/// each other without a gap are one run.
bool rows_aligned(const isa::GmBox& box, std::uint64_t alignment) {
  if (box.base.offset_bytes % alignment != 0) return false;
  std::int64_t run = box.cols();
  for (std::size_t d = isa::kBoxDims - 1; d-- > 0;) {
    if (box.shape[d] == 1) continue;
    if (box.stride[d] == run)
      run *= box.shape[d];
    else if (static_cast<std::uint64_t>(box.stride[d] * isa::size_of(box.dtype)) % alignment != 0)
      return false;
  }
  return true;
}

/// What a transfer between GM and UB costs on its pipe.
struct TransferCost {
  double startup_cycles;
  double bytes_per_cycle;
  double issue_cycles;
};

/// Computes the time of one operation on one machine; one overload per operation.
class Timing {
 public:
  explicit Timing(const MachineDescription& machine) : machine_(machine) {}

  InstructionTime operator()(const isa::TLoad& load) const {
    const CoreParameters& core = machine_.core;
    const double rate = load.dst.space == isa::MemorySpace::l1
                            ? machine_.cube.l1_load_bytes_per_cycle
                            : core.load_bytes_per_cycle;
    return transfer(load.src, {core.load_startup_cycles, rate, core.load_issue_cycles});
  }
  InstructionTime operator()(const isa::TStore& store) const {
    const CoreParameters& core = machine_.core;
    if (store.src.space == isa::MemorySpace::l0c) {
      const CubeParameters& cube = machine_.cube;
      return transfer(store.dst,
                      {cube.store_startup_cycles, cube.store_bytes_per_second / core.clock_hz,
                       core.store_issue_cycles});
    }
    return transfer(store.dst, {core.store_startup_cycles, core.store_bytes_per_cycle,
                                core.store_issue_cycles});
  }

  InstructionTime operator()(const isa::TBinary& binary) const {
    return vector(binary.lhs, isa::size_of(binary.lhs.dtype),
                  machine_.vector.*kTileTile.at(index(binary.op)));
  }
  InstructionTime operator()(const isa::TBinaryScalar& binary) const {
    return vector(binary.src, isa::size_of(binary.src.dtype),
                  machine_.vector.*kTileScalar.at(index(binary.op)));
  }
  InstructionTime operator()(const isa::TUnary& unary) const {
    return vector(unary.src, isa::size_of(unary.src.dtype),
                  machine_.vector.*kUnary.at(static_cast<std::size_t>(unary.op)));
  }
  InstructionTime operator()(const isa::TCast& cast) const {
    return vector(cast.src, std::max(isa::size_of(cast.src.dtype), isa::size_of(cast.dst.dtype)),
                  machine_.vector.cast);
  }
  InstructionTime operator()(const isa::TFill& fill) const {
    isa::Tile whole = fill.dst;
    whole.valid_rows = whole.rows;
    whole.valid_cols = whole.cols;
    return vector(whole, isa::size_of(whole.dtype), machine_.vector.fill);
  }

  InstructionTime operator()(const isa::TMove& move) const {
    isa::Tile box = move.insert ? move.dst : move.src;
    box.valid_rows = move.rows;
    box.valid_cols = move.cols;
    if (move.dst.space == isa::MemorySpace::ub)
      return vector(box, isa::size_of(box.dtype), machine_.vector.copy);
    const CubeParameters& cube = machine_.cube;
    const double rate = move.dst.space == isa::MemorySpace::l0a ? cube.l0a_bytes_per_cycle
                                                                : cube.l0b_bytes_per_cycle;
    const auto bytes = static_cast<double>(box.valid_elements() * isa::size_of(box.dtype));
    return whole(cube.feed_startup_cycles + bytes / rate);
  }
  InstructionTime operator()(const isa::TRowSum& sum) const {
    return vector(sum.src, isa::size_of(sum.src.dtype), machine_.vector.row_sum);
  }
  /// hardware.md, section 1: the cube multiplies blocks of 16 rows by 32 bytes by 16 columns.
  InstructionTime operator()(const isa::TMatmul& product) const {
    constexpr std::int64_t kBlock = 16;
    const isa::DType dtype = product.lhs.dtype;
    const std::int64_t inner = isa::kBlockBytes / isa::size_of(dtype);
    const auto blocks = [](std::int64_t count, std::int64_t block) {
      return (count + block - 1) / block;
    };
    const std::int64_t steps = blocks(product.lhs.valid_rows, kBlock) *
                               blocks(product.lhs.valid_cols, inner) *
                               blocks(product.rhs.valid_cols, kBlock);
    const CubeParameters& cube = machine_.cube;
    return whole(cube.startup_cycles +
                 static_cast<double>(steps) *
                     (dtype == isa::DType::fp32 ? cube.fp32_step_cycles : cube.step_cycles));
  }

  InstructionTime operator()(const isa::ScalarRead& read) const {
    return scalar_access(read.gm.has_value());
  }
  InstructionTime operator()(const isa::ScalarWrite& write) const {
    return scalar_access(write.gm.has_value());
  }
  InstructionTime operator()(const isa::PipeBarrier& barrier) const {
    const CoreParameters& core = machine_.core;
    return whole(core.barrier_cycles + (barrier.after_flag ? core.flag_cycles : 0));
  }

  InstructionTime operator()(const isa::TPut&) const { return {}; }
  InstructionTime operator()(const isa::TGet&) const { return {}; }
  InstructionTime operator()(const isa::TPutAsync&) const { return {}; }
  InstructionTime operator()(const isa::TGetAsync&) const { return {}; }
  InstructionTime operator()(const isa::TWaitEvent&) const { return {}; }
  InstructionTime operator()(const isa::TNotify&) const { return {}; }
  InstructionTime operator()(const isa::TWait&) const { return {}; }
  InstructionTime operator()(const isa::TDeferWait&) const { return {}; }
  InstructionTime operator()(const isa::TaskBegin&) const { return {}; }
  InstructionTime operator()(const isa::TaskEnd&) const { return {}; }

 private:
  [[nodiscard]] std::uint64_t cycles(double count) const {
    return picoseconds(count / machine_.core.clock_hz);
  }

  [[nodiscard]] InstructionTime whole(double count) const {
    const std::uint64_t time = cycles(count);
    return {.startup_ps = time, .transfer_ps = 0, .issue_ps = time};
  }

  [[nodiscard]] InstructionTime scalar_access(bool global) const {
    if (!global) return whole(machine_.core.scalar_tile_cycles);
    const std::uint64_t time = picoseconds(machine_.core.scalar_access_seconds);
    return {.startup_ps = time, .transfer_ps = 0, .issue_ps = time};
  }

  /// The device moves the two inner dimensions with one DMA command and loops over the outer three,
  /// one command after the other.
  [[nodiscard]] InstructionTime transfer(const isa::GmBox& box, const TransferCost& cost) const {
    if (box.elements() == 0) return {};
    const auto commands = static_cast<double>(box.shape[0] * box.shape[1] * box.shape[2]);
    const CoreParameters& core = machine_.core;
    const double rate = cost.bytes_per_cycle *
                        (rows_aligned(box, core.gm_alignment_bytes) ? 1.0 : core.unaligned_rate);
    const double moving = static_cast<double>(box.payload_bytes()) / rate;
    const double moving_last = moving / commands;
    const double before_last = (commands - 1) * (cost.startup_cycles + moving_last);
    const double before_next = before_last + std::max(cost.issue_cycles, moving_last);
    const bool by_bytes = moving_last >= cost.issue_cycles;
    return {.startup_ps = cycles(commands * cost.startup_cycles),
            .transfer_ps = cycles(moving),
            .issue_ps = cycles(before_next),
            .issue_startup_ps = cycles((commands - 1) * cost.startup_cycles),
            .issue_bytes_ps = cycles(by_bytes ? moving : moving - moving_last)};
  }

  /// A tile whose valid box spans its columns is one run of bytes; of a narrower box each row takes
  /// repeats of its own.
  [[nodiscard]] InstructionTime vector(const isa::Tile& tile, std::int64_t element_bytes,
                                       const VectorCost& cost) const {
    if (tile.valid_elements() == 0) return {};
    const bool by_rows = tile.layout == isa::TileLayout::row_major;
    const std::int64_t lines = by_rows ? tile.valid_rows : tile.valid_cols;
    const std::int64_t line = by_rows ? tile.valid_cols : tile.valid_rows;
    const bool contiguous = line == (by_rows ? tile.cols : tile.rows);
    const auto repeat = machine_.core.vector_repeat_bytes;
    const auto line_bytes = static_cast<double>(line * element_bytes);
    const auto line_count = static_cast<double>(lines);
    const double repeats = contiguous ? std::ceil(line_count * line_bytes / repeat)
                                      : line_count * std::ceil(line_bytes / repeat);
    const bool masked = std::fmod(line_bytes, repeat) != 0;
    return whole(cost.slope_cycles * repeats + cost.bias_cycles +
                 (masked ? machine_.core.vector_masked_cycles : 0));
  }

  const MachineDescription& machine_;
};

}  // namespace

InstructionTime instruction_time(const isa::Operation& operation,
                                 const MachineDescription& machine) {
  return std::visit(Timing(machine), operation);
}

std::uint64_t link_time_ps(std::uint64_t payload_bytes, double bytes_per_second) {
  return picoseconds(static_cast<double>(payload_bytes) / bytes_per_second);
}

std::uint64_t header_bytes(std::uint64_t payload_bytes, const LinkParameters& link) {
  const std::uint64_t packets =
      (payload_bytes + link.packet_payload_bytes - 1) / link.packet_payload_bytes;
  return packets * link.packet_header_bytes;
}

}  // namespace a2a3::models
