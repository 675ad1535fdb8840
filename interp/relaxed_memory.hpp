// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "interp/kernel_run.hpp"
#include "isa/hazard.hpp"
#include "isa/instruction.hpp"
#include "isa/write_lane.hpp"

namespace a2a3::interp {

/// How the untimed engine reorders what a relaxed machine may reorder.
struct RelaxedOrder {
  std::uint64_t seed = 0;
  /// Every store and put is fenced: what a core wrote is in memory before its next signal is, and
  /// a put, a get or a remote store before the core goes on. Else it is only when the task ends.
  bool fenced = true;
  /// Windows are zeroed when their device executes its first instruction, not before the run.
  struct Zeroing {
    isa::GlobalAddress address;
    std::uint64_t bytes = 0;
    isa::SourceId source = 0;
  };
  std::vector<Zeroing> zeroings;
  /// A Set writes the whole line of so many bytes, as it was when the core came to the notify; 0:
  /// its cell alone.
  std::uint64_t set_line_bytes = 0;
  /// For the race check, by device: the bytes of windows and tensors, begin to end. What a line has
  /// besides them is nobody's.
  std::vector<std::map<std::uint64_t, std::uint64_t>> used_bytes;
  /// For the race check: isa::unfenced_index() of the run's tasks.
  std::uint32_t unfenced_index = 0;
  /// For the race check, in a task order with zeroings (task_order()): the zeroing of device d is
  /// this task and d more.
  std::uint32_t first_zeroing_task = 0;
};

/// The writes that the cores of a relaxed machine have made and that are not in memory yet. Those
/// of a core to one device land in the order of their making, at moments drawn at random; how long
/// they take as a rule is drawn for each pair of core and device, how slow a rank is for each rank.
/// The core itself sees them at once.
class RelaxedMemory {
 public:
  RelaxedMemory(const std::vector<KernelRun::Core>& cores, const RelaxedOrder& order);

  /// Which of the cores that can run takes its turn, an index into `ready`; those of a slow rank do
  /// so less often.
  [[nodiscard]] std::size_t choose(const std::deque<std::size_t>& ready);

  /// Whether what the operation writes is in flight for a while.
  [[nodiscard]] static bool is_delayed(const isa::Operation& operation);
  /// Whether everything that the core wrote has to be in memory before the operation.
  [[nodiscard]] bool is_fence(const isa::Operation& operation) const;
  /// Whether what the operation writes has to be there before the core goes on.
  [[nodiscard]] bool fences_itself(std::size_t core, const isa::Operation& operation) const;

  /// The whole line that a Set writes, inside of its memory; empty when nothing but a cell is
  /// written.
  [[nodiscard]] isa::ByteRange line_of(const isa::Operation& operation,
                                       std::span<const std::span<std::byte>> gm) const;
  /// What of the device's memory is to be zeroed before its first instruction; once.
  [[nodiscard]] std::vector<RelaxedOrder::Zeroing> take_zeroings(std::uint32_t device);

  void add(std::size_t core, isa::GlobalAddress address, std::span<const std::byte> bytes,
           std::optional<isa::DType> added);
  /// Whether something that the core wrote is in flight.
  [[nodiscard]] bool in_flight(std::size_t core) const { return in_flight_[core] != 0; }

  using Landing = std::pair<std::size_t, isa::WriteInFlight>;  ///< and the core that wrote it
  /// What lands now, if anything; with `at_once` something does unless nothing is in flight.
  [[nodiscard]] std::optional<Landing> land(bool at_once);
  /// The oldest of the core's writes that has to land before none of them touches these bytes.
  [[nodiscard]] std::optional<Landing> land_behind(std::size_t core, isa::GlobalAddress address,
                                                   std::size_t bytes);

 private:
  struct Lane {
    std::size_t core = 0;
    std::uint64_t patience = 1;  ///< turns until its oldest write lands, on average
    isa::WriteLane writes;
  };
  [[nodiscard]] Landing take(std::size_t lane);

  std::mt19937_64 random_;
  bool fenced_;
  std::uint64_t set_line_bytes_;
  std::vector<std::vector<RelaxedOrder::Zeroing>> zeroings_;  ///< not made yet, by device
  std::vector<std::uint32_t> device_of_core_;
  std::vector<std::uint64_t> slowness_;   ///< by device
  std::vector<std::uint64_t> in_flight_;  ///< writes, by core
  std::vector<Lane> lanes_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> lane_of_;  ///< core, device
  std::vector<std::size_t> busy_;                                         ///< lanes not empty
};

}  // namespace a2a3::interp
