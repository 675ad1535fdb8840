// SPDX-License-Identifier: Apache-2.0
// Boxes of tiles: slices, insertions, other shapes of the same elements.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "interp/kernel_core.hpp"

namespace a2a3::interp {

KernelCore::Step KernelCore::check_tile_box(const Op& op, const char* what, const TileValue& tile,
                                            const TileBoxSite& site, isa::TMove& move) {
  const Extents offsets = extents(site.offsets);
  const Extents shape = extents(site.shape);
  for (std::size_t d = 0; d < site.offsets.rank; ++d) {
    const std::int64_t size = d < tile.rank ? tile.shape[d] : 0;
    if (offsets[d] >= 0 && offsets[d] <= size && shape[d] <= size - offsets[d]) continue;
    return fault(op, fmt::format("{} {} to {} of dimension {}, the tile has {}", what, offsets[d],
                                 offsets[d] + shape[d], d, size));
  }
  const std::size_t last = site.offsets.rank - 1u;
  const bool has_rows = site.offsets.rank > 1;
  move.src_row = has_rows ? static_cast<std::int32_t>(offsets[0]) : 0;
  move.src_col = static_cast<std::int32_t>(offsets[last]);
  move.rows = has_rows ? static_cast<std::int32_t>(shape[0]) : 1;
  move.cols = static_cast<std::int32_t>(shape[last]);
  return Step::go_on;
}

KernelCore::Step KernelCore::slice_tile(const Op& op, const TileBoxSite& site) {
  const TileValue source = tile(op.a);
  isa::TMove move;
  if (check_tile_box(op, "slice takes", source, site, move) == Step::fault) return Step::fault;
  TileValue value;
  value.tile.dtype = source.tile.dtype;
  for (std::size_t d = 0; d < site.offsets.rank; ++d) {
    if (site.dropped[d]) continue;
    value.shape[value.rank++] = static_cast<std::int32_t>(scalar(site.shape.index[d]));
  }
  isa::Tile& box = value.tile;
  box.rows = move.rows;
  box.cols = move.cols;
  box.valid_rows = std::clamp(source.tile.valid_rows - move.src_row, 0, move.rows);
  box.valid_cols = std::clamp(source.tile.valid_cols - move.src_col, 0, move.cols);
  if (box.cols == 1 && box.rows > 1) box.layout = isa::TileLayout::col_major;
  if (place_tile(op.dst, value, op) == Step::fault) return Step::fault;
  move.src = source.tile;
  move.dst = tile(op.dst).tile;
  move.rows = box.valid_rows;
  move.cols = box.valid_cols;
  if (site.dropped[1] && move.dst.cols == 1) {
    // A column whose axis is dropped: its elements lie side by side and are a row from now on.
    isa::Tile& row = tile(op.dst).tile;
    row.layout = isa::TileLayout::row_major;
    std::swap(row.rows, row.cols);
    std::swap(row.valid_rows, row.valid_cols);
    if (row.valid_cols == 0) row.valid_rows = 0;
  }
  if (move.rows == 0 || move.cols == 0) return Step::go_on;
  instruction_.operation = move;
  return Step::emit;
}

KernelCore::Step KernelCore::insert_tile(const Op& op, const TileBoxSite& site) {
  const TileValue target = tile(op.a);
  const isa::Tile source = tile(op.b).tile;
  isa::TMove box;
  if (check_tile_box(op, "assemble writes", target, site, box) == Step::fault) return Step::fault;
  isa::TMove move;
  move.src = source;
  move.dst = target.tile;
  move.dst_row = box.src_row;
  move.dst_col = box.src_col;
  move.rows = source.valid_rows;
  move.cols = source.valid_cols;
  move.insert = true;
  if (source.rows != box.rows) {
    // A row that fills a column of the target: the same elements as a column.
    move.src.layout = isa::TileLayout::col_major;
    std::swap(move.src.rows, move.src.cols);
    std::swap(move.rows, move.cols);
  }
  (void)share_tile(op.dst, target);
  if (move.rows == 0 || move.cols == 0) return Step::go_on;
  instruction_.operation = move;
  return Step::emit;
}

KernelCore::Step KernelCore::reshape_tile(const Op& op, const TileSite& site) {
  TileValue value = tile(op.a);
  const isa::Tile before = value.tile;
  if (before.valid_rows != before.rows || before.valid_cols != before.cols) {
    return fault(op, fmt::format("reshape of a tile whose valid box is {} x {} of {} x {}: only a "
                                 "tile that is valid as a whole can take another shape",
                                 before.valid_rows, before.valid_cols, before.rows, before.cols));
  }
  value.tile.layout = isa::TileLayout::row_major;
  if (describe_shape(op, site.shape, value) == Step::fault) return Step::fault;
  return share_tile(op.dst, value);
}

}  // namespace a2a3::interp
