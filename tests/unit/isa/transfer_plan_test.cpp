// SPDX-License-Identifier: Apache-2.0
// The table and the examples of transfers.md.
#include "isa/transfer_plan.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/isa/operands.hpp"

namespace a2a3::isa::transfer_plan_test {
namespace {

TPut put_of(std::int64_t rows, std::int64_t cols, std::int32_t chunk_rows, std::int32_t chunk_cols,
            bool pipeline = false) {
  TPut put;
  put.src = box_at({0, 0}, DType::fp32, rows, cols);
  put.dst = box_at({1, 1024}, DType::fp32, rows, cols);
  put.stage = tile_at(0, DType::fp32, chunk_rows, chunk_cols);
  if (pipeline)
    put.stage2 =
        tile_at(static_cast<std::uint32_t>(put.stage.bytes()), DType::fp32, chunk_rows, chunk_cols);
  return put;
}

TGet get_of(const TPut& put) {
  return {put.dst, put.src, put.stage, put.stage2};
}

/// One letter for each step: Load, Store, Barrier.
std::string letters(TransferPlan plan) {
  std::string text;
  Operation step;
  while (plan.next(step))
    text += mnemonic(step)[0] == 'P' ? 'B' : mnemonic(step)[1];
  return text;
}

TEST(TransferPlan, SingleShot) {
  const TPut put = put_of(8, 64, 8, 64);
  EXPECT_EQ(TransferPlan(put).form(), TransferForm::single_shot);
  EXPECT_EQ(letters(TransferPlan(put)), "BLSB");
  EXPECT_EQ(letters(TransferPlan(get_of(put))), "BLBSB");
  const TPut two_tiles = put_of(8, 64, 8, 64, true);
  EXPECT_EQ(letters(TransferPlan(two_tiles)), "BLBSB");
  EXPECT_EQ(letters(TransferPlan(get_of(two_tiles))), "BLBSB");
  EXPECT_EQ(TransferPlan(put).counts(), (TransferCounts{1, 1, 2}));
  EXPECT_EQ(TransferPlan(get_of(put)).counts(), (TransferCounts{1, 1, 3}));
}

TEST(TransferPlan, BarriersBehindALoadOrStoreWaitForItsFlag) {
  const auto flags = [](TransferPlan plan) {
    std::string text;
    Operation step;
    while (plan.next(step))
      if (const auto* barrier = std::get_if<PipeBarrier>(&step))
        text += barrier->after_flag ? 'f' : '-';
    return text;
  };
  EXPECT_EQ(flags(TransferPlan(put_of(8, 64, 8, 64))), "-f");
  EXPECT_EQ(flags(TransferPlan(get_of(put_of(8, 64, 8, 64)))), "-ff");
  EXPECT_EQ(flags(TransferPlan(get_of(put_of(8, 64, 4, 64)))), "-fff");
  EXPECT_EQ(flags(TransferPlan(put_of(0, 64, 4, 64))), "--");
}

TEST(TransferPlan, PlainChunks) {
  const TPut put = put_of(10, 96, 4, 64);
  TransferPlan plan(put);
  EXPECT_EQ(plan.form(), TransferForm::sliding);
  EXPECT_EQ(plan.chunks(), 6);
  EXPECT_EQ(letters(plan), "BLBSLBSLBSLBSLBSLBSB");
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes;
  Operation step;
  while (plan.next(step))
    if (const auto* load = std::get_if<TLoad>(&step))
      sizes.emplace_back(load->src.rows(), load->src.cols());
  EXPECT_EQ(sizes, (std::vector<std::pair<std::int64_t, std::int64_t>>{
                       {4, 64}, {4, 32}, {4, 64}, {4, 32}, {2, 64}, {2, 32}}));
}

TEST(TransferPlan, IntraTilePingPongHalvesFullChunks) {
  TransferPlan plan(put_of(8, 64, 2, 32));
  EXPECT_EQ(plan.form(), TransferForm::intra_tile_ping_pong);
  EXPECT_EQ(plan.chunks(), 8);
  EXPECT_EQ(plan.counts(), (TransferCounts{16, 16, 18}));
  Operation step;
  std::vector<std::uint32_t> stages;
  while (plan.next(step))
    if (const auto* store = std::get_if<TStore>(&step)) {
      EXPECT_EQ(store->dst.rows(), 1);
      EXPECT_EQ(store->dst.cols(), 32);
      EXPECT_EQ(store->dst.base.device, 1U);
      stages.push_back(store->src.offset_bytes);
    }
  ASSERT_EQ(stages.size(), 16U);
  for (std::size_t i = 0; i < stages.size(); ++i)
    EXPECT_EQ(stages[i], i % 2 == 0 ? 0U : 128U);
}

TEST(TransferPlan, IntraTilePingPongHasItsConditions) {
  const auto form = [](const TPut& put) { return TransferPlan(put).form(); };
  EXPECT_EQ(form(put_of(14, 32, 2, 32)), TransferForm::sliding);  // 7 chunks
  EXPECT_EQ(form(put_of(16, 32, 2, 32)), TransferForm::intra_tile_ping_pong);
  EXPECT_EQ(form(put_of(32, 32, 2, 32)), TransferForm::intra_tile_ping_pong);  // 16
  EXPECT_EQ(form(put_of(34, 32, 2, 32)), TransferForm::sliding);
  EXPECT_EQ(TransferPlan(get_of(put_of(14, 32, 2, 32))).form(), TransferForm::sliding);
  EXPECT_EQ(TransferPlan(get_of(put_of(34, 32, 2, 32))).form(), TransferForm::intra_tile_ping_pong);
  EXPECT_EQ(form(put_of(24, 32, 3, 32)), TransferForm::sliding);  // odd rows
  EXPECT_EQ(form(put_of(8, 32, 1, 32)), TransferForm::sliding);

  TPut masked = put_of(16, 32, 2, 32);
  masked.stage.rows = 4;  // valid rows are not the physical ones
  EXPECT_EQ(form(masked), TransferForm::sliding);
  masked = put_of(16, 32, 2, 32);
  masked.stage.cols = 40;
  EXPECT_EQ(form(masked), TransferForm::sliding);
  TPut columns = put_of(16, 32, 2, 32);
  columns.stage.layout = TileLayout::col_major;
  EXPECT_EQ(form(columns), TransferForm::sliding);
  TPut matrix = put_of(16, 32, 2, 32);
  matrix.stage.space = MemorySpace::l1;
  EXPECT_EQ(form(matrix), TransferForm::sliding);
  EXPECT_EQ(form(put_of(16, 32, 2, 32, true)), TransferForm::two_tile_ping_pong);
}

TEST(TransferPlan, EdgeChunksOfPingPongArePlain) {
  // Row chunks 2, 2, 2, 2, 1 by column chunks 32, 8: 10 chunks, 4 of them full.
  TransferPlan plan(put_of(9, 40, 2, 32));
  EXPECT_EQ(plan.form(), TransferForm::intra_tile_ping_pong);
  EXPECT_EQ(plan.chunks(), 10);
  EXPECT_EQ(plan.counts(), (TransferCounts{14, 14, 16}));
  EXPECT_EQ(letters(plan).size(), 14U + 14 + 16);
}

TEST(TransferPlan, TwoTilesTakeTurns) {
  TransferPlan plan(put_of(8, 128, 4, 64, true));
  EXPECT_EQ(plan.form(), TransferForm::two_tile_ping_pong);
  EXPECT_EQ(plan.counts(), (TransferCounts{4, 4, 6}));
  EXPECT_EQ(letters(plan), "BLBSLBSLBSLBSB");
  std::vector<std::uint32_t> tiles;
  Operation step;
  while (plan.next(step))
    if (const auto* load = std::get_if<TLoad>(&step)) tiles.push_back(load->dst.offset_bytes);
  EXPECT_EQ(tiles, (std::vector<std::uint32_t>{0, 1024, 0, 1024}));
}

TEST(TransferPlan, RowsAreNotMergedAcrossGroups) {
  TPut put = put_of(3, 8, 8, 8);
  put.src.shape = put.dst.shape = {2, 1, 2, 3, 8};  // 12 rows, more than the stage's 8
  put.src.stride = {48, 48, 24, 8, 1};
  put.dst.stride = {480, 480, 240, 80, 1};
  TransferPlan plan(put);
  EXPECT_EQ(plan.chunks(), 4);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bases;
  Operation step;
  std::uint64_t loaded_from = 0;
  while (plan.next(step)) {
    if (const auto* load = std::get_if<TLoad>(&step)) {
      EXPECT_EQ(load->src.rows(), 3);
      loaded_from = load->src.base.offset_bytes / 4;
    }
    if (const auto* store = std::get_if<TStore>(&step))
      bases.emplace_back(loaded_from, store->dst.base.offset_bytes / 4 - 256);
  }
  EXPECT_EQ(bases, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{
                       {0, 0}, {24, 240}, {48, 480}, {72, 720}}));
  put.stage = tile_at(0, DType::fp32, 12, 8);
  EXPECT_EQ(TransferPlan(put).form(), TransferForm::single_shot);
}

TEST(TransferPlan, AnEmptyTransferIsTwoBarriers) {
  for (const auto& [rows, cols] : {std::pair{0, 64}, std::pair{8, 0}}) {
    TransferPlan plan(put_of(rows, cols, 8, 64));
    EXPECT_EQ(plan.form(), TransferForm::empty);
    EXPECT_EQ(plan.chunks(), 0);
    EXPECT_EQ(plan.counts(), (TransferCounts{0, 0, 2}));
    EXPECT_EQ(letters(plan), "BB");
  }
}

TEST(TransferPlan, ChunksOfALargePutAreCountedAtOnce) {
  // 1 MiB through 16 KiB: 64 pieces; and a transfer whose steps nobody could list.
  EXPECT_EQ(TransferPlan(put_of(64, 4096, 1, 4096)).chunks(), 64);
  EXPECT_EQ(TransferPlan(put_of(std::int64_t{1} << 40, 64, 1, 64)).chunks(), std::int64_t{1} << 40);
}

TEST(TransferPlan, SaysWhichSideIsThePeer) {
  const TPut put = put_of(4, 8, 2, 8);
  for (const bool puts : {true, false}) {
    TransferPlan plan = puts ? TransferPlan(put) : TransferPlan(get_of(put));
    Operation step;
    while (plan.next(step)) {
      if (const auto* load = std::get_if<TLoad>(&step)) {
        EXPECT_EQ(load->peer_addressed, !puts);
      }
      if (const auto* store = std::get_if<TStore>(&step)) {
        EXPECT_EQ(store->peer_addressed, puts);
      }
    }
  }
}

}  // namespace
}  // namespace a2a3::isa::transfer_plan_test
