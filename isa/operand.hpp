// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "isa/dtype.hpp"

namespace a2a3::isa {

inline constexpr int kBoxDims = 5;

/// One byte address in the global memory of one device.
struct GlobalAddress {
  std::uint32_t device = 0;
  std::uint64_t offset_bytes = 0;

  friend auto operator<=>(const GlobalAddress&, const GlobalAddress&) = default;
};

/// A strided box of elements in global memory, always written as five dimensions (missing leading
/// ones are 1). `stride` counts elements; the innermost stride of every box the language can
/// express is 1.
struct GmBox {
  GlobalAddress base;
  DType dtype = DType::fp32;
  std::array<std::int64_t, kBoxDims> shape{1, 1, 1, 1, 1};
  std::array<std::int64_t, kBoxDims> stride{0, 0, 0, 0, 1};

  /// Product of all dimensions but the innermost one.
  [[nodiscard]] std::int64_t rows() const { return shape[0] * shape[1] * shape[2] * shape[3]; }
  [[nodiscard]] std::int64_t cols() const { return shape[4]; }
  [[nodiscard]] std::int64_t elements() const { return rows() * cols(); }
  [[nodiscard]] std::int64_t payload_bytes() const { return elements() * size_of(dtype); }
  /// Elements from the base to the begin of row `row`, of rows().
  [[nodiscard]] std::int64_t row_offset(std::int64_t row) const {
    std::int64_t offset = 0;
    for (std::size_t d = kBoxDims - 1; d-- > 0; row /= shape[d])
      offset += row % shape[d] * stride[d];
    return offset;
  }

  friend bool operator==(const GmBox&, const GmBox&) = default;
};

enum class MemorySpace : std::uint8_t { gm, ub, l1, l0a, l0b, l0c };

/// Element order inside a tile. A `[M, 1]` tile is column-major on the device (its M elements lie
/// side by side).
enum class TileLayout : std::uint8_t { row_major, col_major };

/// A 2-D tile in a core's on-chip memory. The physical tile is rows x cols; only the valid box
/// [0, valid_rows) x [0, valid_cols) holds defined elements and is what transfers move.
struct Tile {
  std::uint32_t offset_bytes = 0;  ///< in the core's LocalMemory
  MemorySpace space = MemorySpace::ub;
  DType dtype = DType::fp32;
  TileLayout layout = TileLayout::row_major;
  std::int32_t rows = 0;
  std::int32_t cols = 0;
  std::int32_t valid_rows = 0;
  std::int32_t valid_cols = 0;

  [[nodiscard]] std::int64_t elements() const { return std::int64_t{rows} * cols; }
  [[nodiscard]] std::int64_t bytes() const { return elements() * size_of(dtype); }
  [[nodiscard]] std::int64_t valid_elements() const {
    return std::int64_t{valid_rows} * valid_cols;
  }
  /// Index of element (row, col) counted from the tile's base.
  [[nodiscard]] std::int64_t element_index(std::int64_t row, std::int64_t col) const {
    return layout == TileLayout::row_major ? row * cols + col : col * rows + row;
  }
};

/// A typed scalar of the kernel language: integers (booleans too) in `i`, floats in `f`.
struct Scalar {
  DType dtype = DType::index;
  std::int64_t i = 0;
  double f = 0.0;
};

}  // namespace a2a3::isa
