// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>

#include "isa/instruction.hpp"

namespace a2a3::isa {

/// Numbers the operations of a task by the notifies and waits between them, in program order. A
/// notify orders everything with an index up to its own before what acquires it; what a wait
/// acquires is ordered before everything with an index from its own on. Waits that follow each
/// other share an index.
class SyncIndex {
 public:
  /// The index of the task's next operation. TaskBegin starts again at 0.
  std::uint32_t of(const Operation& operation) {
    const bool is_wait = std::holds_alternative<TWait>(operation);
    if (std::holds_alternative<TaskBegin>(operation)) value_ = 0;
    if (is_wait && !waited_) ++value_;
    waited_ = is_wait;
    return std::holds_alternative<TNotify>(operation) ? value_++ : value_;
  }

 private:
  std::uint32_t value_ = 0;
  bool waited_ = false;  ///< the last operation was a wait
};

}  // namespace a2a3::isa
