// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/instruction.hpp"
#include "isa/order/vector_clock.hpp"

namespace a2a3::isa {

enum class AccessKind : std::uint8_t { read, write, atomic_add };

/// Who accessed memory, and where in its thread that was.
struct AccessRecord {
  Thread thread = 0;
  std::uint32_t index = 0;  ///< of the thread's operations, see SyncIndex
  SourceId source = 0;
  bool had_data = false;  ///< a read of bytes whose last write was ordered before it
  std::uint32_t task = 0;

  /// Whether it comes before what a thread does that knows as much as `clock`.
  [[nodiscard]] bool is_known_to(Thread later, const VectorClock& clock) const {
    return thread == later || clock.covers(thread, index);
  }
  [[nodiscard]] bool same_place(const AccessRecord& other) const {
    return thread == other.thread && index == other.index && source == other.source;
  }
};

/// What one record counts for where the memory of the checks is bounded: about what it takes.
constexpr std::size_t kBytesPerRecord = 100;
constexpr std::size_t records_of(std::size_t bytes) {
  return (bytes + kBytesPerRecord - 1) / kBytesPerRecord;
}

/// Of a read and a write the program means the read to come first when it has its data, from a
/// write that is ordered before it; else it waits for this write.
enum class RaceKind : std::uint8_t {
  read_before_write,  ///< a read may come before the write that it wants to see
  write_after_read,   ///< a write may overwrite what a read still wants
  write_write,
  plain_atomic  ///< a plain access and an atomic one (atomic add, notify)
};

/// Two accesses of the same bytes, one of them a write, that nothing orders.
struct Conflict {
  RaceKind kind = RaceKind::write_write;
  AccessRecord earlier;  ///< in this run; the later one is the access that was checked
  AccessKind earlier_kind = AccessKind::write;
  std::uint64_t begin = 0;  ///< bytes in common
  std::uint64_t end = 0;
};

}  // namespace a2a3::isa
