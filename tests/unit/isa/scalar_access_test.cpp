// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "isa/memory.hpp"
#include "unit/isa/operands.hpp"
#include "unit/isa/vector_port.hpp"

namespace a2a3::isa::scalar_access_test {
namespace {

TEST(ScalarAccess, ReadsFromGlobalMemoryAndTiles) {
  Ub ub;
  VectorPort port(2, 64);
  port.set<std::int32_t>(1, 3, -5);
  Scalar result;
  execute(ScalarRead{GlobalAddress{1, 12}, {}, DType::int32, &result}, ub.bytes, port);
  EXPECT_EQ(result.i, -5);
  EXPECT_EQ(result.dtype, DType::int32);

  ub.put<std::uint16_t>(64, {0, 0x3C00, 0xBE00});  // fp16 0, 1, -1.5
  Tile element = tile_at(64 + 2 * 2, DType::fp16, 1, 1);
  execute(ScalarRead{{}, element, DType::fp16, &result}, ub.bytes, port);
  EXPECT_EQ(result.f, -1.5);
  ub.put<std::uint8_t>(0, {7});
  execute(ScalarRead{{}, tile_at(0, DType::boolean, 1, 1), DType::boolean, &result}, ub.bytes,
          port);
  EXPECT_EQ(result.i, 1);
}

TEST(ScalarAccess, WritesOneElement) {
  Ub ub;
  VectorPort port(2, 64);
  execute(ScalarWrite{GlobalAddress{1, 8}, {}, {DType::int16, -2, 0}}, ub.bytes, port);
  EXPECT_EQ(port.get<std::int16_t>(1, 4), -2);
  EXPECT_EQ(port.get<std::int16_t>(1, 5), 0);

  execute(ScalarWrite{{}, tile_at(32, DType::bf16, 1, 1), {DType::bf16, 0, 1.0}}, ub.bytes, port);
  EXPECT_EQ(ub.get<std::uint16_t>(32, 2), (std::vector<std::uint16_t>{0x3F80, 0}));
  // The tile's dtype says how much is written.
  ub.put<std::int16_t>(64, {1, 1, 1});
  execute(ScalarWrite{{}, tile_at(64, DType::int16, 1, 1), {DType::index, -1, 0}}, ub.bytes, port);
  EXPECT_EQ(ub.get<std::int16_t>(64, 3), (std::vector<std::int16_t>{-1, 1, 1}));
}

TEST(Notify, AddsOrSetsTheCell) {
  Ub ub;
  VectorPort port(2, 64);
  port.set<std::int32_t>(1, 1, INT32_MAX);
  execute(TNotify{{1, 4}, 2, NotifyOp::atomic_add}, ub.bytes, port);
  EXPECT_EQ(port.get<std::int32_t>(1, 1), INT32_MIN + 1);
  execute(TNotify{{1, 4}, -3, NotifyOp::set}, ub.bytes, port);
  EXPECT_EQ(port.get<std::int32_t>(1, 1), -3);
  EXPECT_EQ(port.get<std::int32_t>(1, 2), 0);
  EXPECT_EQ(port.atomics, 1);
  EXPECT_EQ(port.writes, 1);
}

TEST(Order, WaitsAndBarriersChangeNoBytes) {
  Ub ub;
  VectorPort port(1, 64);
  const auto before = port.gm;
  for (const Operation& operation :
       std::vector<Operation>{TWait{}, PipeBarrier{}, TaskBegin{}, TaskEnd{}})
    execute(operation, ub.bytes, port);
  EXPECT_EQ(port.gm, before);
  EXPECT_EQ(port.reads, 0);
}

}  // namespace
}  // namespace a2a3::isa::scalar_access_test
