// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "isa/effect/convert.hpp"
#include "isa/effect/effect.hpp"
#include "isa/effect/elementwise.hpp"

namespace a2a3::isa {

void apply(const TBinary& binary, LocalMemory local) {
  const bool by_rows = binary.lhs.layout == TileLayout::row_major;
  const std::byte* const base = local.data();
  const LineCount count = valid_lines(binary.lhs, by_rows);
  SourceLines rhs = lines_of(binary.rhs, base, by_rows);
  const bool one_row = binary.rhs.rows == 1;
  const bool one_col = binary.rhs.cols == 1;
  if (count.lines > 1 && (by_rows ? one_row : one_col)) rhs.line_stride = 0;
  if (count.length > 1 && (by_rows ? one_col : one_row)) rhs.stride = 0;
  apply_elementwise(binary.op, binary.lhs.dtype, lines_of(binary.lhs, base, by_rows), rhs,
                    lines_of(binary.dst, local.data(), by_rows), count);
}

void apply(const TBinaryScalar& binary, LocalMemory local) {
  alignas(std::uint64_t) std::array<std::byte, sizeof(std::uint64_t)> element;
  store_scalar(binary.scalar, binary.src.dtype, element.data());
  const SourceLines scalar{element.data(), 0, 0};
  const bool by_rows = binary.src.layout == TileLayout::row_major;
  const SourceLines tile = lines_of<const std::byte>(binary.src, local.data(), by_rows);
  apply_elementwise(binary.op, binary.src.dtype, binary.scalar_first ? scalar : tile,
                    binary.scalar_first ? tile : scalar,
                    lines_of(binary.dst, local.data(), by_rows), valid_lines(binary.src, by_rows));
}

}  // namespace a2a3::isa
