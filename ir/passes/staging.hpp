// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "isa/dtype.hpp"

namespace a2a3::ir {

[[nodiscard]] constexpr std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}
[[nodiscard]] constexpr std::int64_t round_up(std::int64_t value, std::int64_t to) {
  return divide_up(value, to) * to;
}
/// Elements in a block.
[[nodiscard]] std::int64_t block_elements(isa::DType dtype);

/// What a tile that holds rows x cols elements is made of: rows padded to whole blocks, a single
/// column in whole blocks too.
struct TileBox {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
};
[[nodiscard]] TileBox padded_box(std::int64_t rows, std::int64_t cols, isa::DType dtype);

/// The statement that makes a staging tile `name` of rows x cols elements. Padding is outside of
/// its valid box.
[[nodiscard]] std::string staging_tile(const std::string& name, std::int64_t rows,
                                       std::int64_t cols, isa::DType dtype);

}  // namespace a2a3::ir
