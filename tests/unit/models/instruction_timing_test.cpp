// SPDX-License-Identifier: Apache-2.0
#include "models/instruction_timing.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "models/load_machine.hpp"

namespace a2a3::models::instruction_timing_test {
namespace {

const MachineDescription& a2() {
  static const LoadedMachine loaded = load_machine("a2", A2A3_SOURCE_DIR);
  EXPECT_TRUE(loaded.machine) << loaded.errors;
  return *loaded.machine;
}

/// Cycles of 1.85 GHz in picoseconds.
std::uint64_t cycles(double count) {
  return static_cast<std::uint64_t>(std::llround(count / 1.85e9 * 1e12));
}

isa::GmBox box(isa::DType dtype, std::array<std::int64_t, 5> shape) {
  isa::GmBox result;
  result.dtype = dtype;
  result.shape = shape;
  std::int64_t stride = 1;
  for (std::size_t i = 5; i-- > 0; stride *= shape[i])
    result.stride[i] = stride;
  return result;
}

isa::Tile tile(isa::DType dtype, std::int32_t rows, std::int32_t cols) {
  isa::Tile result;
  result.dtype = dtype;
  result.rows = result.valid_rows = rows;
  result.cols = result.valid_cols = cols;
  return result;
}

InstructionTime load(std::array<std::int64_t, 5> shape) {
  return instruction_time(isa::TLoad{box(isa::DType::fp32, shape), {}}, a2());
}

std::uint64_t whole(const isa::Operation& operation) {
  const InstructionTime time = instruction_time(operation, a2());
  EXPECT_EQ(time.transfer_ps, 0u);
  EXPECT_EQ(time.issue_ps, time.startup_ps);
  return time.startup_ps;
}

TEST(InstructionTiming, LoadOf64KiBTakes776Cycles) {
  const InstructionTime time = load({1, 1, 1, 128, 128});
  EXPECT_EQ(time.startup_ps, cycles(264));
  EXPECT_EQ(time.transfer_ps, cycles(512));
  EXPECT_EQ(time.issue_ps, cycles(512));
}

TEST(InstructionTiming, SmallLoadsFollowEachOtherAtTheIssueDistance) {
  const InstructionTime time = load({1, 1, 1, 1, 32});
  EXPECT_EQ(time.startup_ps, cycles(264));
  EXPECT_EQ(time.transfer_ps, cycles(1));
  EXPECT_EQ(time.issue_ps, cycles(21));
}

TEST(InstructionTiming, EachOuterGroupIsACommandOfItsOwn) {
  // The published row: 8 groups of 8192 bytes, 2624 cycles = 8 * (264 + 8192 / 128).
  const InstructionTime time = load({1, 1, 8, 1, 2048});
  EXPECT_EQ(time.startup_ps + time.transfer_ps, cycles(8 * 264) + cycles(512));
  EXPECT_NEAR(static_cast<double>(time.startup_ps + time.transfer_ps), 2624 / 1.85 * 1000, 1);
  EXPECT_EQ(time.issue_ps, cycles(7 * (264 + 64) + 64));
}

TEST(InstructionTiming, Store) {
  const isa::TStore store{tile(isa::DType::fp16, 4, 256), box(isa::DType::fp16, {1, 1, 1, 4, 256})};
  const InstructionTime time = instruction_time(store, a2());
  EXPECT_EQ(time.startup_ps, cycles(153));
  EXPECT_EQ(time.transfer_ps, cycles(2048.0 / 64));
  EXPECT_EQ(time.issue_ps, cycles(32));
}

TEST(InstructionTiming, EmptyTransferAndEmptyTileTakeNoTime) {
  EXPECT_EQ(load({1, 1, 1, 0, 32}).startup_ps, 0u);
  isa::Tile empty = tile(isa::DType::fp32, 8, 8);
  empty.valid_rows = 0;
  EXPECT_EQ(whole(isa::TBinary{isa::BinaryOp::add, empty, empty, empty}), 0u);
}

TEST(InstructionTiming, TileWithTile) {
  const auto time = [](isa::BinaryOp op, const isa::Tile& t) {
    return whole(isa::TBinary{op, t, t, t});
  };
  const isa::Tile fp32 = tile(isa::DType::fp32, 64, 64);  // 64 repeats
  EXPECT_EQ(time(isa::BinaryOp::add, fp32), cycles(2.11 * 64 + 24));
  EXPECT_EQ(time(isa::BinaryOp::sub, fp32), cycles(2.0032 * 64 + 25));
  EXPECT_EQ(time(isa::BinaryOp::mul, fp32), cycles(2.3 * 64 + 25));
  EXPECT_EQ(time(isa::BinaryOp::div, fp32), cycles(4.03 * 64 + 31));
  EXPECT_EQ(time(isa::BinaryOp::maximum, fp32), cycles(2.01 * 64 + 23));
  EXPECT_EQ(time(isa::BinaryOp::minimum, fp32), cycles(2.01 * 64 + 23));
  EXPECT_EQ(time(isa::BinaryOp::add, tile(isa::DType::fp16, 16, 256)), cycles(2.11 * 32 + 24));
}

TEST(InstructionTiming, PublishedVectorRowsWithin4Percent) {
  struct Row {
    isa::Operation operation;
    double published_cycles;
  };
  const isa::Tile big = tile(isa::DType::fp32, 64, 64);
  const isa::Tile small = tile(isa::DType::fp32, 32, 64);
  const isa::Tile half = tile(isa::DType::fp16, 16, 256);
  const std::vector<Row> rows = {
      {isa::TBinary{isa::BinaryOp::add, big, big, big}, 160},
      {isa::TBinary{isa::BinaryOp::add, half, half, half}, 92},
      {isa::TBinary{isa::BinaryOp::mul, big, big, big}, 168},
      {isa::TBinary{isa::BinaryOp::sub, big, big, big}, 153},
      {isa::TBinary{isa::BinaryOp::div, big, big, big}, 288},
      {isa::TBinaryScalar{isa::BinaryOp::add, small, {}, small}, 57},
      {isa::TBinaryScalar{isa::BinaryOp::mul, small, {}, small}, 58},
      {isa::TUnary{isa::UnaryOp::exp, big, big}, 159},
      {isa::TUnary{isa::UnaryOp::sqrt, big, big}, 160},
  };
  for (const Row& row : rows) {
    const double simulated = static_cast<double>(whole(row.operation)) * 1.85e-3;
    EXPECT_NEAR(simulated / row.published_cycles, 1, 0.04) << row.published_cycles;
  }
}

TEST(InstructionTiming, TileWithScalar) {
  const isa::Tile fp32 = tile(isa::DType::fp32, 32, 64);  // 32 repeats
  const auto time = [&](isa::BinaryOp op) { return whole(isa::TBinaryScalar{op, fp32, {}, fp32}); };
  EXPECT_EQ(time(isa::BinaryOp::add), cycles(0.9984 * 32 + 25));
  EXPECT_EQ(time(isa::BinaryOp::sub), cycles(0.9984 * 32 + 25));
  EXPECT_EQ(time(isa::BinaryOp::mul), cycles(0.9984 * 32 + 26));
  EXPECT_EQ(time(isa::BinaryOp::div), cycles(4.9984 * 32 + 45));
  EXPECT_EQ(time(isa::BinaryOp::maximum), cycles(0.9984 * 32 + 25));
  EXPECT_EQ(time(isa::BinaryOp::minimum), cycles(0.9984 * 32 + 25));
}

TEST(InstructionTiming, OfOneTile) {
  const isa::Tile fp32 = tile(isa::DType::fp32, 64, 64);  // 64 repeats
  const auto time = [&](isa::UnaryOp op) { return whole(isa::TUnary{op, fp32, fp32}); };
  EXPECT_EQ(time(isa::UnaryOp::exp), cycles(2.0096 * 64 + 30.1));
  EXPECT_EQ(time(isa::UnaryOp::ln), cycles(2.0 * 64 + 33));
  EXPECT_EQ(time(isa::UnaryOp::sqrt), cycles(2.0096 * 64 + 31.1));
  EXPECT_EQ(time(isa::UnaryOp::relu), cycles(1.0 * 64 + 23));
}

TEST(InstructionTiming, UnalignedGlobalMemoryKeepsAShareOfTheRate) {
  isa::GmBox rows = box(isa::DType::fp32, {1, 1, 1, 4, 1024});
  const auto moving = [&] { return instruction_time(isa::TLoad{rows, {}}, a2()).transfer_ps; };
  EXPECT_EQ(moving(), cycles(16384.0 / 128));
  rows.base.offset_bytes = 480;
  EXPECT_EQ(moving(), cycles(16384.0 / (128 * 0.7)));
  rows.base.offset_bytes = 512;
  rows.stride[3] = 1024 + 8;  // rows 4128 bytes apart
  EXPECT_EQ(moving(), cycles(16384.0 / (128 * 0.7)));
  rows.stride[3] = 1024 + 128;
  EXPECT_EQ(moving(), cycles(16384.0 / 128));
}

TEST(InstructionTiming, RowsThatAreNoMultipleOfARepeatAreMasked) {
  const isa::Tile narrow = tile(isa::DType::fp32, 4, 48);  // 768 B in all: 3 repeats
  EXPECT_EQ(whole(isa::TBinary{isa::BinaryOp::add, narrow, narrow, narrow}),
            cycles(2.11 * 3 + 24 + 16));
  isa::Tile valid = tile(isa::DType::fp32, 4, 128);
  valid.valid_cols = 64;  // 4 rows of one repeat each, not contiguous
  EXPECT_EQ(whole(isa::TBinary{isa::BinaryOp::add, valid, valid, valid}), cycles(2.11 * 4 + 24));
  valid.valid_cols = 65;  // 4 rows of two repeats each, the second masked
  EXPECT_EQ(whole(isa::TBinary{isa::BinaryOp::add, valid, valid, valid}),
            cycles(2.11 * 8 + 24 + 16));
}

TEST(InstructionTiming, ColumnMajorTileRunsAlongItsColumn) {
  isa::Tile column = tile(isa::DType::fp32, 64, 1);
  column.layout = isa::TileLayout::col_major;
  EXPECT_EQ(whole(isa::TBinary{isa::BinaryOp::add, column, column, column}), cycles(2.11 * 1 + 24));
}

TEST(InstructionTiming, CastCountsRepeatsOfTheWiderDType) {
  const isa::Tile fp16 = tile(isa::DType::fp16, 16, 64);
  const isa::Tile fp32 = tile(isa::DType::fp32, 16, 64);
  EXPECT_EQ(whole(isa::TCast{fp16, fp32}), cycles(2 * 16 + 32));
  EXPECT_EQ(whole(isa::TCast{fp32, fp16}), cycles(2 * 16 + 32));
}

TEST(InstructionTiming, FillCoversThePhysicalTile) {
  isa::Tile partial = tile(isa::DType::fp32, 8, 64);
  partial.valid_rows = 1;
  EXPECT_EQ(whole(isa::TFill{partial, {}}), cycles(1 * 8 + 24));
}

isa::TMatmul matmul(isa::DType dtype, std::int32_t m, std::int32_t k, std::int32_t n) {
  return {tile(dtype, m, k), tile(dtype, k, n), tile(*isa::accumulator_of(dtype), m, n)};
}

TEST(InstructionTiming, PublishedRowsOfTheCube) {
  EXPECT_EQ(whole(matmul(isa::DType::fp16, 40, 50, 60)), cycles(54));
  EXPECT_EQ(whole(matmul(isa::DType::int8, 6, 7, 8)), cycles(7));
  EXPECT_EQ(whole(matmul(isa::DType::fp16, 128, 128, 64)), cycles(262));
  EXPECT_EQ(whole(matmul(isa::DType::fp32, 120, 110, 50)), cycles(902));
}

TEST(InstructionTiming, RowSumOf64Rows) {
  const isa::Tile rows = tile(isa::DType::fp32, 64, 64);
  EXPECT_NEAR(static_cast<double>(whole(isa::TRowSum{rows, rows, tile(isa::DType::fp32, 64, 1)})),
              static_cast<double>(cycles(492)), 0.01 * static_cast<double>(cycles(492)));
}

TEST(InstructionTiming, TheWayToTheCubeAndBack) {
  isa::Tile left = tile(isa::DType::fp16, 16, 64);
  isa::Tile right = left;
  left.space = isa::MemorySpace::l0a;
  right.space = isa::MemorySpace::l0b;
  EXPECT_EQ(whole(isa::TMove{left, left, 0, 0, 0, 0, 16, 64, false}), cycles(20 + 2048 / 512));
  EXPECT_EQ(whole(isa::TMove{right, right, 0, 0, 0, 0, 16, 64, false}), cycles(20 + 2048 / 256));
  isa::Tile mat = left;
  mat.space = isa::MemorySpace::l1;
  const auto in = instruction_time(isa::TLoad{box(isa::DType::fp16, {1, 1, 1, 16, 64}), mat}, a2());
  EXPECT_EQ(in.startup_ps, cycles(264));
  EXPECT_EQ(in.transfer_ps, cycles(2048.0 / 111));
  isa::Tile result = tile(isa::DType::fp32, 16, 64);
  result.space = isa::MemorySpace::l0c;
  const auto out =
      instruction_time(isa::TStore{result, box(isa::DType::fp32, {1, 1, 1, 16, 64})}, a2());
  EXPECT_EQ(out.startup_ps, cycles(153));
  EXPECT_EQ(out.transfer_ps, cycles(4096 / (70.0 * 1024 * 1024 * 1024 / 1.85e9)));
}

TEST(InstructionTiming, ACopyInTheUnifiedBufferIsAVectorOperation) {
  const isa::Tile rows = tile(isa::DType::fp32, 64, 64);
  EXPECT_EQ(whole(isa::TMove{rows, rows, 0, 0, 0, 0, 64, 64, false}), cycles(64 + 24));
}

TEST(InstructionTiming, ScalarAccessAndBarrier) {
  isa::ScalarRead read;
  read.gm = isa::GlobalAddress{};
  EXPECT_EQ(whole(read), 200'000u);
  isa::ScalarWrite write;
  write.tile = tile(isa::DType::fp32, 1, 1);
  EXPECT_EQ(whole(write), cycles(20));
  EXPECT_EQ(whole(isa::PipeBarrier{}), cycles(4));
  EXPECT_EQ(whole(isa::PipeBarrier{.after_flag = true}), cycles(4 + 8));
}

TEST(InstructionTiming, Link) {
  const LinkParameters& link = a2().link;
  EXPECT_EQ(link_time_ps(4096, link.bytes_per_second * link.read_efficiency),
            static_cast<std::uint64_t>(std::llround(4096 / (28e9 * 0.93) * 1e12)));
  EXPECT_EQ(header_bytes(0, link), 0u);
  EXPECT_EQ(header_bytes(1, link), 38u);
  EXPECT_EQ(header_bytes(512, link), 38u);
  EXPECT_EQ(header_bytes(513, link), 76u);
}

}  // namespace
}  // namespace a2a3::models::instruction_timing_test
