// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/instruction.hpp"

namespace a2a3::isa {

/// A tile as lines of elements; strides count elements, 0 repeats one element or line (broadcast).
template <class Byte>
struct Lines {
  Byte* first = nullptr;
  std::int64_t line_stride = 0;
  std::int64_t stride = 1;
};
using SourceLines = Lines<const std::byte>;
using TargetLines = Lines<std::byte>;

/// Shape of the lines that an operation visits.
struct LineCount {
  std::int64_t lines = 1;
  std::int64_t length = 0;
};

/// The lines of a tile: its rows, or its columns when not `by_rows`.
template <class Byte>
[[nodiscard]] Lines<Byte> lines_of(const Tile& tile, Byte* local, bool by_rows) {
  const bool row_major = tile.layout == TileLayout::row_major;
  const std::int64_t row_stride = row_major ? tile.cols : 1;
  const std::int64_t col_stride = row_major ? 1 : tile.rows;
  return {local + tile.offset_bytes, by_rows ? row_stride : col_stride,
          by_rows ? col_stride : row_stride};
}

/// The valid box of a tile in lines.
[[nodiscard]] inline LineCount valid_lines(const Tile& tile, bool by_rows) {
  return by_rows ? LineCount{tile.valid_rows, tile.valid_cols}
                 : LineCount{tile.valid_cols, tile.valid_rows};
}

/// dst = lhs op rhs, element by element; `dst` may be `lhs` or `rhs` itself.
///
/// fp16 and bf16 are computed in fp32 and rounded once, to nearest even. Integers wrap around;
/// their division truncates towards zero, x / 0 is 0 and lowest / -1 is lowest, as on the scalar
/// unit of an AArch64 core. maximum and minimum give NaN when an operand is NaN, and lhs when both
/// are equal (zeros of either sign are).
void apply_elementwise(BinaryOp op, DType dtype, SourceLines lhs, SourceLines rhs, TargetLines dst,
                       LineCount count);

}  // namespace a2a3::isa
