// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace a2a3::isa {

/// A line of operations in program order. Tasks that can never run at the same time may share one.
using Thread = std::uint32_t;

/// What is known to have happened: of each thread, how far. Operations are counted by SyncIndex.
class VectorClock {
 public:
  explicit VectorClock(std::size_t threads = 0) : seen_(threads, 0) {}

  /// Whether operations of the thread with this index are among what has happened.
  [[nodiscard]] bool covers(Thread thread, std::uint32_t index) const {
    return seen_[thread] > index;
  }
  /// How many of the thread's operations it covers: those with a lower index.
  [[nodiscard]] std::uint32_t operator[](Thread thread) const { return seen_[thread]; }
  /// Both say whether this is more than what was known before.
  bool add(Thread thread, std::uint32_t index) {
    if (seen_[thread] > index) return false;
    seen_[thread] = index + 1;
    return true;
  }
  bool join(const VectorClock& other) {
    std::uint32_t* const own = seen_.data();
    const std::uint32_t* const theirs = other.seen_.data();
    const std::size_t count = seen_.size();
    std::uint32_t changed = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t both = own[i] < theirs[i] ? theirs[i] : own[i];
      changed |= both ^ own[i];
      own[i] = both;
    }
    return changed != 0;
  }
  bool operator==(const VectorClock&) const = default;
  [[nodiscard]] std::size_t threads() const { return seen_.size(); }

 private:
  std::vector<std::uint32_t> seen_;
};

/// A clock that nobody changes any more; many holders share one.
using ClockSnapshot = std::shared_ptr<const VectorClock>;

}  // namespace a2a3::isa
