// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "isa/order/vector_clock.hpp"

namespace a2a3::isa {

/// Some threads; as a rule one, which takes no memory of its own.
class ThreadSet {
 public:
  /// False when it was there.
  bool insert(Thread thread) {
    if (contains(thread)) return false;
    if (first_) {
      more_.insert(std::ranges::lower_bound(more_, thread), thread);
    } else {
      first_ = thread;
    }
    return true;
  }
  [[nodiscard]] bool contains(Thread thread) const {
    return first_ == thread || std::ranges::binary_search(more_, thread);
  }
  [[nodiscard]] std::size_t size() const { return first_ ? 1 + more_.size() : 0; }
  [[nodiscard]] std::optional<Thread> first() const { return first_; }

 private:
  std::optional<Thread> first_;
  std::vector<Thread> more_;  ///< ascending
};

}  // namespace a2a3::isa
