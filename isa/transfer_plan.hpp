// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// The exact sequence of loads, stores and pipe barriers of one TPUT or TGET, generated step by
/// step (no allocation, so a transfer of a million chunks costs nothing up front). The flags
/// between load and store of one stage half are not emitted: they are the read-after-write and
/// write-after-read dependences on the stage's bytes. The full barriers that the compiler puts
/// before and after the transfer are part of the sequence.
class TransferPlan {
 public:
  explicit TransferPlan(const TPut& put);
  explicit TransferPlan(const TGet& get);

  /// The next step (TLoad, TStore or PipeBarrier); false when the sequence is over.
  bool next(Operation& step);

  [[nodiscard]] TransferForm form() const { return form_; }
  /// Number of chunks; a chunk split into two halves by intra-tile ping-pong counts once.
  [[nodiscard]] std::int64_t chunks() const;

 private:
  TransferForm form_ = TransferForm::empty;
};

}  // namespace a2a3::isa
