// SPDX-License-Identifier: Apache-2.0
// Tiles: where they lie in the unified buffer, and arithmetic on them.
#include <limits>

#include <fmt/format.h>

#include "interp/kernel_core.hpp"

namespace a2a3::interp {
namespace {

bool same_box(const TileValue& a, const TileValue& b) {
  return a.tile.rows == b.tile.rows && a.tile.cols == b.tile.cols && a.tile.layout == b.tile.layout;
}

/// `put` of `_put0_stage`: the operation whose lowering made a staging tile; empty for a tile of
/// the kernel's own.
std::string staging_tile_of(const std::string& name) {
  const std::size_t end = name.find_first_of("0123456789");
  if (!name.starts_with('_') || end == std::string::npos ||
      name.find("_stage", end) == std::string::npos)
    return {};
  return name.substr(1, end - 1);
}

std::string shape_text(const TileValue& value) {
  std::string text = "[";
  for (std::size_t d = 0; d < value.rank; ++d) {
    text += fmt::format("{}{}", d > 0 ? ", " : "", value.shape[d]);
  }
  return text + "] " + std::string(isa::name(value.tile.dtype));
}

}  // namespace

KernelCore::Step KernelCore::describe_shape(const Op& op, const RegisterList& shape,
                                            TileValue& value) {
  std::int64_t elements = 1;
  std::int64_t rows = 1;
  value.rank = shape.rank;
  for (std::size_t d = 0; d < shape.rank; ++d) {
    const std::int64_t size = scalar(shape.index[d]);
    if (size <= 0) {
      return fault(op, fmt::format("tile shape[{}] is {}, it must be positive", d, size));
    }
    if (size > std::numeric_limits<std::int32_t>::max() / elements) {
      return fault(op, fmt::format("tile shape[{}] is {}: the tile is larger than any unified "
                                   "buffer ({} bytes here)",
                                   d, size, context_.limits.ub_bytes));
    }
    elements *= size;
    if (d + 1u < shape.rank) rows *= size;
    value.shape[d] = static_cast<std::int32_t>(size);
  }
  isa::Tile& tile = value.tile;
  tile.rows = tile.valid_rows = static_cast<std::int32_t>(rows);
  tile.cols = tile.valid_cols = static_cast<std::int32_t>(elements / rows);
  if (tile.cols == 1 && tile.rows > 1) tile.layout = isa::TileLayout::col_major;
  return Step::go_on;
}

KernelCore::Step KernelCore::overflow(const Op& op, isa::MemorySpace space, const std::string& what,
                                      std::uint64_t needed_bytes, bool can_be_chunked) {
  const TileAllocator& memory = memories_.of(space);
  const std::uint64_t free_bytes = memory.free_bytes();
  const std::uint64_t gap_bytes = memory.largest_gap_bytes();
  const std::uint32_t begin = memories_.begin_of(space);
  std::vector<ir::Note> notes;
  for (const TileAllocator::Block& block : memory.blocks()) {
    std::string text = fmt::format("{} bytes of it belong to a staging tile", block.size_bytes);
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      if (!tiles_[i].held || tiles_[i].tile.offset_bytes != begin + block.offset_bytes) continue;
      const std::string& name = frame_.program->tile_names[i];
      const std::string transfer = staging_tile_of(name);
      text = fmt::format("{} bytes of it hold {} {}, made here", block.size_bytes,
                         !transfer.empty() ? "the staging tile of " + transfer
                         : name.empty()    ? std::string{"an intermediate tile"}
                                           : "tile \"" + name + "\"",
                         shape_text(tiles_[i]));
      break;
    }
    notes.push_back({std::move(text), context_.sources.location(block.tag)});
  }
  std::string message =
      fmt::format("{} overflow: {} needs {} bytes, {} of {} bytes are available", name_of(space),
                  what, needed_bytes, free_bytes, memory.capacity_bytes());
  if (gap_bytes < free_bytes) message += fmt::format(" (largest gap {})", gap_bytes);
  if (can_be_chunked) {
    notes.push_back(
        {"chunk_rows= and chunk_cols= bound the staging tile: the transfer is then cut "
         "into chunks of that size",
         {}});
  }
  return fault(op, std::move(message), std::move(notes));
}

