// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "interp/program.hpp"
#include "interp/scalar.hpp"
#include "ir/wide_integer.hpp"

namespace a2a3::interp {

/// The state of one running program, tiles apart.
struct Frame {
  const Program* program = nullptr;
  std::uint32_t pc = 0;
  std::uint32_t scalar_ops = 0;  ///< since the owner last reset it
  std::uint64_t steps = 0;       ///< executed ops, never reset
  std::vector<std::int64_t> scalars;
  std::vector<std::int32_t> references;

  void start(const Program& next) {
    program = &next;
    pc = 0;
    scalars.assign(next.scalars.begin(), next.scalars.end());
    references.assign(static_cast<std::size_t>(next.references), -1);
  }
};

/// Why advance() came back.
enum class Stop : std::uint8_t {
  effect,            ///< at an effect; pc is behind it
  negative_operand,  ///< legal, worth a warning: pc is behind the division, call again
  wraps,             ///< the same: the result is not what the op's dtype holds of it
  division_by_zero,
  shift_out_of_range,
  zero_step,
  step_limit,
};

struct Advance {
  Stop stop = Stop::effect;
  const Op* op = nullptr;
  std::int64_t lhs = 0;  ///< operands of the op that stopped, as they were before it
  std::int64_t rhs = 0;

  /// Of an op that wraps: its result, had it room.
  [[nodiscard]] ir::WideInteger exact() const;
};

/// Executes scalar and control ops up to the next effect. `max_steps` bounds Frame::steps.
[[nodiscard]] Advance advance(Frame& frame, std::uint64_t max_steps);

}  // namespace a2a3::interp
