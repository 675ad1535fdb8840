// SPDX-License-Identifier: Apache-2.0
#include "isa/transfer_plan.hpp"

#include <algorithm>

namespace a2a3::isa {
namespace {

constexpr std::size_t kRowDim = 3;
constexpr std::size_t kColDim = 4;

/// Chunk counts for which TPUT and TGET split full chunks in halves (transfers.md).
constexpr std::int64_t kPingPongFrom = 8;
constexpr std::int64_t kPutPingPongUpTo = 16;

std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

std::int64_t groups(const GmBox& box) {
  return box.shape[0] * box.shape[1] * box.shape[2];
}

/// A Vec tile whose two halves of rows can serve as two stages.
bool splits_in_halves(const Tile& stage) {
  return stage.space == MemorySpace::ub && stage.layout == TileLayout::row_major &&
         stage.rows >= 2 && stage.rows % 2 == 0 && stage.valid_rows == stage.rows &&
         stage.valid_cols == stage.cols;
}

/// The rows of one half. The load of the upper half claims the whole stage: it waits for the store
/// of the lower half of the chunk before, since chunks do not overlap each other.
Tile half_of(const Tile& stage, bool lower, bool load) {
  Tile half = stage;
  half.valid_rows = stage.rows / 2;
  if (load && !lower) return half;
  half.rows = half.valid_rows;
  if (lower) half.offset_bytes += static_cast<std::uint32_t>(half.bytes());
  return half;
}

}  // namespace

TransferPlan::TransferPlan(const TPut& put)
    : TransferPlan(put.src, put.dst, put.stage, put.stage2, true, put.atomic_add) {}

TransferPlan::TransferPlan(const TGet& get)
    : TransferPlan(get.src, get.dst, get.stage, get.stage2, false, false) {}

TransferPlan::TransferPlan(const GmBox& src, const GmBox& dst, const Tile& stage,
                           const std::optional<Tile>& stage2, bool put, bool atomic_add)
    : src_(src),
      dst_(dst),
      stage_{stage, stage2.value_or(stage)},
      two_tiles_(stage2.has_value()),
      put_(put),
      atomic_add_(atomic_add),
      form_(choose_form()) {}

TransferForm TransferPlan::choose_form() const {
  const Tile& stage = stage_[0];
  if (src_.elements() == 0) return TransferForm::empty;
  if (src_.rows() <= stage.valid_rows && src_.cols() <= stage.valid_cols)
    return TransferForm::single_shot;
  if (two_tiles_) return TransferForm::two_tile_ping_pong;
  const std::int64_t count = groups(src_) * divide_up(src_.shape[kRowDim], stage.valid_rows) *
                             divide_up(src_.cols(), stage.valid_cols);
  const bool enough = count >= kPingPongFrom && (!put_ || count <= kPutPingPongUpTo);
  return enough && splits_in_halves(stage) ? TransferForm::intra_tile_ping_pong
                                           : TransferForm::sliding;
}

std::int64_t TransferPlan::chunks() const {
  if (form_ == TransferForm::empty) return 0;
  if (form_ == TransferForm::single_shot) return 1;
  return groups(src_) * divide_up(src_.shape[kRowDim], stage_[0].valid_rows) *
         divide_up(src_.cols(), stage_[0].valid_cols);
}

TransferCounts TransferPlan::counts() const {
  std::int64_t pieces = chunks();
  if (form_ == TransferForm::intra_tile_ping_pong)
    pieces += groups(src_) * (src_.shape[kRowDim] / stage_[0].valid_rows) *
              (src_.cols() / stage_[0].valid_cols);
  const bool inner_barriers = form_ != TransferForm::single_shot || !put_ || two_tiles_;
  return {pieces, pieces, (inner_barriers ? pieces : 0) + 2};
}

bool TransferPlan::full_chunk() const {
  return src_.shape[kRowDim] - at_[kRowDim] >= stage_[0].valid_rows &&
         src_.cols() - at_[kColDim] >= stage_[0].valid_cols;
}

TransferPlan::Piece TransferPlan::piece() const {
  if (form_ == TransferForm::single_shot) {
    Piece whole{at_, src_.rows(), src_.cols(), stage_[0]};
    whole.tile.valid_rows = static_cast<std::int32_t>(whole.rows);
    whole.tile.valid_cols = static_cast<std::int32_t>(whole.cols);
    return whole;
  }
  if (form_ == TransferForm::intra_tile_ping_pong && full_chunk()) {
    Piece half{at_, 0, stage_[0].cols, half_of(stage_[0], half_ == 1, step_ == Step::load)};
    half.rows = half.tile.valid_rows;
    if (half_ == 1) half.at[kRowDim] += half.rows;
    return half;
  }
  Piece chunk{at_, 0, 0, stage_[tile_]};
  chunk.rows = std::min<std::int64_t>(stage_[0].valid_rows, src_.shape[kRowDim] - at_[kRowDim]);
  chunk.cols = std::min<std::int64_t>(stage_[0].valid_cols, src_.cols() - at_[kColDim]);
  chunk.tile.valid_rows = static_cast<std::int32_t>(chunk.rows);
  chunk.tile.valid_cols = static_cast<std::int32_t>(chunk.cols);
  return chunk;
}

GmBox TransferPlan::slice(const GmBox& box, const Piece& piece) const {
  if (form_ == TransferForm::single_shot) return box;
  GmBox part = box;
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < kBoxDims; ++d)
    offset += piece.at[d] * box.stride[d];
  part.base.offset_bytes += static_cast<std::uint64_t>(offset * size_of(box.dtype));
  part.shape = {1, 1, 1, piece.rows, piece.cols};
  return part;
}

bool TransferPlan::advance() {
  if (form_ == TransferForm::single_shot) return false;
  if (form_ == TransferForm::intra_tile_ping_pong && half_ == 0 && full_chunk()) {
    half_ = 1;
    return true;
  }
  half_ = 0;
  if (two_tiles_) tile_ ^= 1;
  const std::array<std::int64_t, kBoxDims> by{1, 1, 1, stage_[0].valid_rows, stage_[0].valid_cols};
  for (std::size_t d = kBoxDims; d-- > 0;) {
    at_[d] += by[d];
    if (at_[d] < src_.shape[d]) return true;
    at_[d] = 0;
  }
  return false;
}

bool TransferPlan::next(Operation& step) {
  switch (step_) {
    case Step::open:
      step = PipeBarrier{};
      step_ = form_ == TransferForm::empty ? Step::close : Step::load;
      return true;
    case Step::load: {
      const Piece now = piece();
      step = TLoad{slice(src_, now), now.tile, !put_};
      const bool direct = form_ == TransferForm::single_shot && put_ && !two_tiles_;
      step_ = direct ? Step::store : Step::barrier;
      return true;
    }
    case Step::barrier:
      step = PipeBarrier{.after_flag = true};
      step_ = Step::store;
      return true;
    case Step::store: {
      const Piece now = piece();
      step = TStore{now.tile, slice(dst_, now), atomic_add_, put_};
      step_ = advance() ? Step::load : Step::close;
      return true;
    }
    case Step::close:
      step = PipeBarrier{.after_flag = form_ != TransferForm::empty};
      step_ = Step::over;
      return true;
    case Step::over:
      break;
  }
  return false;
}

}  // namespace a2a3::isa
