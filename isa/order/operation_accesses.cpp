// SPDX-License-Identifier: Apache-2.0
#include "isa/order/operation_accesses.hpp"

#include <array>
#include <cstddef>

namespace a2a3::isa {
namespace {

/// The pieces of a box, in the order of its elements; dimensions that follow each other without a
/// gap are one.
void for_each_piece(const GmBox& box, AccessKind kind, const VisitAccess& visit) {
  if (box.elements() == 0) return;
  std::array<std::int64_t, kBoxDims> count{};
  std::array<std::int64_t, kBoxDims> stride{};
  std::size_t dims = 0;
  std::int64_t piece = 1;  // elements
  for (std::size_t d = kBoxDims; d-- > 0;) {
    if (box.shape[d] == 1) continue;
    if (dims == 0 && box.stride[d] == piece) {
      piece *= box.shape[d];
    } else {
      count[dims] = box.shape[d];
      stride[dims++] = box.stride[d];
    }
  }
  const std::int64_t element_bytes = size_of(box.dtype);
  std::array<std::int64_t, kBoxDims> at{};
  std::int64_t offset = 0;
  for (;;) {
    visit(kind,
          {box.base.device,
           box.base.offset_bytes + static_cast<std::uint64_t>(offset * element_bytes)},
          static_cast<std::uint64_t>(piece * element_bytes));
    std::size_t d = 0;
    for (; d < dims; ++d) {
      offset += stride[d];
      if (++at[d] < count[d]) break;
      offset -= count[d] * stride[d];
      at[d] = 0;
    }
    if (d == dims) return;
  }
}

struct PieceVisitor {
  const VisitAccess& visit;

  /// A region onto itself is read and does not change.
  void copy(const GmBox& src, const GmBox& dst) const {
    for_each_piece(src, AccessKind::read, visit);
    if (src != dst) for_each_piece(dst, AccessKind::write, visit);
  }

  void operator()(const TLoad& load) const {
    GmBox box = load.src;
    box.shape[kBoxDims - 1] -= load.padding_cols;
    for_each_piece(box, AccessKind::read, visit);
  }
  void operator()(const TStore& store) const {
    for_each_piece(store.dst, store.atomic_add ? AccessKind::atomic_add : AccessKind::write, visit);
  }
  void operator()(const TPut& put) const {
    if (!put.atomic_add) return copy(put.src, put.dst);
    for_each_piece(put.src, AccessKind::read, visit);
    for_each_piece(put.dst, AccessKind::atomic_add, visit);
  }
  void operator()(const TGet& get) const { copy(get.src, get.dst); }
  void operator()(const TPutAsync& put) const { copy(put.src, put.dst); }
  void operator()(const TGetAsync& get) const { copy(get.src, get.dst); }
  void operator()(const ScalarRead& read) const {
    if (read.gm) visit(AccessKind::read, *read.gm, static_cast<std::uint64_t>(size_of(read.dtype)));
  }
  void operator()(const ScalarWrite& write) const {
    if (write.gm)
      visit(AccessKind::write, *write.gm, static_cast<std::uint64_t>(size_of(write.value.dtype)));
  }
  // Signals, and what works on the core's own memories.
  void operator()(const TNotify& /*notify*/) const {}
  void operator()(const TWait& /*wait*/) const {}
  void operator()(const TDeferWait& /*condition*/) const {}
  void operator()(const TWaitEvent& /*event*/) const {}
  void operator()(const TUnary& /*unary*/) const {}
  void operator()(const TBinary& /*binary*/) const {}
  void operator()(const TBinaryScalar& /*binary*/) const {}
  void operator()(const TCast& /*cast*/) const {}
  void operator()(const TFill& /*fill*/) const {}
  void operator()(const TMove& /*move*/) const {}
  void operator()(const TRowSum& /*sum*/) const {}
  void operator()(const TMatmul& /*product*/) const {}
  void operator()(const PipeBarrier& /*barrier*/) const {}
  void operator()(const TaskBegin& /*begin*/) const {}
  void operator()(const TaskEnd& /*end*/) const {}
};

}  // namespace

void for_each_access(const Operation& operation, const VisitAccess& visit) {
  std::visit(PieceVisitor{visit}, operation);
}

}  // namespace a2a3::isa
