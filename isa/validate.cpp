// SPDX-License-Identifier: Apache-2.0
#include "isa/validate.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "isa/hazard.hpp"

namespace a2a3::isa {
namespace {

using RowStarts = std::vector<std::uint64_t>;

/// Byte addresses at which the rows of a box begin, in order.
RowStarts row_starts(const GmBox& box) {
  RowStarts starts;
  starts.reserve(static_cast<std::size_t>(box.rows()));
  for (std::int64_t row = 0; row < box.rows(); ++row) {
    starts.push_back(box.base.offset_bytes +
                     static_cast<std::uint64_t>(box.row_offset(row) * size_of(box.dtype)));
  }
  std::sort(starts.begin(), starts.end());
  return starts;
}

/// Whether two boxes of the same shape and dtype share a byte.
bool overlap(const GmBox& a, const GmBox& b) {
  if (a.base.device != b.base.device || a.elements() == 0) return false;
  if (a.base.offset_bytes >= b.base.offset_bytes + extent_bytes(b) ||
      b.base.offset_bytes >= a.base.offset_bytes + extent_bytes(a))
    return false;
  const RowStarts rows_a = row_starts(a);
  const RowStarts rows_b = row_starts(b);
  const auto row_bytes = static_cast<std::uint64_t>(a.cols() * size_of(a.dtype));
  for (auto i = rows_a.begin(), j = rows_b.begin(); i != rows_a.end() && j != rows_b.end();) {
    if (*i + row_bytes <= *j)
      ++i;
    else if (*j + row_bytes <= *i)
      ++j;
    else
      return true;
  }
  return false;
}

/// Keeps the first thing found wrong with an operation.
class Validator {
 public:
  explicit Validator(const MemorySizes& memory) : memory_(memory) {}

  void operator()(const TLoad& load) {
    move("source", load.src, "tile", load.dst, MemorySpace::l1);
  }
  void operator()(const TStore& store) {
    move("destination", store.dst, "tile", store.src, MemorySpace::l0c);
    if (store.atomic_add) atomic(store.dst.dtype);
  }
  void operator()(const TPut& put) {
    transfer(put.src, put.dst, put.stage, put.stage2);
    if (put.atomic_add) atomic(put.dst.dtype);
  }
  void operator()(const TGet& get) { transfer(get.src, get.dst, get.stage, get.stage2); }
  void operator()(const TNotify& notify) { gm("cell", notify.cell, sizeof(std::int32_t)); }
  void operator()(const TDeferWait& wait) { gm("cell", wait.cell, sizeof(std::int32_t)); }
  void operator()(const TWait& wait) { gm("cell", wait.cell, sizeof(std::int32_t)); }
  void operator()(const TBinary& binary) {
    tile("left operand", binary.lhs);
    tile("right operand", binary.rhs);
    tile("result", binary.dst);
    same_dtype("right operand", binary.rhs.dtype, binary.lhs.dtype);
    same_dtype("result", binary.dst.dtype, binary.lhs.dtype);
    holds("right operand", binary.rhs, binary.rhs.rows == 1, binary.rhs.cols == 1, binary.lhs);
    holds("result", binary.dst, false, false, binary.lhs);
  }
  void operator()(const TBinaryScalar& binary) {
    tile("operand", binary.src);
    tile("result", binary.dst);
    same_dtype("result", binary.dst.dtype, binary.src.dtype);
    holds("result", binary.dst, false, false, binary.src);
  }
  void operator()(const TUnary& unary) {
    tile("operand", unary.src);
    tile("result", unary.dst);
    same_dtype("result", unary.dst.dtype, unary.src.dtype);
    holds("result", unary.dst, false, false, unary.src);
    const DType dtype = unary.src.dtype;
    if (!is_float(dtype) && (unary.op != UnaryOp::relu || dtype != DType::int32))
      fail("{} has no {}", name(dtype), mnemonic(unary));
  }
  void operator()(const TPutAsync& put) { copy(put.src, put.dst); }
  void operator()(const TGetAsync& get) { copy(get.src, get.dst); }
  void operator()(const TWaitEvent&) {}
  void operator()(const TCast& cast) {
    tile("operand", cast.src);
    tile("result", cast.dst);
    holds("result", cast.dst, false, false, cast.src);
  }
  void operator()(const TFill& fill) { tile("tile", fill.dst); }
  void operator()(const TMove& move) {
    const bool feeds_cube = move.dst.space != MemorySpace::ub;
    if (feeds_cube && move.dst.space != MemorySpace::l0a && move.dst.space != MemorySpace::l0b)
      return fail("the result of a move is in no memory that takes one");
    tile("operand", move.src, feeds_cube ? MemorySpace::l1 : MemorySpace::ub);
    tile("result", move.dst, move.dst.space);
    same_dtype("result", move.dst.dtype, move.src.dtype);
    contains("operand", move.src, move.src_row, move.src_col, move);
    contains("result", move.dst, move.dst_row, move.dst_col, move);
  }
  void operator()(const TRowSum& sum) {
    tile("operand", sum.src);
    tile("scratch", sum.tmp);
    tile("result", sum.dst);
    same_dtype("scratch", sum.tmp.dtype, sum.src.dtype);
    same_dtype("result", sum.dst.dtype, sum.src.dtype);
    if (sum.dst.rows < sum.src.valid_rows)
      fail("result has {} rows, the operand {}", sum.dst.rows, sum.src.valid_rows);
  }
  void operator()(const TMatmul& product) {
    tile("left operand", product.lhs, MemorySpace::l0a);
    tile("right operand", product.rhs, MemorySpace::l0b);
    tile("result", product.dst, MemorySpace::l0c);
    same_dtype("right operand", product.rhs.dtype, product.lhs.dtype);
    if (const auto accumulator = accumulator_of(product.lhs.dtype); !accumulator)
      fail("{} has no matrix product", name(product.lhs.dtype));
    else
      same_dtype("result", product.dst.dtype, *accumulator);
    if (product.lhs.valid_cols != product.rhs.valid_rows)
      fail("the left operand has {} valid columns, the right one {} valid rows",
           product.lhs.valid_cols, product.rhs.valid_rows);
    if (product.dst.rows < product.lhs.valid_rows || product.dst.cols < product.rhs.valid_cols)
      fail("result is [{}, {}], smaller than [{}, {}]", product.dst.rows, product.dst.cols,
           product.lhs.valid_rows, product.rhs.valid_cols);
  }
  void operator()(const ScalarRead& read) { element(read.gm, read.tile, read.dtype); }
  void operator()(const ScalarWrite& write) { element(write.gm, write.tile, write.value.dtype); }
  void operator()(const PipeBarrier&) {}
  void operator()(const TaskBegin&) {}
  void operator()(const TaskEnd&) {}

