// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "interp/kernel_run.hpp"
#include "interp/tile_allocator.hpp"
#include "isa/operand.hpp"

namespace a2a3::interp {

/// Places tiles in one core's own memories, which lie one behind the other (isa::LocalMemory).
class CoreMemories {
 public:
  explicit CoreMemories(const CoreLimits& limits);

  /// The tile's offset; nothing when its memory has no gap of that size.
  [[nodiscard]] std::optional<std::uint32_t> allocate(isa::MemorySpace space, std::uint64_t bytes,
                                                      std::uint32_t tag);
  void retain(const isa::Tile& tile);
  void release(const isa::Tile& tile);
  [[nodiscard]] bool has_one_holder(const isa::Tile& tile) const;
  void clear();

  /// One memory's blocks, counted from its own begin.
  [[nodiscard]] const TileAllocator& of(isa::MemorySpace space) const {
    return memory(space).tiles;
  }
  [[nodiscard]] std::uint32_t begin_of(isa::MemorySpace space) const { return memory(space).begin; }

 private:
  struct Memory {
    std::uint32_t begin = 0;
    TileAllocator tiles;
  };
  static constexpr std::size_t kMemories = 5;

  // The spaces of isa::MemorySpace without global memory.
  [[nodiscard]] static std::size_t index(isa::MemorySpace space) {
    return static_cast<std::size_t>(space) - 1;
  }
  [[nodiscard]] Memory& memory(isa::MemorySpace space) { return memories_[index(space)]; }
  [[nodiscard]] const Memory& memory(isa::MemorySpace space) const {
    return memories_[index(space)];
  }

  std::array<Memory, kMemories> memories_;
};

/// "unified buffer", "L1 (MemorySpace.Mat)".
[[nodiscard]] std::string name_of(isa::MemorySpace space);

}  // namespace a2a3::interp
