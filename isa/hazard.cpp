// SPDX-License-Identifier: Apache-2.0
#include "isa/hazard.hpp"

#include <variant>

namespace a2a3::isa {
namespace {

/// Collects the ranges of one operation. Whole tiles count, as the compiler orders by tile; empty
/// ranges depend on nothing and are left out.
class RangeCollector {
 public:
  void operator()(const TLoad& load) {
    box(load.src, false);
    tile(load.dst, true);
  }
  void operator()(const TStore& store) {
    tile(store.src, false);
    box(store.dst, true);
  }
  void operator()(const TDeferWait& wait) { gm(wait.cell, sizeof(std::int32_t), false); }
  void operator()(const TWait& wait) { gm(wait.cell, sizeof(std::int32_t), false); }
  void operator()(const TBinary& binary) {
    tile(binary.lhs, false);
    tile(binary.rhs, false);
    tile(binary.dst, true);
  }
  void operator()(const TBinaryScalar& binary) {
    tile(binary.src, false);
    tile(binary.dst, true);
  }
  void operator()(const TUnary& unary) {
    tile(unary.src, false);
    tile(unary.dst, true);
  }
  void operator()(const TPutAsync& put) {
    box(put.src, false);
    box(put.dst, true);
  }
  void operator()(const TGetAsync& get) {
    box(get.src, false);
    box(get.dst, true);
  }
  void operator()(const TWaitEvent&) {}
  void operator()(const TCast& cast) {
    tile(cast.src, false);
    tile(cast.dst, true);
  }
  void operator()(const TFill& fill) { tile(fill.dst, true); }
  void operator()(const TMove& move) {
    tile(move.src, false);
    tile(move.dst, true);
  }
  void operator()(const TRowSum& sum) {
    tile(sum.src, false);
    tile(sum.tmp, true);
    tile(sum.dst, true);
  }
  void operator()(const TMatmul& product) {
    tile(product.lhs, false);
    tile(product.rhs, false);
    tile(product.dst, true);
  }
  void operator()(const ScalarRead& read) {
    if (read.gm) gm(*read.gm, static_cast<std::uint64_t>(size_of(read.dtype)), false);
    if (read.tile) tile(*read.tile, false);
  }
  void operator()(const ScalarWrite& write) {
    if (write.gm) gm(*write.gm, static_cast<std::uint64_t>(size_of(write.value.dtype)), true);
    if (write.tile) tile(*write.tile, true);
  }
  void operator()(const TPut&) {}
  void operator()(const TGet&) {}
  void operator()(const TNotify&) {}
  void operator()(const PipeBarrier&) {}
  void operator()(const TaskBegin&) {}
  void operator()(const TaskEnd&) {}

  [[nodiscard]] const ByteRanges& ranges() const { return ranges_; }

 private:
  void add(const ByteRange& range) {
    if (range.begin < range.end) ranges_.range[static_cast<std::size_t>(ranges_.count++)] = range;
  }
  void gm(const GlobalAddress& address, std::uint64_t bytes, bool write) {
    add({MemorySpace::gm, write, address.device, address.offset_bytes,
         address.offset_bytes + bytes});
  }
  void box(const GmBox& box, bool write) { gm(box.base, extent_bytes(box), write); }
  void tile(const Tile& tile, bool write) {
    add({tile.space, write, 0, tile.offset_bytes,
         tile.offset_bytes + static_cast<std::uint64_t>(tile.bytes())});
  }

  ByteRanges ranges_;
};

}  // namespace

ByteRanges operand_ranges(const Operation& operation) {
  RangeCollector collector;
  std::visit(collector, operation);
  return collector.ranges();
}

std::uint64_t extent_bytes(const GmBox& box) {
  if (box.elements() == 0) return 0;
  std::int64_t last = 0;
  for (std::size_t d = 0; d < kBoxDims; ++d)
    last += (box.shape[d] - 1) * box.stride[d];
  return static_cast<std::uint64_t>((last + 1) * size_of(box.dtype));
}

}  // namespace a2a3::isa
