// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "isa/memory.hpp"
#include "unit/isa/operands.hpp"
#include "unit/isa/vector_port.hpp"

namespace a2a3::isa::fill_test {
namespace {

std::vector<std::int32_t> filled(Tile tile, bool padding_only) {
  Ub ub;
  VectorPort port(1, 0);
  ub.put<std::int32_t>(0, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  execute(TFill{tile, Scalar{DType::int32, -7, 0.0}, padding_only}, ub.bytes, port);
  return ub.get<std::int32_t>(0, 12);
}

TEST(Fill, TheWholeTileWhateverIsValid) {
  Tile tile = tile_at(0, DType::int32, 2, 4);
  tile.valid_cols = 1;
  EXPECT_EQ(filled(tile, false),
            (std::vector<std::int32_t>{-7, -7, -7, -7, -7, -7, -7, -7, 9, 10, 11, 12}));
}

TEST(Fill, ThePaddingAroundTheValidBox) {
  Tile tile = tile_at(0, DType::int32, 3, 4);
  tile.valid_rows = 2;
  tile.valid_cols = 3;
  EXPECT_EQ(filled(tile, true),
            (std::vector<std::int32_t>{1, 2, 3, -7, 5, 6, 7, -7, -7, -7, -7, -7}));
}

TEST(Fill, ThePaddingOfAColumnMajorTile) {
  Tile tile = tile_at(0, DType::int32, 8, 1);
  tile.layout = TileLayout::col_major;
  tile.valid_rows = 5;
  EXPECT_EQ(filled(tile, true),
            (std::vector<std::int32_t>{1, 2, 3, 4, 5, -7, -7, -7, 9, 10, 11, 12}));
}

TEST(Fill, NoPaddingChangesNothing) {
  EXPECT_EQ(filled(tile_at(0, DType::int32, 3, 4), true),
            (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST(Fill, AnEmptyValidBoxIsAllPadding) {
  Tile tile = tile_at(0, DType::int32, 1, 4);
  tile.valid_rows = tile.valid_cols = 0;
  EXPECT_EQ(filled(tile, true),
            (std::vector<std::int32_t>{-7, -7, -7, -7, 5, 6, 7, 8, 9, 10, 11, 12}));
}

}  // namespace
}  // namespace a2a3::isa::fill_test
