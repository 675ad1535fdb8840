// SPDX-License-Identifier: Apache-2.0
#include "isa/async_transfer.hpp"

#include <array>

#include <gtest/gtest.h>

#include "isa/hazard.hpp"
#include "isa/validate.hpp"
#include "unit/isa/operands.hpp"
#include "unit/isa/vector_port.hpp"

namespace a2a3::isa::async_transfer_test {
namespace {

TEST(AsyncTransfer, CopiesADenseBoxAtOnce) {
  VectorPort port(2, 4096);
  for (std::size_t i = 0; i < 17 * 3; ++i)
    port.set<std::int32_t>(1, 8 + i, static_cast<std::int32_t>(i));
  const GmBox from = box_at({1, 32}, DType::int32, 3, 17);
  const GmBox to = box_at({0, 64}, DType::int32, 3, 17);
  execute(TGetAsync{to, from}, {}, port);
  EXPECT_EQ(port.reads, 1);
  EXPECT_EQ(port.writes, 1);
  for (std::size_t i = 0; i < 17 * 3; ++i)
    EXPECT_EQ(port.get<std::int32_t>(0, 16 + i), static_cast<std::int32_t>(i));
}

TEST(AsyncTransfer, EachSideHasItsOwnStrides) {
  VectorPort port(2, 4096);
  for (std::size_t i = 0; i < 64; ++i)
    port.set<std::int32_t>(0, i, static_cast<std::int32_t>(i));
  GmBox from = box_at({0, 0}, DType::int32, 2, 3, 10);
  from.shape[2] = 2;
  from.stride[2] = 30;
  GmBox to = box_at({1, 0}, DType::int32, 2, 3, 5);
  to.shape[2] = 2;
  to.stride[2] = 20;
  execute(TPutAsync{to, from}, {}, port);
  EXPECT_EQ(port.writes, 4);
  for (std::size_t group = 0; group < 2; ++group)
    for (std::size_t row = 0; row < 2; ++row)
      for (std::size_t col = 0; col < 3; ++col)
        EXPECT_EQ(port.get<std::int32_t>(1, group * 20 + row * 5 + col),
                  static_cast<std::int32_t>(group * 30 + row * 10 + col));
}

TEST(AsyncTransfer, MoreThanOnePieceAndNothingAtAll) {
  constexpr std::int64_t kElements = (64 << 10) + 1000;  // of int16: two pieces and a bit
  VectorPort port(1, 1 << 19);
  for (std::size_t i = 0; i < kElements; ++i)
    port.set<std::int16_t>(0, i, static_cast<std::int16_t>(i % 997));
  const GmBox from = box_at({0, 0}, DType::int16, 1, kElements);
  GmBox to = from;
  to.base.offset_bytes = 1 << 18;
  execute(TPutAsync{to, from}, {}, port);
  EXPECT_EQ(port.writes, 3);
  for (std::size_t i = 0; i < kElements; ++i)
    ASSERT_EQ(port.get<std::int16_t>(0, (1 << 17) + i), static_cast<std::int16_t>(i % 997));
  execute(TPutAsync{box_at({0, 0}, DType::int32, 0, 8), box_at({0, 64}, DType::int32, 0, 8)}, {},
          port);
  EXPECT_EQ(port.writes, 3);
}

TEST(AsyncTransfer, OperandsAreOrderedAndChecked) {
  const TPutAsync put{box_at({1, 0}, DType::fp32, 1, 8), box_at({0, 64}, DType::fp32, 1, 8)};
  const ByteRanges ranges = operand_ranges(put);
  ASSERT_EQ(ranges.count, 2);
  EXPECT_FALSE(ranges.range[0].write);
  EXPECT_TRUE(ranges.range[1].write);
  EXPECT_EQ(operand_ranges(TWaitEvent{}).count, 0);
  const std::array<std::uint64_t, 2> sizes{128, 128};
  const MemorySizes memory{.ub_bytes = 4096, .cube_bytes = 0, .gm_bytes = sizes};
  EXPECT_EQ(validate(put, memory), std::nullopt);
  EXPECT_EQ(validate(TGetAsync{put.src, put.src}, memory), "source and destination overlap");
  EXPECT_EQ(validate(TGetAsync{box_at({0, 0}, DType::fp32, 2, 4), put.dst}, memory),
            "source and destination have different shapes");
  EXPECT_EQ(validate(TGetAsync{box_at({0, 120}, DType::fp32, 1, 8), put.dst}, memory),
            "destination covers bytes 120 to 152 of the global memory of device 0, which has 128");
}

}  // namespace
}  // namespace a2a3::isa::async_transfer_test