  [[nodiscard]] std::optional<std::string> problem() && { return std::move(problem_); }

 private:
  template <class... Args>
  void fail(fmt::format_string<Args...> format, Args&&... args) {
    if (!problem_) problem_ = fmt::format(format, std::forward<Args>(args)...);
  }

  void gm(const char* what, const GlobalAddress& address, std::uint64_t bytes) {
    if (address.device >= memory_.gm_bytes.size())
      return fail("{} is on device {}, there are {} devices", what, address.device,
                  memory_.gm_bytes.size());
    const std::uint64_t size = memory_.gm_bytes[address.device];
    if (bytes > size || address.offset_bytes > size - bytes)
      fail("{} covers bytes {} to {} of the global memory of device {}, which has {}", what,
           address.offset_bytes, address.offset_bytes + bytes, address.device, size);
  }

  void box(const char* what, const GmBox& box) {
    for (std::size_t d = 0; d < kBoxDims; ++d)
      if (box.shape[d] < 0 || box.stride[d] < 0)
        return fail("dimension {} of the {} has size {} and stride {}", d, what, box.shape[d],
                    box.stride[d]);
    if (box.cols() > 1 && box.stride[kBoxDims - 1] != 1)
      return fail("the innermost stride of the {} is {}", what, box.stride[kBoxDims - 1]);
    gm(what, box.base, extent_bytes(box));
  }

  void local(const char* what, const Tile& tile, MemorySpace space) {
    const std::uint64_t end = tile.offset_bytes + static_cast<std::uint64_t>(tile.bytes());
    const bool in_cube = space != MemorySpace::ub;
    if (tile.space != space)
      fail("{} is not in {}", what, in_cube ? "its memory of the cube core" : "the unified buffer");
    else if (in_cube &&
             (tile.offset_bytes < memory_.ub_bytes || end > memory_.ub_bytes + memory_.cube_bytes))
      fail("{} covers bytes {} to {}, the memories of the cube core are {} to {}", what,
           tile.offset_bytes, end, memory_.ub_bytes, memory_.ub_bytes + memory_.cube_bytes);
    else if (!in_cube && end > memory_.ub_bytes)
      fail("{} covers bytes {} to {} of the unified buffer, which has {}", what, tile.offset_bytes,
           end, memory_.ub_bytes);
  }

