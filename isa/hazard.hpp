// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "isa/instruction.hpp"

namespace a2a3::isa {

/// A range of bytes that an operation reads or writes: in one of the core's own memories or in
/// a device's global memory (`space` == gm). `end` is one past the last byte. Strided boxes are
/// covered by their bounding range.
struct ByteRange {
  MemorySpace space = MemorySpace::ub;
  bool write = false;
  std::uint32_t device = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] bool conflicts_with(const ByteRange& other) const {
    return (write || other.write) && space == other.space && device == other.device &&
           begin < other.end && other.begin < end;
  }
};

struct ByteRanges {
  int count = 0;
  std::array<ByteRange, 4> range;
};

/// The byte ranges through which an operation depends on others of the same core: the compiler's
/// automatic flags order two operations exactly when one range of each conflicts. TPut, TGet,
/// TNotify and PipeBarrier have none: they are surrounded by full barriers or expanded into
/// operations that have.
[[nodiscard]] ByteRanges operand_ranges(const Operation& operation);

/// Bytes from a box's first to one past its last element.
[[nodiscard]] std::uint64_t extent_bytes(const GmBox& box);

}  // namespace a2a3::isa
