// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/causes.hpp"

namespace a2a3::sim {

/// What the time of one operation went to, piece by piece from its begin on.
class TimeParts {
 public:
  void clear(Picoseconds begin) {
    count_ = 0;
    end_ = begin;
  }
  /// The time up to `until`, unless that is past, went to this.
  void add(TimeUse use, Picoseconds until) { add({{use}, false, until}); }
  /// To bytes at the rate of the resource.
  void pass(const Resource& resource, Picoseconds until) { add({resource, false, until}); }
  /// To a wait until the resource was free.
  void wait(const Resource& resource, Picoseconds until) { add({resource, true, until}); }
  [[nodiscard]] Picoseconds end() const { return end_; }
  [[nodiscard]] std::span<const TimePart> all() const { return std::span(parts_).first(count_); }

 private:
  void add(const TimePart& part) {
    if (part.until <= end_) return;
    end_ = part.until;
    if (count_ > 0) {
      TimePart& last = parts_[count_ - 1];
      const bool same = last.resource == part.resource && last.waited == part.waited;
      if (same || count_ == parts_.size()) {
        last.until = part.until;
        return;
      }
    }
    parts_[count_++] = part;
  }

  /// A remote load has most: startup; wait and hop of the request; memory, wait, link and hop of
  /// the reply; its own pipe.
  std::array<TimePart, 12> parts_{};
  std::size_t count_ = 0;
  Picoseconds end_ = 0;
};

/// The operations of one core that are under way, by their handle. Kept while somebody asks.
class CauseKeeper {
 public:
  [[nodiscard]] TimeParts& of(std::uint32_t handle) {
    if (handle >= parts_.size()) parts_.resize(handle + 1);
    return parts_[handle];
  }

 private:
  std::vector<TimeParts> parts_;
};

}  // namespace a2a3::sim
