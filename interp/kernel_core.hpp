// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "interp/core_memories.hpp"
#include "interp/frame.hpp"
#include "interp/remaining.hpp"
#include "interp/run_context.hpp"
#include "isa/instruction_source.hpp"

namespace a2a3::interp {

/// A tile register: the tile in one of the core's memories, and its shape as the kernel wrote it.
struct TileValue {
  isa::Tile tile;
  std::uint8_t rank = 0;
  bool held = false;  ///< owns its block of the memory, alone or with other registers
  std::array<std::int32_t, isa::kBoxDims> shape{};
};

/// The tasks that one core gets as a stream of instructions. The state is a program counter, the
/// registers and the tile allocator; the programs are shared by all cores.
class KernelCore final : public isa::InstructionSource {
 public:
  KernelCore(RunContext& context, std::uint32_t device, std::uint32_t core);

  isa::Fetch next() override;

  /// Runs the rest of its task as if every wait ended and nothing happened to memory. Up to the
  /// first element that it reads, whose value nobody knows, this is exact.
  [[nodiscard]] RemainingWork finish_task(std::size_t max_signals, std::uint64_t max_steps);
  /// Takes this task, which no scheduler has dealt to it.
  void begin(std::uint32_t task);

  [[nodiscard]] std::uint64_t steps() const { return frame_.steps; }

  /// Of the instruction that was handed out last.
  [[nodiscard]] isa::SourceId last_source() const { return instruction_.source; }

 private:
  enum class Step : std::uint8_t { emit, go_on, fault };

  [[nodiscard]] const Task& task() const { return context_.plan.tasks[task_]; }
  void start_task();
  isa::Fetch emit(isa::SourceId source);
  /// The notifies and waits that the program can reach from here.
  [[nodiscard]] std::vector<PossibleSignal> reachable_signals() const;
  Step effect(const Op& op);

  // Effects; kernel_core_memory.cpp.
  Step load(const Op& op, const LoadSite& site);
  Step store(const Op& op, const StoreSite& site);
  Step signal(const Op& op, const SignalSite& site);
  Step element(const Op& op, const ElementSite& site);
  Step tile_element(const Op& op, const ElementSite& site, isa::Tile& out);
  // kernel_core_transfer.cpp
  Step transfer(const Op& op, const TransferSite& site);
  Step make_stage(const Op& op, const TransferSite& site, const isa::GmBox& box, isa::Tile& stage,
                  std::optional<isa::Tile>& stage2);
  Step self_transfer_overlap(const Op& op, const isa::GmBox& dst, const isa::GmBox& src,
                             const TransferSite& site);
  // kernel_core_tile.cpp
  Step binary(const Op& op, const BinarySite& site);
  Step cast(const Op& op, const CastSite& site);
  Step create(const Op& op, const TileSite& site, bool fill);
  Step move_tile(const Op& op);
  void release(Register tile);
  // kernel_core_view.cpp
  Step share_tile(Register into, TileValue value);
  Step set_valid_shape(const Op& op);
  Step fill_padding(const Op& op, const TileSite& site);
  Step reshape(const Op& op, const ShapeSite& site);
  Step view(const Op& op, const ViewSite& site);
  /// Makes a view the content of a reference register.
  void place_view(Register into, const BoundTensor& view);
  /// The first place from `first` on that no reference register but `into` holds.
  [[nodiscard]] std::size_t unused_place(Register into, std::size_t first, std::size_t count) const;
  // kernel_core_box.cpp
  Step reshape_tile(const Op& op, const TileSite& site);
  Step slice_tile(const Op& op, const TileBoxSite& site);
  Step insert_tile(const Op& op, const TileBoxSite& site);
  Step check_tile_box(const Op& op, const char* what, const TileValue& tile,
                      const TileBoxSite& site, isa::TMove& move);
  // kernel_core_cube.cpp
  Step feed_cube(const Op& op, const TileBoxSite& site);
  Step row_sum(const Op& op);
  Step matmul(const Op& op);
  // kernel_core_array.cpp
  Step create_array(const Op& op);
  Step array_element(const Op& op);
  Step check_signal(const Op& op, const SignalCheckSite& site);
  Step check_count(const Op& op);
  Step begin_collective(const Op& op, const CollectiveSite& site);
  /// Allocates `value`'s bytes and makes it the content of a register, whose former tile is freed.
  Step place_tile(Register into, TileValue value, const Op& op);
  /// The same in the block of a dying operand.
  void place_tile_in(Register into, TileValue value, Register operand);
  [[nodiscard]] bool can_take_place_of(Register operand, bool dies, const TileValue& value) const;
  Step describe_shape(const Op& op, const RegisterList& shape, TileValue& value);
  Step overflow(const Op& op, isa::MemorySpace space, const std::string& what,
                std::uint64_t needed_bytes, bool can_be_chunked);

  // Operands.
  [[nodiscard]] Extents extents(const RegisterList& list) const {
    Extents values{};
    for (std::size_t d = 0; d < list.rank; ++d)
      values[d] = scalar(list.index[d]);
    return values;
  }
  [[nodiscard]] std::int64_t scalar(Register index) const {
    return frame_.scalars[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] TileValue& tile(Register index) { return tiles_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const BoundTensor& tensor(Register index) const {
    return tensors_[static_cast<std::size_t>(frame_.references[static_cast<std::size_t>(index)])];
  }
  /// Checks the number of offsets and that [offsets, offsets + extents) lies in the tensor.
  Step check_bounds(const Op& op, const char* action, const BoundTensor& tensor,
                    std::uint8_t offset_rank, const Extents& offsets, const Extents& extents,
                    std::int64_t peer);
  Step check_peer(const Op& op, const char* name, const BoundTensor& tensor, std::int64_t peer);

  Step fault(const Op& op, std::string message, std::vector<ir::Note> notes = {});
  Step stopped(const Advance& advance);
  /// Once for each line.
  void warn_of_wrapping(const Op& op, ir::WideInteger exact, isa::DType dtype);

  RunContext& context_;
  std::uint32_t device_;
  std::uint32_t core_;
  std::uint32_t task_ = 0;  ///< the one that runs, or ran last
  isa::FetchStatus status_ = isa::FetchStatus::instruction;
  bool in_task_ = false;
  Frame frame_;
  std::vector<BoundTensor> tensors_;  ///< the arguments, then places for views
  std::vector<std::vector<std::int64_t>> arrays_;
  std::size_t first_view_ = 0;
  std::vector<TileValue> tiles_;
  CoreMemories memories_;
  isa::Instruction instruction_;
  std::vector<isa::Tile> created_;     ///< since the instruction before
  std::vector<isa::Tile> handed_out_;  ///< with the last instruction
  isa::Scalar read_value_;
  Register read_into_ = kNoRegister;  ///< scalar register that waits for read_value_
  std::array<isa::Tile, 2> stages_{};
  int stage_count_ = 0;  ///< stages of the transfer handed out last
};

}  // namespace a2a3::interp
