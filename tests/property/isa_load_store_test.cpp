// SPDX-License-Identifier: Apache-2.0
// Loads and stores of random strided boxes, both tile layouts, against element loops.
#include <cstring>

#include <gtest/gtest.h>

#include "isa/hazard.hpp"
#include "isa/memory.hpp"
#include "isa/validate.hpp"
#include "property/isa_boxes.hpp"
#include "property/isa_reference.hpp"
#include "unit/isa/vector_port.hpp"

namespace a2a3::isa::isa_load_store_test {
namespace {

using reference::Random;

constexpr std::size_t kGmBytes = 1 << 15;
constexpr std::size_t kUbBytes = 1 << 14;
const std::vector<DType> kDTypes{DType::fp32,  DType::fp16,  DType::bf16, DType::int8,
                                 DType::int16, DType::int32, DType::int64};
const std::vector<DType> kAtomicDTypes{DType::fp32,  DType::fp16,  DType::bf16,
                                       DType::int32, DType::int16, DType::int8};

/// A tile whose valid box takes the box.
Tile tile_for(Random& random, const GmBox& box) {
  Tile tile = random.tile(box.dtype, 32, box.rows() + random.in(0, 3) * random.in(0, 1),
                          box.cols() + random.in(0, 5) * random.in(0, 1), false);
  tile.valid_rows = static_cast<std::int32_t>(box.rows());
  tile.valid_cols = static_cast<std::int32_t>(box.cols());
  return tile;
}

std::size_t tile_byte(const Tile& tile, std::int64_t row, std::int64_t col) {
  const std::int64_t element =
      tile.layout == TileLayout::row_major ? row * tile.cols + col : col * tile.rows + row;
  return tile.offset_bytes + static_cast<std::size_t>(element * size_of(tile.dtype));
}

TEST(IsaLoadStore, LoadCopiesTheBoxAndNothingElse) {
  Random random(20260821);
  for (int round = 0; round < 3000; ++round) {
    const DType dtype = random.of(kDTypes);
    VectorPort gm(3, kGmBytes);
    TLoad load;
    load.src = reference::random_box(random, dtype, 4, 40);
    load.dst = tile_for(random, load.src);
    random.fill(gm.gm[load.src.base.device]);
    std::vector<std::byte> ub(kUbBytes);
    std::vector<std::byte> expected = ub;
    std::vector<std::uint64_t> touched;
    reference::for_each_element(
        load.src, [&](std::int64_t row, std::int64_t col, std::size_t byte) {
          std::memcpy(&expected[tile_byte(load.dst, row, col)], &gm.gm[load.src.base.device][byte],
                      static_cast<std::size_t>(size_of(dtype)));
          touched.push_back(byte);
        });
    const std::vector<std::uint64_t> sizes(3, kGmBytes);
    ASSERT_EQ(validate(load, {kUbBytes, 0, sizes}), std::nullopt);
    execute(load, ub, gm);
    ASSERT_EQ(ub, expected) << "round " << round;

    const std::uint64_t end = *std::max_element(touched.begin(), touched.end()) +
                              static_cast<std::uint64_t>(size_of(dtype));
    ASSERT_EQ(load.src.base.offset_bytes + extent_bytes(load.src), end);
    // At most one access for each row of contiguous elements.
    ASSERT_LE(gm.reads, load.src.rows() == 1 || load.dst.layout == TileLayout::row_major
                            ? load.src.rows()
                            : load.src.elements());
  }
}

TEST(IsaLoadStore, StoreWritesTheBoxAndNothingElse) {
  Random random(20260822);
  for (int round = 0; round < 3000; ++round) {
    TStore store;
    store.atomic_add = random.chance(40);
    const DType dtype = random.of(store.atomic_add ? kAtomicDTypes : kDTypes);
    store.dst = reference::random_box(random, dtype, 4, 40);
    store.src = tile_for(random, store.dst);
    VectorPort gm(3, kGmBytes);
    std::vector<std::byte>& memory = gm.gm[store.dst.base.device];
    std::vector<std::byte> ub(kUbBytes);
    const auto size = static_cast<std::size_t>(size_of(dtype));
    for (std::size_t at = 0; at < ub.size(); at += size)
      reference::encode(dtype, static_cast<reference::Number>(random.in(-60, 60)), RoundMode::rint,
                        &ub[at]);
    for (std::size_t at = 0; at < memory.size(); at += ub.size())
      std::copy(ub.begin(), ub.end(), &memory[at]);
    std::vector<std::byte> expected = memory;
    reference::for_each_element(store.dst,
                                [&](std::int64_t row, std::int64_t col, std::size_t byte) {
                                  const std::byte* element = &ub[tile_byte(store.src, row, col)];
                                  reference::Number value = reference::decode(dtype, element);
                                  if (store.atomic_add)
                                    value += reference::decode(dtype, &memory[byte]);
                                  reference::encode(dtype, value, RoundMode::rint, &expected[byte]);
                                });
    const std::vector<std::byte> ub_before = ub;
    execute(store, ub, gm);
    ASSERT_EQ(memory, expected) << name(dtype) << " round " << round;
    ASSERT_EQ(ub, ub_before);
    ASSERT_EQ(store.atomic_add ? gm.writes : gm.atomics, 0);
  }
}

}  // namespace
}  // namespace a2a3::isa::isa_load_store_test
