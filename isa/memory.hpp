// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "isa/instruction.hpp"

namespace a2a3::isa {

/// A core's way to global memory, its own device's and the peers'. Ranges are contiguous bytes
/// inside one device; the caller has checked them against the memory's size.
class GlobalPort {
 public:
  GlobalPort() = default;
  GlobalPort(const GlobalPort&) = delete;
  GlobalPort& operator=(const GlobalPort&) = delete;
  virtual ~GlobalPort() = default;

  virtual void read(GlobalAddress address, std::span<std::byte> destination) = 0;
  virtual void write(GlobalAddress address, std::span<const std::byte> source) = 0;
  /// memory[i] += source[i], one indivisible step per element.
  virtual void atomic_add(GlobalAddress address, DType dtype,
                          std::span<const std::byte> source) = 0;
};

/// The arithmetic of GlobalPort::atomic_add, for those who implement it: memory[i] += source[i] as
/// execute() adds tiles. Both ranges have the same size.
void accumulate(DType dtype, std::span<std::byte> memory, std::span<const std::byte> source);

/// The bytes of one core's own memories, one behind the other: the unified buffer first, then those
/// of the cube core (L1, L0A, L0B, L0C) where it has them. Tile::offset_bytes counts from the
/// begin of all.
using LocalMemory = std::span<std::byte>;

/// Bytes of a core's LocalMemory: each of its memories begins at a multiple of 32 bytes.
[[nodiscard]] constexpr std::uint64_t local_bytes(std::initializer_list<std::uint64_t> memories) {
  constexpr std::uint64_t kAlign = 32;
  std::uint64_t bytes = 0;
  for (const std::uint64_t memory : memories)
    bytes += (memory + kAlign - 1) / kAlign * kAlign;
  return bytes;
}

/// Applies one operation's effect on bytes at once, without time: the definition of what the
/// operation means. TPut and TGet run their whole chunk sequence, asynchronous transfers are made
/// at once. TWait, TDeferWait, TWaitEvent, PipeBarrier, TaskBegin and TaskEnd have no effect on
/// bytes. The caller has validated the operation (validate.hpp).
void execute(const Operation& operation, LocalMemory local, GlobalPort& global);

}  // namespace a2a3::isa
