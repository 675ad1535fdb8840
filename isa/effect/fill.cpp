// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "isa/effect/convert.hpp"
#include "isa/effect/effect.hpp"

namespace a2a3::isa {
namespace {

/// Writes `count` equal elements one after the other, the first of which is at `to` already.
void repeat_first(std::byte* to, std::size_t size, std::size_t count) {
  const std::size_t bytes = size * count;
  // Doubles what is filled.
  for (std::size_t filled = size; filled < bytes; filled *= 2)
    std::memcpy(to + filled, to, std::min(filled, bytes - filled));
}

void fill_padding(const Tile& tile, const std::byte* element, std::size_t size, std::byte* base) {
  const bool by_rows = tile.layout == TileLayout::row_major;
  const std::int64_t lines = by_rows ? tile.rows : tile.cols;
  const std::int64_t length = by_rows ? tile.cols : tile.rows;
  const std::int64_t valid_lines = by_rows ? tile.valid_rows : tile.valid_cols;
  const std::int64_t valid_length = by_rows ? tile.valid_cols : tile.valid_rows;
  for (std::int64_t line = 0; line < lines; ++line) {
    const std::int64_t first = line < valid_lines ? valid_length : 0;
    if (first == length) continue;
    std::byte* const to = base + static_cast<std::size_t>(line * length + first) * size;
    std::memcpy(to, element, size);
    repeat_first(to, size, static_cast<std::size_t>(length - first));
  }
}

}  // namespace

void apply(const TFill& fill, LocalMemory local) {
  std::array<std::byte, sizeof(std::uint64_t)> element;
  store_scalar(fill.value, fill.dst.dtype, element.data());
  const auto size = static_cast<std::size_t>(size_of(fill.dst.dtype));
  const auto bytes = static_cast<std::size_t>(fill.dst.bytes());
  if (bytes == 0) return;
  std::byte* const to = local.data() + fill.dst.offset_bytes;
  if (fill.padding_only) return fill_padding(fill.dst, element.data(), size, to);
  std::memcpy(to, element.data(), size);
  repeat_first(to, size, static_cast<std::size_t>(fill.dst.elements()));
}

}  // namespace a2a3::isa
