// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "isa/effect/effect.hpp"

namespace a2a3::isa {

void apply(const TMove& move, LocalMemory local) {
  const auto size = static_cast<std::size_t>(size_of(move.src.dtype));
  const std::byte* const from = local.data() + move.src.offset_bytes;
  std::byte* const to = local.data() + move.dst.offset_bytes;
  const auto source = [&](std::int32_t row, std::int32_t col) {
    return from + static_cast<std::size_t>(
                      move.src.element_index(move.src_row + row, move.src_col + col)) *
                      size;
  };
  const auto target = [&](std::int32_t row, std::int32_t col) {
    return to + static_cast<std::size_t>(
                    move.dst.element_index(move.dst_row + row, move.dst_col + col)) *
                    size;
  };
  if (move.cols == 0) return;
  const bool by_rows =
      move.src.layout == TileLayout::row_major && move.dst.layout == TileLayout::row_major;
  for (std::int32_t row = 0; row < move.rows; ++row) {
    if (by_rows) {
      std::memmove(target(row, 0), source(row, 0), static_cast<std::size_t>(move.cols) * size);
      continue;
    }
    for (std::int32_t col = 0; col < move.cols; ++col)
      std::memmove(target(row, col), source(row, col), size);
  }
}

}  // namespace a2a3::isa
