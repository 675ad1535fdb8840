// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace a2a3::interp {

/// Places tiles in one core's unified buffer: the lowest gap that is large enough, aligned to 32
/// bytes. A block may be held by several registers; it is free when the last lets go.
class TileAllocator {
 public:
  static constexpr std::uint64_t kAlignBytes = 32;

  struct Block {
    std::uint32_t offset_bytes = 0;
    std::uint32_t size_bytes = 0;  ///< a multiple of the alignment
    std::uint32_t holders = 0;
    std::uint32_t tag = 0;  ///< the owner's own, for messages
  };

  explicit TileAllocator(std::uint64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  /// The block's offset; nothing when no gap is large enough.
  [[nodiscard]] std::optional<std::uint32_t> allocate(std::uint64_t bytes, std::uint32_t tag);
  void retain(std::uint32_t offset_bytes);
  void release(std::uint32_t offset_bytes);
  /// True when one register alone holds the block.
  [[nodiscard]] bool has_one_holder(std::uint32_t offset_bytes) const;
  void clear() { blocks_.clear(); }

  [[nodiscard]] std::uint64_t capacity_bytes() const { return capacity_bytes_; }
  [[nodiscard]] std::uint64_t free_bytes() const;
  [[nodiscard]] std::uint64_t largest_gap_bytes() const;
  /// By offset.
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }

 private:
  [[nodiscard]] std::size_t find(std::uint32_t offset_bytes) const;

  std::uint64_t capacity_bytes_;
  std::vector<Block> blocks_;  ///< sorted by offset
};

}  // namespace a2a3::interp
