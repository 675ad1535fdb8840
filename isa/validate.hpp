// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "isa/instruction.hpp"

namespace a2a3::isa {

/// Tiles start at multiples of this many bytes.
inline constexpr std::uint32_t kTileAlignment = 32;

/// The memories that operations may touch.
struct MemorySizes {
  std::uint64_t ub_bytes = 0;
  std::uint64_t cube_bytes = 0;  ///< L1, L0A, L0B and L0C together, behind the unified buffer
  std::span<const std::uint64_t> gm_bytes;  ///< by device
};

/// What is wrong with an operation, or nothing: a byte outside the memories, a misaligned tile, a
/// valid box larger than its tile, operands whose shapes or dtypes do not fit together, a transfer
/// between overlapping regions, an atomic add of a dtype that has none. execute() may run what
/// passes. The text names the operand and the offending values; it has no source position.
[[nodiscard]] std::optional<std::string> validate(const Operation& operation,
                                                  const MemorySizes& memory);

}  // namespace a2a3::isa
