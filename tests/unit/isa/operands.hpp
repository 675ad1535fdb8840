// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "isa/operand.hpp"

namespace a2a3::isa {

/// A wholly valid row-major tile.
inline Tile tile_at(std::uint32_t offset_bytes, DType dtype, std::int32_t rows, std::int32_t cols) {
  Tile tile;
  tile.offset_bytes = offset_bytes;
  tile.dtype = dtype;
  tile.rows = tile.valid_rows = rows;
  tile.cols = tile.valid_cols = cols;
  return tile;
}

/// A dense box of [rows, cols], or with `pitch` elements from row to row.
inline GmBox box_at(GlobalAddress base, DType dtype, std::int64_t rows, std::int64_t cols,
                    std::int64_t pitch = 0) {
  if (pitch == 0) pitch = cols;
  GmBox box;
  box.base = base;
  box.dtype = dtype;
  box.shape = {1, 1, 1, rows, cols};
  box.stride = {rows * pitch, rows * pitch, rows * pitch, pitch, 1};
  return box;
}

/// A unified buffer with typed access.
struct Ub {
  alignas(32) std::byte bytes[4096]{};

  template <class T>
  void put(std::size_t offset_bytes, std::initializer_list<T> values) {
    for (const T& value : values) {
      std::memcpy(&bytes[offset_bytes], static_cast<const void*>(&value), sizeof(T));
      offset_bytes += sizeof(T);
    }
  }
  template <class T>
  [[nodiscard]] std::vector<T> get(std::size_t offset_bytes, std::size_t count) const {
    std::vector<T> values(count);
    std::memcpy(static_cast<void*>(values.data()), &bytes[offset_bytes], count * sizeof(T));
    return values;
  }
};

}  // namespace a2a3::isa
