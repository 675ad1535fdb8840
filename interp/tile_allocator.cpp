// SPDX-License-Identifier: Apache-2.0
#include "interp/tile_allocator.hpp"

#include <algorithm>

namespace a2a3::interp {

std::optional<std::uint32_t> TileAllocator::allocate(std::uint64_t bytes, std::uint32_t tag) {
  if (bytes > capacity_bytes_) return std::nullopt;
  const std::uint64_t needed =
      std::max(kAlignBytes, (bytes + kAlignBytes - 1) / kAlignBytes * kAlignBytes);
  std::uint64_t begin = 0;
  auto place = blocks_.begin();
  for (; place != blocks_.end(); ++place) {
    if (place->offset_bytes - begin >= needed) break;
    begin = std::uint64_t{place->offset_bytes} + place->size_bytes;
  }
  if (place == blocks_.end() && begin + needed > capacity_bytes_) return std::nullopt;
  blocks_.insert(place,
                 {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(needed), 1, tag});
  return static_cast<std::uint32_t>(begin);
}

std::size_t TileAllocator::find(std::uint32_t offset_bytes) const {
  std::size_t i = 0;
  while (i < blocks_.size() && blocks_[i].offset_bytes != offset_bytes)
    ++i;
  return i;
}

void TileAllocator::retain(std::uint32_t offset_bytes) {
  const std::size_t i = find(offset_bytes);
  if (i < blocks_.size()) ++blocks_[i].holders;
}

void TileAllocator::release(std::uint32_t offset_bytes) {
  const std::size_t i = find(offset_bytes);
  if (i == blocks_.size() || --blocks_[i].holders > 0) return;
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
}

bool TileAllocator::has_one_holder(std::uint32_t offset_bytes) const {
  const std::size_t i = find(offset_bytes);
  return i < blocks_.size() && blocks_[i].holders == 1;
}

std::uint64_t TileAllocator::free_bytes() const {
  std::uint64_t used = 0;
  for (const Block& block : blocks_)
    used += block.size_bytes;
  return capacity_bytes_ - used;
}

std::uint64_t TileAllocator::largest_gap_bytes() const {
  std::uint64_t begin = 0;
  std::uint64_t largest = 0;
  for (const Block& block : blocks_) {
    largest = std::max(largest, block.offset_bytes - begin);
    begin = std::uint64_t{block.offset_bytes} + block.size_bytes;
  }
  return std::max(largest, capacity_bytes_ - begin);
}

}  // namespace a2a3::interp
