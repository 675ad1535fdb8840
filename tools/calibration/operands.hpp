// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/operand.hpp"

namespace a2a3::tools {

/// `bytes` of fp32 in global memory, in one row. Whole elements: `bytes` is a multiple of 4.
[[nodiscard]] inline isa::GmBox gm_row(std::uint32_t device, std::uint64_t offset_bytes,
                                       std::uint64_t bytes) {
  isa::GmBox box;
  box.base = {device, offset_bytes};
  box.shape[4] = static_cast<std::int64_t>(bytes / 4);
  for (std::size_t d = 0; d + 1 < isa::kBoxDims; ++d)
    box.stride[d] = box.shape[4];
  return box;
}

[[nodiscard]] inline isa::Tile whole_tile(isa::DType dtype, std::int32_t rows, std::int32_t cols,
                                          std::uint32_t offset_bytes = 0) {
  isa::Tile tile;
  tile.offset_bytes = offset_bytes;
  tile.dtype = dtype;
  tile.rows = tile.valid_rows = rows;
  tile.cols = tile.valid_cols = cols;
  return tile;
}

/// A tile that holds a gm_row() of as many bytes.
[[nodiscard]] inline isa::Tile row_tile(std::uint64_t bytes, std::uint32_t offset_bytes = 0) {
  return whole_tile(isa::DType::fp32, 1, static_cast<std::int32_t>(bytes / 4), offset_bytes);
}

}  // namespace a2a3::tools
