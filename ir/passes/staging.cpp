// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/staging.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace a2a3::ir {

std::int64_t block_elements(isa::DType dtype) {
  return isa::kBlockBytes / std::max<std::int64_t>(1, isa::size_of(dtype));
}

TileBox padded_box(std::int64_t rows, std::int64_t cols, isa::DType dtype) {
  const std::int64_t block = block_elements(dtype);
  if (cols == 1 && rows > 1) return {round_up(rows, block), 1};
  return {rows, round_up(cols, block)};
}

std::string staging_tile(const std::string& name, std::int64_t rows, std::int64_t cols,
                         isa::DType dtype) {
  const TileBox box = padded_box(rows, cols, dtype);
  const std::string create =
      fmt::format("pl.tile.create([{}, {}], pl.{})", box.rows, box.cols, isa::name(dtype));
  if (box.rows == rows && box.cols == cols) return fmt::format("{} = {}\n", name, create);
  return fmt::format("{} = pl.tile.set_validshape({}, {}, {})\n", name, create, rows, cols);
}

}  // namespace a2a3::ir
