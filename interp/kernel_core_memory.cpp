// SPDX-License-Identifier: Apache-2.0
// Loads, stores, signals and single elements.
#include <algorithm>

#include <fmt/format.h>

#include "interp/kernel_core.hpp"

namespace a2a3::interp {
namespace {

/// Rows of the flattened box that the valid part of a shape fills, provided that they are the first
/// ones: behind the first leading dimension with more than one valid index all must be full.
/// -1 when they are not.
std::int64_t valid_rows(std::uint8_t rank, const Extents& shape, const Extents& valid) {
  std::int64_t rows = 1;
  bool all_full = false;
  for (std::size_t d = 0; d + 1 < rank; ++d) {
    rows *= valid[d];
    if (rows == 0) return 0;
    if (all_full && valid[d] != shape[d]) return -1;
    all_full = all_full || valid[d] != 1;
  }
  return rows;
}

}  // namespace

KernelCore::Step KernelCore::check_bounds(const Op& op, const char* action,
                                          const BoundTensor& tensor, std::uint8_t offset_rank,
                                          const Extents& offsets, const Extents& extents,
                                          std::int64_t peer) {
  if (offset_rank != tensor.rank) {
    return fault(op, fmt::format("{} gives {} offsets for \"{}\", which has {} dimensions", action,
                                 offset_rank, tensor.argument->name, tensor.rank));
  }
  const int outside = dimension_outside(tensor, offsets, extents);
  if (outside < 0) return Step::go_on;
  const auto d = static_cast<std::size_t>(outside);
  return fault(
      op,
      action + std::string(" ") + describe_outside(tensor, outside, offsets[d], extents[d], peer),
      {{tensor.places != nullptr
            ? "offset and extent must stay inside the window: correct them, or give the "
              "window a larger shape in pld.window, and its buffer the bytes for it"
            : "offset and extent must stay inside the tensor",
        {}}});
}

KernelCore::Step KernelCore::check_peer(const Op& op, const char* name, const BoundTensor& tensor,
                                        std::int64_t peer) {
  if (peer >= 0 && peer < tensor.ranks()) return Step::go_on;
  return fault(
      op,
      fmt::format("{} addresses peer {}, the domain of \"{}\" has ranks 0..{}", name, peer,
                  tensor.argument->name, tensor.ranks() - 1),
      {{"let a loop over peers end at pld.nranks(ctx), and take the neighbours of a ring as "
        "(me + 1) % nranks and (me + nranks - 1) % nranks",
        {}}});
}

KernelCore::Step KernelCore::load(const Op& op, const LoadSite& site) {
  const BoundTensor& source = tensor(site.tensor);
  const bool remote = site.peer != kNoRegister;
  const std::int64_t peer = remote ? scalar(site.peer) : -1;
  if (remote && check_peer(op, "remote_load", source, peer) == Step::fault) return Step::fault;

  TileValue value;
  value.tile.dtype = source.dtype;
  value.tile.space = site.space;
  if (describe_shape(op, site.shape, value) == Step::fault) return Step::fault;
  Extents offsets = extents(site.offsets);
  const Extents shape = extents(site.shape);
  Extents valid = shape;
  if (!site.valid_shape.empty()) valid = extents(site.valid_shape);
  if (site.clamp && site.offsets.rank == source.rank) {
    // What lies behind the tensor's end is left out.
    for (std::size_t d = 0; d < source.rank; ++d) {
      offsets[d] = std::min(offsets[d], source.shape[d]);
      valid[d] = std::min(valid[d], source.shape[d] - offsets[d]);
    }
  }
  if (!site.valid_shape.empty() || site.clamp) {
    for (std::size_t d = 0; d < site.shape.rank; ++d) {
      if (valid[d] < 0 || valid[d] > shape[d]) {
        return fault(op,
                     fmt::format("valid_shape[{}] is {}, it must be in 0..{} (the tile's shape)", d,
                                 valid[d], shape[d]));
      }
    }
    const std::int64_t rows = valid_rows(site.shape.rank, shape, valid);
    if (rows < 0) {
      return fault(op,
                   "valid_shape is no rectangle of the flattened tile: behind the first "
                   "dimension with more than one valid index every leading one must be full");
    }
    value.tile.valid_rows = static_cast<std::int32_t>(rows);
    value.tile.valid_cols = static_cast<std::int32_t>(valid[site.shape.rank - 1u]);
  }
  Extents inside = valid;
  if (site.padded) {
    // The rest of the last 32-byte block lies in the gap behind the window.
    const std::size_t last = source.rank - 1u;
    const std::int64_t block = isa::kBlockBytes / isa::size_of(source.dtype);
    const std::int64_t left = source.shape[last] - offsets[last];
    if (valid[last] > left && valid[last] - left < block) inside[last] = left;
  }
  if (check_bounds(op, remote ? "remote_load reads" : "load reads", source, site.offsets.rank,
                   offsets, inside, peer) == Step::fault) {
    return Step::fault;
  }
  if (place_tile(site.tile, value, op) == Step::fault) return Step::fault;
  auto& load = instruction_.operation.emplace<isa::TLoad>();
  load.src = make_box(source, remote ? source.base_on(peer) : source.base, offsets, valid);
  load.dst = tile(site.tile).tile;
  load.peer_addressed = remote;
  load.padding_cols = valid[source.rank - 1u] - inside[source.rank - 1u];
  return Step::emit;
}

KernelCore::Step KernelCore::store(const Op& op, const StoreSite& site) {
  const BoundTensor& target = tensor(site.tensor);
  const TileValue& value = tile(site.tile);
  const bool remote = site.peer != kNoRegister;
  const char* const name = remote ? "remote_store" : "store";
  const std::int64_t peer = remote ? scalar(site.peer) : -1;
  if (remote && check_peer(op, name, target, peer) == Step::fault) return Step::fault;

  // The box in the tensor: the valid part of the tile's shape, its last dimensions on the tensor's.
  Extents box{};
  std::fill_n(box.begin(), target.rank, 1);
  if (!site.shape.empty()) {
    box = extents(site.shape);
    std::int64_t rows = 1;
    for (std::size_t d = 0; d + 1 < site.shape.rank; ++d)
      rows *= box[d];
    if (rows != value.tile.valid_rows || box[site.shape.rank - 1u] != value.tile.valid_cols) {
      return fault(op,
                   fmt::format("{} writes a box of {} rows and {} columns, the tile's valid box "
                               "is {} x {}",
                               name, rows, box[site.shape.rank - 1u], value.tile.valid_rows,
                               value.tile.valid_cols));
    }
  } else {
    std::int64_t rows = value.tile.valid_rows;
    box[target.rank - 1u] = value.tile.valid_cols;
    for (int d = value.rank - 2; d >= 0; --d) {
      const int into = target.rank - value.rank + d;
      const std::int64_t full = value.shape[static_cast<std::size_t>(d)];
      const std::int64_t here = rows > full ? full : rows;
      if (into >= 0) box[static_cast<std::size_t>(into)] = here;
      if (into < 0 && here > 1) {
        return fault(op, fmt::format("{} of a tile with {} dimensions into \"{}\", which has {}",
                                     name, value.rank, target.argument->name, target.rank));
      }
      rows = here == 0 ? 1 : rows / here;
    }
  }
  const Extents offsets = extents(site.offsets);
  if (check_bounds(op, remote ? "remote_store writes" : "store writes", target, site.offsets.rank,
                   offsets, box, peer) == Step::fault) {
    return Step::fault;
  }
  auto& store = instruction_.operation.emplace<isa::TStore>();
  store.src = value.tile;
  store.dst = make_box(target, remote ? target.base_on(peer) : target.base, offsets, box);
  store.atomic_add = site.atomic_add;
  store.peer_addressed = remote;
  return Step::emit;
}

KernelCore::Step KernelCore::signal(const Op& op, const SignalSite& site) {
  const BoundTensor& cells = tensor(site.tensor);
  const bool is_notify = op.code == OpCode::notify;
  const char* const name = is_notify                       ? "notify"
                           : op.code == OpCode::defer_wait ? "defer_wait"
                                                           : "wait";
  const std::int64_t peer = is_notify ? scalar(site.peer) : -1;
  if (is_notify && check_peer(op, name, cells, peer) == Step::fault) return Step::fault;
  if (cells.dtype != isa::DType::int32) {
    return fault(op, fmt::format("{} on \"{}\" of {}: signal cells are INT32", name,
                                 cells.argument->name, isa::name(cells.dtype)));
  }
  const Extents offsets = extents(site.offsets);
  Extents one{};
  std::fill_n(one.begin(), cells.rank, 1);
  if (check_bounds(op, is_notify ? "notify addresses" : "wait reads", cells, site.offsets.rank,
                   offsets, one, peer) == Step::fault) {
    return Step::fault;
  }
  const isa::GlobalAddress cell =
      make_box(cells, is_notify ? cells.base_on(peer) : cells.base, offsets, one).base;
  const auto value = static_cast<std::int32_t>(scalar(site.value));
  if (is_notify) {
    instruction_.operation = isa::TNotify{cell, value, site.op};
  } else if (op.code == OpCode::defer_wait) {
    if (value < 0) {
      return fault(
          op,
          fmt::format("pld.system.defer_wait expected must be in [0, INT32_MAX], got {}", value));
    }
    if (const auto problem = context_.scheduler.add_condition(task_)) return fault(op, *problem);
    instruction_.operation = isa::TDeferWait{cell, value};
  } else {
    instruction_.operation = isa::TWait{cell, value, site.cmp};
  }
  return Step::emit;
}

KernelCore::Step KernelCore::tile_element(const Op& op, const ElementSite& site, isa::Tile& out) {
  const TileValue& value = tile(site.object.index);
  const Extents index = extents(site.index);
  const char* const action = op.code == OpCode::read ? "read" : "write";
  if (site.index.rank != value.rank) {
    return fault(op, fmt::format("{} gives {} indices for a tile with {} dimensions", action,
                                 site.index.rank, value.rank));
  }
  std::int64_t row = 0;
  for (std::size_t d = 0; d < value.rank; ++d) {
    if (index[d] < 0 || index[d] >= value.shape[d]) {
      return fault(op, fmt::format("{} at index {} of dimension {}, the tile has {}", action,
                                   index[d], d, value.shape[d]));
    }
    if (d + 1u < value.rank) row = row * value.shape[d] + index[d];
  }
  out = value.tile;
  out.offset_bytes += static_cast<std::uint32_t>(
      value.tile.element_index(row, index[value.rank - 1u]) * isa::size_of(value.tile.dtype));
  out.rows = out.cols = out.valid_rows = out.valid_cols = 1;
  out.layout = isa::TileLayout::row_major;
  return Step::go_on;
}

KernelCore::Step KernelCore::element(const Op& op, const ElementSite& site) {
  const bool is_read = op.code == OpCode::read;
  std::optional<isa::GlobalAddress> gm;
  std::optional<isa::Tile> in_tile;
  isa::DType dtype = isa::DType::fp32;
  if (site.object.file == RegisterFile::tile) {
    if (tile_element(op, site, in_tile.emplace()) == Step::fault) return Step::fault;
    dtype = in_tile->dtype;
  } else {
    const BoundTensor& object = tensor(site.object.index);
    const Extents index = extents(site.index);
    Extents one{};
    std::fill_n(one.begin(), object.rank, 1);
    if (check_bounds(op, is_read ? "read reads" : "write writes", object, site.index.rank, index,
                     one, -1) == Step::fault) {
      return Step::fault;
    }
    gm = make_box(object, object.base, index, one).base;
    dtype = object.dtype;
  }
  if (is_read) {
    read_value_ = isa::Scalar{dtype, 0, 0.0};
    read_into_ = site.value.index;
    auto& read = instruction_.operation.emplace<isa::ScalarRead>();
    read = {gm, in_tile, dtype, &read_value_, {}};
    if (in_tile) read.viewed = tile(site.object.index).tile;
  } else {
    instruction_.operation =
        isa::ScalarWrite{gm, in_tile, make_scalar(scalar(site.value.index), dtype)};
  }
  return Step::emit;
}

}  // namespace a2a3::interp
