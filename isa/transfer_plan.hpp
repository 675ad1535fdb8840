// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "isa/instruction.hpp"

namespace a2a3::isa {

/// How a TPUT or TGET of the given box is cut into chunks.
enum class TransferForm : std::uint8_t {
  empty,
  single_shot,
  sliding,
  intra_tile_ping_pong,
  two_tile_ping_pong
};

/// How many steps of each kind a transfer takes, outer barriers included.
struct TransferCounts {
  std::int64_t loads = 0;
  std::int64_t stores = 0;
  std::int64_t barriers = 0;

  friend bool operator==(const TransferCounts&, const TransferCounts&) = default;
};

/// The exact sequence of loads, stores and pipe barriers of one TPUT or TGET, generated step by
/// step (no allocation, so a transfer of a million chunks costs nothing up front). The flags
/// between load and store of one stage half are not emitted: they are the read-after-write and
/// write-after-read dependences on the stage's bytes, and where a barrier follows one before the
/// other side begins, the barrier says so (PipeBarrier::after_flag). The full barriers that the
/// compiler puts before and after the transfer are part of the sequence.
///
/// The valid box of the stage is the chunk size. A box of at most that size is moved in one shot.
/// A larger one is cut by the sliding rule: rows in the fourth dimension, columns in the fifth,
/// groups of the three leading dimensions one after the other, never merged; edge chunks are
/// masked. Every piece is loaded, then a barrier, then stored. The forms differ in the stage bytes
/// of successive pieces: the same (sliding: serial), the two halves of the tile (one full chunk is
/// two pieces; the store of the upper half may overlap the load of the lower), or two tiles in turn
/// (the store of chunk i-1 may overlap the load of chunk i).
///
/// Source and destination have the same shape, their strides differ freely; the stage has at least
/// one valid row and column (validate() checks both).
class TransferPlan {
 public:
  explicit TransferPlan(const TPut& put);
  explicit TransferPlan(const TGet& get);

  /// The next step (TLoad, TStore or PipeBarrier); false when the sequence is over.
  bool next(Operation& step);

  [[nodiscard]] TransferForm form() const { return form_; }
  /// Number of chunks; a chunk split into two halves by intra-tile ping-pong counts once.
  [[nodiscard]] std::int64_t chunks() const;
  /// The steps of the whole sequence, in closed form.
  [[nodiscard]] TransferCounts counts() const;

 private:
  /// A box of rows x cols elements that goes through the stage at once.
  struct Piece {
    std::array<std::int64_t, kBoxDims> at{};
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    Tile tile;
  };
  enum class Step : std::uint8_t { open, load, barrier, store, close, over };

  TransferPlan(const GmBox& src, const GmBox& dst, const Tile& stage,
               const std::optional<Tile>& stage2, bool put, bool atomic_add);

  [[nodiscard]] TransferForm choose_form() const;
  /// Whether the chunk that begins at `at_` has the stage's full size.
  [[nodiscard]] bool full_chunk() const;
  [[nodiscard]] Piece piece() const;
  [[nodiscard]] GmBox slice(const GmBox& box, const Piece& piece) const;
  /// Moves on to the next piece; false after the last one.
  bool advance();

  GmBox src_;
  GmBox dst_;
  std::array<Tile, 2> stage_;
  bool two_tiles_ = false;
  bool put_ = false;
  bool atomic_add_ = false;
  TransferForm form_ = TransferForm::empty;

  Step step_ = Step::open;
  std::array<std::int64_t, kBoxDims> at_{};  ///< first element of the current chunk
  std::uint8_t half_ = 0;                    ///< of the current chunk, in intra-tile ping-pong
  std::uint8_t tile_ = 0;                    ///< stage of the current chunk
};

}  // namespace a2a3::isa
