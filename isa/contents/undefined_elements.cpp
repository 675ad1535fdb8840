// SPDX-License-Identifier: Apache-2.0
#include "isa/contents/undefined_elements.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "isa/order/access.hpp"
#include "isa/transfer_stage.hpp"

namespace a2a3::isa {
namespace {

struct Extent {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
};

Extent valid_box(const Tile& tile) {
  return {tile.valid_rows, tile.valid_cols};
}

/// The tiles of one task, and what the operations do to them.
class TileDefinitions {
 public:
  explicit TileDefinitions(ByteSet& bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at(const Tile& tile, std::int64_t row, std::int64_t col) const {
    const std::uint64_t begin = byte_of(tile, row, col);
    return bytes_.contains(begin, begin + static_cast<std::uint64_t>(size_of(tile.dtype)));
  }
  /// The box of this size at (row, col) of the tile.
  [[nodiscard]] bool box(const Tile& tile, const Extent& extent, std::int64_t row = 0,
                         std::int64_t col = 0) const {
    bool all = true;
    for_each_run(tile, extent, row, col, [&](std::uint64_t begin, std::uint64_t end) {
      all = all && bytes_.contains(begin, end);
    });
    return all;
  }
  void set_box(const Tile& tile, const Extent& extent, bool value = true, std::int64_t row = 0,
               std::int64_t col = 0) {
    for_each_run(tile, extent, row, col,
                 [&](std::uint64_t begin, std::uint64_t end) { bytes_.assign(begin, end, value); });
  }
  void set_whole(const Tile& tile, bool value) { set_box(tile, {tile.rows, tile.cols}, value); }

  void write(const TLoad& load) { result(load.dst, valid_box(load.dst), true); }
  void write(const TBinary& binary) {
    const Extent extent = valid_box(binary.lhs);
    const auto rhs_at = [&](std::int64_t row, std::int64_t col) {
      return at(binary.rhs, binary.rhs.rows == 1 ? 0 : row, binary.rhs.cols == 1 ? 0 : col);
    };
    const Extent of_rhs{binary.rhs.rows == 1 ? 1 : extent.rows,
                        binary.rhs.cols == 1 ? 1 : extent.cols};
    result(binary.dst, extent, box(binary.lhs, extent) && box(binary.rhs, of_rhs),
           [&](std::int64_t row, std::int64_t col) {
             return at(binary.lhs, row, col) && rhs_at(row, col);
           });
  }
  void write(const TBinaryScalar& binary) { from_one(binary); }
  void write(const TUnary& unary) { from_one(unary); }
  void write(const TCast& cast) { from_one(cast); }
  void write(const TFill& fill) {
    const Extent extent = valid_box(fill.dst);
    if (!fill.padding_only) return set_whole(fill.dst, true);
    set_box(fill.dst, {fill.dst.rows, fill.dst.cols - extent.cols}, true, 0, extent.cols);
    set_box(fill.dst, {fill.dst.rows - extent.rows, fill.dst.cols}, true, extent.rows, 0);
  }
  void write(const TMove& move) {
    const Extent extent{move.rows, move.cols};
    const bool all = box(move.src, extent, move.src_row, move.src_col);
    std::vector<bool> defined;
    if (!all) {
      defined = elements(extent, [&](std::int64_t row, std::int64_t col) {
        return at(move.src, move.src_row + row, move.src_col + col);
      });
    }
    if (!move.insert) set_whole(move.dst, false);
    put(move.dst, extent, all, defined, move.dst_row, move.dst_col);
  }
  void write(const TRowSum& sum) {
    result(sum.dst, {sum.src.valid_rows, 1}, box(sum.src, valid_box(sum.src)),
           [&](std::int64_t row, std::int64_t) {
             return box(sum.src, {1, sum.src.valid_cols}, row, 0);
           });
  }
  void write(const TMatmul& product) {
    const Extent extent{product.lhs.valid_rows, product.rhs.valid_cols};
    result(product.dst, extent,
           box(product.lhs, valid_box(product.lhs)) && box(product.rhs, valid_box(product.rhs)),
           [&](std::int64_t row, std::int64_t col) {
             return box(product.lhs, {1, product.lhs.valid_cols}, row, 0) &&
                    box(product.rhs, {product.rhs.valid_rows, 1}, 0, col);
           });
  }
  void write(const ScalarWrite& write) {
    if (write.tile) set_box(*write.tile, valid_box(*write.tile));
  }
  template <class Other>
  void write(const Other& /*no tile*/) {}

 private:
  static std::uint64_t byte_of(const Tile& tile, std::int64_t row, std::int64_t col) {
    return tile.offset_bytes +
           static_cast<std::uint64_t>(tile.element_index(row, col) * size_of(tile.dtype));
  }
  /// Calls visit(begin, end) for the stretches of bytes of a box.
  template <class Visit>
  static void for_each_run(const Tile& tile, const Extent& extent, std::int64_t row,
                           std::int64_t col, Visit&& visit) {
    if (extent.rows <= 0 || extent.cols <= 0) return;
    const bool by_rows = tile.layout == TileLayout::row_major;
    const std::int64_t lines = by_rows ? extent.rows : extent.cols;
    const std::int64_t length = by_rows ? extent.cols : extent.rows;
    const bool dense = length == (by_rows ? tile.cols : tile.rows);
    const std::int64_t size = size_of(tile.dtype);
    for (std::int64_t line = 0; line < (dense ? 1 : lines); ++line) {
      const std::uint64_t begin =
          by_rows ? byte_of(tile, row + line, col) : byte_of(tile, row, col + line);
      visit(begin, begin + static_cast<std::uint64_t>((dense ? lines * length : length) * size));
    }
  }
  template <class IsDefined>
  static std::vector<bool> elements(const Extent& extent, IsDefined&& is_defined) {
    std::vector<bool> defined;
    for (std::int64_t row = 0; row < extent.rows; ++row) {
      for (std::int64_t col = 0; col < extent.cols; ++col)
        defined.push_back(is_defined(row, col));
    }
    return defined;
  }
  void put(const Tile& dst, const Extent& extent, bool all, const std::vector<bool>& defined,
           std::int64_t dst_row = 0, std::int64_t dst_col = 0) {
    if (all) return set_box(dst, extent, true, dst_row, dst_col);
    std::size_t i = 0;
    for (std::int64_t row = 0; row < extent.rows; ++row) {
      for (std::int64_t col = 0; col < extent.cols; ++col)
        set_box(dst, {1, 1}, defined[i++], dst_row + row, dst_col + col);
    }
  }
  /// A new tile whose first `extent` has values: everywhere, or where `is_defined` says so. The
  /// tile may lie where an operand does.
  template <class IsDefined>
  void result(const Tile& dst, const Extent& extent, bool all, IsDefined&& is_defined) {
    std::vector<bool> defined;
    if (!all) defined = elements(extent, std::forward<IsDefined>(is_defined));
    if (!all || extent.rows != dst.rows || extent.cols != dst.cols) set_whole(dst, false);
    put(dst, extent, all, defined);
  }
  void result(const Tile& dst, const Extent& extent, bool all) {
    result(dst, extent, all, [](std::int64_t, std::int64_t) { return false; });
  }
  template <class Unary>
  void from_one(const Unary& unary) {
    const Extent extent = valid_box(unary.src);
    result(unary.dst, extent, box(unary.src, extent),
           [&](std::int64_t row, std::int64_t col) { return at(unary.src, row, col); });
  }
  ByteSet& bytes_;
};

}  // namespace

/// Changes the task's bytes, and counts what they take.
template <class Change>
void UndefinedElements::change(std::uint32_t task, Change&& change) {
  if (!complete_) return;
  ByteSet& bytes = tasks_[task];
  size_bytes_ -= bytes.size_bytes();
  change(TileDefinitions(bytes));
  size_bytes_ += bytes.size_bytes();
  if (size_bytes_ / kBytesPerRecord <= max_records_) return;
  complete_ = false;
  tasks_.clear();
}

void UndefinedElements::on_create(const RunEvent& event, const Tile& tile) {
  change(event.task, [&](TileDefinitions tiles) { tiles.set_whole(tile, false); });
}

void UndefinedElements::use(const RunEvent& event, const Tile& used, const Tile& tile,
                            bool is_read) {
  if (!complete_) return;
  const TileDefinitions tiles(tasks_[event.task]);
  if (tiles.box(used, valid_box(used))) return;
  UndefinedUse& use = uses_[event.source];
  if (use.count++ == 0) {
    use.source = event.source;
    use.is_read = is_read;
    use.tile = tile;
    for (std::int32_t row = 0; row < used.valid_rows; ++row) {
      for (std::int32_t col = 0; col < used.valid_cols; ++col) {
        if (tiles.at(used, row, col)) continue;
        if (use.elements++ == 0) std::tie(use.row, use.col) = std::pair(row, col);
      }
    }
    const auto behind = static_cast<std::int32_t>((used.offset_bytes - tile.offset_bytes) /
                                                  static_cast<std::uint32_t>(size_of(tile.dtype)));
    const bool by_rows = tile.layout == TileLayout::row_major;
    use.row += by_rows ? behind / tile.cols : behind % tile.rows;
    use.col += by_rows ? behind % tile.cols : behind / tile.rows;
  }
  use.devices.insert(event.device);
}

void UndefinedElements::on_operation(const RunEvent& event, const Operation& operation) {
  if (const auto* store = std::get_if<TStore>(&operation))
    return use(event, store->src, store->src, false);
  if (const auto* read = std::get_if<ScalarRead>(&operation)) {
    if (read->tile) use(event, *read->tile, read->viewed, true);
    return;
  }
  if (std::holds_alternative<TaskEnd>(operation)) {
    const auto ended = tasks_.find(event.task);
    if (ended == tasks_.end()) return;
    size_bytes_ -= ended->second.size_bytes();
    tasks_.erase(ended);
    return;
  }
  change(event.task, [&](TileDefinitions tiles) {
    std::visit([&](const auto& one) { tiles.write(one); }, operation);
    for_each_stage(operation, [&](const Tile& stage) { tiles.set_whole(stage, true); });
  });
}

std::vector<UndefinedUse> UndefinedElements::uses() const {
  std::vector<UndefinedUse> all;
  for (const auto& [source, use] : uses_)
    all.push_back(use);
  return all;
}

}  // namespace a2a3::isa
