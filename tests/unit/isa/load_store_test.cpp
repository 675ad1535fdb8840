// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "isa/memory.hpp"
#include "unit/isa/operands.hpp"
#include "unit/isa/vector_port.hpp"

namespace a2a3::isa::load_store_test {
namespace {

class LoadStore : public testing::Test {
 protected:
  LoadStore() {
    for (std::size_t i = 0; i < 512; ++i)
      port.set<std::int32_t>(1, i, static_cast<int>(i));
  }
  Ub ub;
  VectorPort port{2, 2048};
};

TEST_F(LoadStore, ContiguousBoxIsOneAccess) {
  execute(TLoad{box_at({1, 0}, DType::int32, 8, 16), tile_at(0, DType::int32, 8, 16)}, ub.bytes,
          port);
  EXPECT_EQ(port.reads, 1);
  EXPECT_EQ(ub.get<int>(0, 128).back(), 127);
}

TEST_F(LoadStore, StridedRowsAreOneAccessEach) {
  execute(TLoad{box_at({1, 4}, DType::int32, 4, 8, 20), tile_at(0, DType::int32, 4, 8)}, ub.bytes,
          port);
  EXPECT_EQ(port.reads, 4);
  EXPECT_EQ(ub.get<int>(0, 32)[8], 21);
}

TEST_F(LoadStore, ContiguousLeadingDimensionsMerge) {
  GmBox box = box_at({1, 0}, DType::int32, 2, 8);
  box.shape = {1, 3, 1, 2, 8};
  box.stride = {999, 32, 7, 8, 1};  // planes of 16 elements with gaps of 16
  execute(TLoad{box, tile_at(0, DType::int32, 6, 8)}, ub.bytes, port);
  EXPECT_EQ(port.reads, 3);
  EXPECT_EQ(ub.get<int>(0, 48)[16], 32);
}

TEST_F(LoadStore, ColumnTileOfADenseColumnIsOneAccess) {
  Tile tile = tile_at(0, DType::int32, 16, 1);
  tile.layout = TileLayout::col_major;
  execute(TLoad{box_at({1, 0}, DType::int32, 16, 1), tile}, ub.bytes, port);
  EXPECT_EQ(port.reads, 1);
  execute(TLoad{box_at({1, 8}, DType::int32, 16, 1, 10), tile}, ub.bytes, port);
  EXPECT_EQ(port.reads, 17);
  EXPECT_EQ(ub.get<int>(0, 16)[3], 32);
}

TEST_F(LoadStore, ColumnMajorTileReadsWholeRows) {
  Tile tile = tile_at(0, DType::int32, 4, 8);
  tile.layout = TileLayout::col_major;
  execute(TLoad{box_at({1, 0}, DType::int32, 4, 8), tile}, ub.bytes, port);
  EXPECT_EQ(port.reads, 4);
  EXPECT_EQ(ub.get<int>(0, 8), (std::vector<int>{0, 8, 16, 24, 1, 9, 17, 25}));
}

TEST_F(LoadStore, ElementsOutsideTheValidBoxStay) {
  ub.put(0, {-1, -1, -1, -1, -1, -1, -1, -1});
  Tile tile = tile_at(0, DType::int32, 2, 4);
  tile.valid_rows = 1;
  tile.valid_cols = 3;
  execute(TLoad{box_at({1, 0}, DType::int32, 1, 3), tile}, ub.bytes, port);
  EXPECT_EQ(ub.get<int>(0, 8), (std::vector<int>{0, 1, 2, -1, -1, -1, -1, -1}));
  execute(TStore{tile, box_at({0, 0}, DType::int32, 1, 3)}, ub.bytes, port);
  EXPECT_EQ(port.get<int>(0, 2), 2);
  EXPECT_EQ(port.get<int>(0, 3), 0);
}

TEST_F(LoadStore, AtomicAddAddsInMemory) {
  ub.put(0, {1, 2, 3, 4});
  const TStore store{tile_at(0, DType::int32, 1, 4), box_at({1, 40}, DType::int32, 1, 4), true};
  execute(store, ub.bytes, port);
  execute(store, ub.bytes, port);
  EXPECT_EQ(port.atomics, 2);
  EXPECT_EQ(port.writes, 0);
  EXPECT_EQ(port.get<int>(1, 13), 13 + 2 * 4);
  EXPECT_EQ(port.get<int>(1, 14), 14);
}

TEST_F(LoadStore, AnEmptyBoxTouchesNothing) {
  Tile tile = tile_at(0, DType::int32, 2, 4);
  tile.valid_rows = 0;
  execute(TLoad{box_at({1, 0}, DType::int32, 0, 4), tile}, ub.bytes, port);
  execute(TStore{tile, box_at({1, 0}, DType::int32, 0, 4)}, ub.bytes, port);
  EXPECT_EQ(port.reads + port.writes, 0);
}

}  // namespace
}  // namespace a2a3::isa::load_store_test
