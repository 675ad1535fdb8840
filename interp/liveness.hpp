// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "interp/program.hpp"

namespace a2a3::interp {

/// The tile registers an op reads and the one it writes (kNoRegister: none).
struct TileUse {
  std::vector<Register> reads;
  Register write = kNoRegister;
};
[[nodiscard]] TileUse tile_use(const Program& program, const Op& op);

/// Finds where each tile is used for the last time. Puts a `release` op at every point that is
/// reached with a tile nothing reads any more, on each path, and marks the elementwise operands
/// that die in their op, whose place the result may take.
void insert_releases(Program& program);

}  // namespace a2a3::interp
