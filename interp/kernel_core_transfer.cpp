// SPDX-License-Identifier: Apache-2.0
// pld.tensor.put / get and pld.tile.put / get.
#include <algorithm>

#include <fmt/format.h>

#include "interp/kernel_core.hpp"

namespace a2a3::interp {

KernelCore::Step KernelCore::make_stage(const Op& op, const TransferSite& site,
                                        const isa::GmBox& box, isa::Tile& stage,
                                        std::optional<isa::Tile>& stage2) {
  if (site.stage != kNoRegister) {
    stage = tile(site.stage).tile;
    if (site.stage2 != kNoRegister) stage2 = tile(site.stage2).tile;
    return Step::go_on;
  }
  const auto chunk = [&](Register bound, std::int64_t whole) {
    const std::int64_t limit = bound == kNoRegister ? 0 : scalar(bound);
    return std::max<std::int64_t>(1, limit > 0 ? std::min(limit, whole) : whole);
  };
  const char* const name = site.get ? "get" : "put";
  for (const Register bound : {site.chunk_rows, site.chunk_cols}) {
    if (bound != kNoRegister && scalar(bound) < 0) {
      return fault(op, fmt::format("{} of chunks of {} rows or columns: the sizes must be "
                                   "non-negative (0 = full)",
                                   name, scalar(bound)));
    }
  }
  const std::int64_t rows = chunk(site.chunk_rows, box.rows());
  const std::int64_t cols = chunk(site.chunk_cols, box.cols());
  const int count = site.pipeline ? 2 : 1;
  const auto bytes = static_cast<std::uint64_t>(rows * cols * isa::size_of(box.dtype));
  isa::Tile made[2];
  for (int i = 0; i < count; ++i) {
    const auto offset = memories_.allocate(isa::MemorySpace::ub, bytes, op.source);
    if (!offset) {
      return overflow(op, isa::MemorySpace::ub,
                      fmt::format("the staging tile{} of {} [{}, {}] {}{}", count > 1 ? "s" : "",
                                  name, rows, cols, isa::name(box.dtype), count > 1 ? " x 2" : ""),
                      bytes * static_cast<std::uint64_t>(count), true);
    }
    isa::Tile& tile = made[i];
    tile.offset_bytes = *offset;
    tile.dtype = box.dtype;
    tile.rows = tile.valid_rows = static_cast<std::int32_t>(rows);
    tile.cols = tile.valid_cols = static_cast<std::int32_t>(cols);
    if (cols == 1 && rows > 1) tile.layout = isa::TileLayout::col_major;
    stages_[static_cast<std::size_t>(stage_count_++)] = tile;
  }
  stage = made[0];
  if (count > 1) stage2 = made[1];
  return Step::go_on;
}

KernelCore::Step KernelCore::self_transfer_overlap(const Op& op, const isa::GmBox& dst,
                                                   const isa::GmBox& src,
                                                   const TransferSite& site) {
  // A region copied onto itself is what the root of a broadcast does: it changes nothing.
  if (dst == src && !site.atomic_add) return Step::go_on;
  if (!overlap(dst, src)) return Step::go_on;
  return fault(op, fmt::format("{} of a rank to itself: source and destination regions overlap "
                               "(\"{}\" and \"{}\")",
                               site.get ? "get" : "put", tensor(site.src).argument->name,
                               tensor(site.dst).argument->name));
}

KernelCore::Step KernelCore::transfer(const Op& op, const TransferSite& site) {
  const BoundTensor& dst = tensor(site.dst);
  const BoundTensor& src = tensor(site.src);
  const BoundTensor& remote = site.get ? src : dst;
  const char* const name = site.get ? "get" : "put";
  const std::int64_t peer = scalar(site.peer);
  if (check_peer(op, name, remote, peer) == Step::fault) return Step::fault;

  Extents shape = src.shape;
  Extents dst_offsets{};
  Extents src_offsets{};
  std::uint8_t dst_rank = dst.rank;
  std::uint8_t src_rank = src.rank;
  if (!site.shape.empty()) {
    shape = extents(site.shape);
    dst_offsets = extents(site.dst_offsets);
    src_offsets = extents(site.src_offsets);
    dst_rank = site.dst_offsets.rank;
    src_rank = site.src_offsets.rank;
  } else if (dst.rank != src.rank || dst.shape != src.shape) {
    return fault(op, fmt::format("full-slice {}: \"{}\" and \"{}\" must have the same shape", name,
                                 dst.argument->name, src.argument->name));
  }
  if (check_bounds(op, site.get ? "get writes" : "put writes", dst, dst_rank, dst_offsets, shape,
                   site.get ? -1 : peer) == Step::fault ||
      check_bounds(op, site.get ? "get reads" : "put reads", src, src_rank, src_offsets, shape,
                   site.get ? peer : -1) == Step::fault) {
    return Step::fault;
  }
  const isa::GmBox to = make_box(dst, site.get ? dst.base : dst.base_on(peer), dst_offsets, shape);
  const isa::GmBox from =
      make_box(src, site.get ? src.base_on(peer) : src.base, src_offsets, shape);
  if (to.base.device == from.base.device &&
      self_transfer_overlap(op, to, from, site) == Step::fault) {
    return Step::fault;
  }
  isa::Tile stage;
  std::optional<isa::Tile> stage2;
  if (make_stage(op, site, from, stage, stage2) == Step::fault) return Step::fault;
  if (site.get) {
    instruction_.operation = isa::TGet{to, from, stage, stage2};
  } else {
    instruction_.operation = isa::TPut{to, from, stage, stage2, site.atomic_add};
  }
  return Step::emit;
}

}  // namespace a2a3::interp