  /// The box of a move lies inside `tile`.
  void contains(const char* what, const Tile& tile, std::int32_t row, std::int32_t col,
                const TMove& move) {
    if (row < 0 || col < 0 || move.rows < 0 || move.cols < 0 || row > tile.rows - move.rows ||
        col > tile.cols - move.cols)
      fail("the box [{}, {}] at [{}, {}] leaves the {} of [{}, {}]", move.rows, move.cols, row, col,
           what, tile.rows, tile.cols);
  }

  void tile(const char* what, const Tile& tile, MemorySpace space = MemorySpace::ub) {
    if (tile.rows < 1 || tile.cols < 1 || tile.valid_rows < 0 || tile.valid_cols < 0 ||
        tile.valid_rows > tile.rows || tile.valid_cols > tile.cols)
      return fail("{} has the valid box [{}, {}] in [{}, {}]", what, tile.valid_rows,
                  tile.valid_cols, tile.rows, tile.cols);
    if (tile.offset_bytes % kTileAlignment != 0)
      fail("{} starts at byte {}, which is not {}-byte aligned", what, tile.offset_bytes,
           kTileAlignment);
    local(what, tile, space);
  }

  void same_dtype(const char* what, DType actual, DType expected) {
    if (actual != expected) fail("{} is {}, expected {}", what, name(actual), name(expected));
  }

  void atomic(DType dtype) {
    if (!supports_atomic_add(dtype)) fail("{} has no atomic add", name(dtype));
  }

  /// `tile` has an element for each one in the valid box of `like`.
  void holds(const char* what, const Tile& tile, bool any_rows, bool any_cols, const Tile& like) {
    if ((!any_rows && tile.rows < like.valid_rows) || (!any_cols && tile.cols < like.valid_cols))
      fail("{} is [{}, {}], smaller than the valid box [{}, {}]", what, tile.rows, tile.cols,
           like.valid_rows, like.valid_cols);
  }

  void move(const char* box_name, const GmBox& box_operand, const char* tile_name,
            const Tile& tile_operand, MemorySpace cube_space) {
    box(box_name, box_operand);
    tile(tile_name, tile_operand, tile_operand.space == cube_space ? cube_space : MemorySpace::ub);
    same_dtype(tile_name, tile_operand.dtype, box_operand.dtype);
    if (box_operand.rows() != tile_operand.valid_rows ||
        box_operand.cols() != tile_operand.valid_cols)
      fail("the valid box [{}, {}] of the {} does not match the {} of [{}, {}]",
           tile_operand.valid_rows, tile_operand.valid_cols, tile_name, box_name,
           box_operand.rows(), box_operand.cols());
  }

  void copy(const GmBox& src, const GmBox& dst) {
    box("source", src);
    box("destination", dst);
    same_dtype("destination", dst.dtype, src.dtype);
    if (src.shape != dst.shape) fail("source and destination have different shapes");
    if (!problem_ && overlap(src, dst)) fail("source and destination overlap");
  }

  void transfer(const GmBox& src, const GmBox& dst, const Tile& stage,
                const std::optional<Tile>& stage2) {
    copy(src, dst);
    tile("stage", stage);
    same_dtype("stage", stage.dtype, src.dtype);
    if (stage.valid_rows < 1 || stage.valid_cols < 1) fail("the stage has no valid element");
    // In one shot the mask is not narrowed: the device would move the whole valid box.
    if (src.elements() != 0 && src.rows() <= stage.valid_rows && src.cols() <= stage.valid_cols &&
        (src.rows() != stage.valid_rows || src.cols() != stage.valid_cols))
      fail("the valid box [{}, {}] of the stage must be equal to the transfer's [{}, {}]",
           stage.valid_rows, stage.valid_cols, src.rows(), src.cols());
    if (!stage2) return;
    tile("second stage", *stage2);
    same_dtype("second stage", stage2->dtype, stage.dtype);
    if (stage2->rows != stage.rows || stage2->cols != stage.cols || stage2->layout != stage.layout)
      fail("the second stage is [{}, {}], the first [{}, {}]", stage2->rows, stage2->cols,
           stage.rows, stage.cols);
  }

  void element(const std::optional<GlobalAddress>& address, const std::optional<Tile>& view,
               DType dtype) {
    if (address.has_value() == view.has_value())
      return fail("exactly one of global memory and tile must hold the element");
    if (address) return gm("element", *address, static_cast<std::uint64_t>(size_of(dtype)));
    same_dtype("element", view->dtype, dtype);
    local("element", *view, MemorySpace::ub);
  }

  const MemorySizes& memory_;
  std::optional<std::string> problem_;
};

}  // namespace

std::optional<std::string> validate(const Operation& operation, const MemorySizes& memory) {
  Validator validator(memory);
  std::visit(validator, operation);
  return std::move(validator).problem();
}

}  // namespace a2a3::isa
