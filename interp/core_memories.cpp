// SPDX-License-Identifier: Apache-2.0
#include "interp/core_memories.hpp"

#include "isa/memory.hpp"

namespace a2a3::interp {

CoreMemories::CoreMemories(const CoreLimits& limits)
    : memories_{
          Memory{0, TileAllocator(limits.ub_bytes)}, Memory{0, TileAllocator(limits.l1_bytes)},
          Memory{0, TileAllocator(limits.l0a_bytes)}, Memory{0, TileAllocator(limits.l0b_bytes)},
          Memory{0, TileAllocator(limits.l0c_bytes)}} {
  for (std::size_t i = 1; i < kMemories; ++i) {
    const Memory& before = memories_[i - 1];
    memories_[i].begin = before.begin + static_cast<std::uint32_t>(
                                            isa::local_bytes({before.tiles.capacity_bytes()}));
  }
}

std::optional<std::uint32_t> CoreMemories::allocate(isa::MemorySpace space, std::uint64_t bytes,
                                                    std::uint32_t tag) {
  Memory& in = memory(space);
  const auto offset = in.tiles.allocate(bytes, tag);
  if (!offset) return std::nullopt;
  return in.begin + *offset;
}

void CoreMemories::retain(const isa::Tile& tile) {
  Memory& in = memory(tile.space);
  in.tiles.retain(tile.offset_bytes - in.begin);
}

void CoreMemories::release(const isa::Tile& tile) {
  Memory& in = memory(tile.space);
  in.tiles.release(tile.offset_bytes - in.begin);
}

bool CoreMemories::has_one_holder(const isa::Tile& tile) const {
  const Memory& in = memory(tile.space);
  return in.tiles.has_one_holder(tile.offset_bytes - in.begin);
}

void CoreMemories::clear() {
  for (Memory& memory : memories_)
    memory.tiles.clear();
}

std::string name_of(isa::MemorySpace space) {
  switch (space) {
    case isa::MemorySpace::gm:
      return "global memory";
    case isa::MemorySpace::ub:
      return "unified buffer";
    case isa::MemorySpace::l1:
      return "L1 (MemorySpace.Mat)";
    case isa::MemorySpace::l0a:
      return "L0A (MemorySpace.Left)";
    case isa::MemorySpace::l0b:
      return "L0B (MemorySpace.Right)";
    case isa::MemorySpace::l0c:
      return "L0C (MemorySpace.Acc)";
  }
  return "memory";
}

}  // namespace a2a3::interp