KernelCore::Step KernelCore::place_tile(Register into, TileValue value, const Op& op) {
  const isa::MemorySpace space = value.tile.space;
  const auto offset =
      memories_.allocate(space, static_cast<std::uint64_t>(value.tile.bytes()), op.source);
  if (!offset) {
    const std::string& name = frame_.program->tile_names[static_cast<std::size_t>(into)];
    const std::string transfer = staging_tile_of(name);
    const std::string what = !transfer.empty() ? "the staging tile of " + transfer + " "
                             : name.empty()    ? std::string{"tile "}
                                               : "tile \"" + name + "\" ";
    return overflow(op, space, what + shape_text(value),
                    static_cast<std::uint64_t>(value.tile.bytes()),
                    transfer == "put" || transfer == "get");
  }
  release(into);
  value.tile.offset_bytes = *offset;
  value.held = true;
  tile(into) = value;
  return Step::go_on;
}

bool KernelCore::can_take_place_of(Register operand, bool dies, const TileValue& value) const {
  const TileValue& old = tiles_[static_cast<std::size_t>(operand)];
  return dies && old.held && old.tile.dtype == value.tile.dtype && same_box(old, value) &&
         memories_.has_one_holder(old.tile);
}

void KernelCore::place_tile_in(Register into, TileValue value, Register operand) {
  value.tile.offset_bytes = tile(operand).tile.offset_bytes;
  value.tile.space = tile(operand).tile.space;
  value.held = true;
  tile(operand).held = false;
  release(into);
  tile(into) = value;
}

void KernelCore::release(Register dead) {
  TileValue& value = tile(dead);
  if (!value.held) return;
  memories_.release(value.tile);
  value.held = false;
}

KernelCore::Step KernelCore::move_tile(const Op& op) {
  return share_tile(op.dst, tile(op.a));
}

KernelCore::Step KernelCore::create(const Op& op, const TileSite& site, bool fill) {
  TileValue value;
  value.tile.dtype = site.dtype;
  value.tile.space = site.space;
  if (describe_shape(op, site.shape, value) == Step::fault ||
      place_tile(op.dst, value, op) == Step::fault) {
    return Step::fault;
  }
  if (!fill) {
    created_.push_back(tile(op.dst).tile);
    return Step::go_on;
  }
  instruction_.operation =
      isa::TFill{tile(op.dst).tile, make_scalar(scalar(site.value.index), site.value.dtype)};
  return Step::emit;
}

KernelCore::Step KernelCore::binary(const Op& op, const BinarySite& site) {
  const TileValue lhs = tile(site.lhs);
  const bool with_scalar = op.code == OpCode::tile_binary_scalar;
  const TileValue rhs = with_scalar ? lhs : tile(site.rhs);
  const auto fits = [](std::int32_t a, std::int32_t b) { return a == b || b == 1; };
  if (!fits(lhs.tile.rows, rhs.tile.rows) || !fits(lhs.tile.cols, rhs.tile.cols)) {
    return fault(op, fmt::format("elementwise operation on tiles of {} and {}: shapes do not fit "
                                 "together",
                                 shape_text(lhs), shape_text(rhs)));
  }
  if (can_take_place_of(site.lhs, site.lhs_dies, lhs)) {
    place_tile_in(op.dst, lhs, site.lhs);
  } else if (!with_scalar && can_take_place_of(site.rhs, site.rhs_dies, lhs)) {
    place_tile_in(op.dst, lhs, site.rhs);
  } else if (place_tile(op.dst, lhs, op) == Step::fault) {
    return Step::fault;
  }
  if (with_scalar) {
    instruction_.operation =
        isa::TBinaryScalar{site.op, lhs.tile, make_scalar(scalar(site.rhs), site.scalar_dtype),
                           tile(op.dst).tile, site.scalar_first};
  } else {
    instruction_.operation = isa::TBinary{site.op, lhs.tile, rhs.tile, tile(op.dst).tile};
  }
  return Step::emit;
}

KernelCore::Step KernelCore::cast(const Op& op, const CastSite& site) {
  const TileValue source = tile(site.src);
  TileValue value = source;
  value.tile.dtype = site.dtype;
  if (can_take_place_of(site.src, site.src_dies, value)) {
    place_tile_in(op.dst, value, site.src);
    if (op.code == OpCode::tile_copy) return Step::go_on;
  } else if (place_tile(op.dst, value, op) == Step::fault) {
    return Step::fault;
  }
  instruction_.operation = isa::TCast{source.tile, tile(op.dst).tile, site.mode};
  return Step::emit;
}

}  // namespace a2a3::interp
