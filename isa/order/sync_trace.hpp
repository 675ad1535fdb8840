// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "isa/order/signal_history.hpp"

namespace a2a3::isa {

/// What orders the accesses of a run, without them: its tasks, signals and waits, in the order in
/// which they took effect. Indices are those of the whole thread (AccessRecord::index); cells are
/// numbered from 0.
class SyncTrace {
 public:
  struct Begin {
    std::uint32_t task = 0;
    std::uint32_t index = 0;  ///< of the task's first operation
  };
  struct Signal {
    Thread thread = 0;
    std::uint32_t index = 0;
    std::uint32_t cell = 0;
    NotifyOp op = NotifyOp::atomic_add;
    std::int32_t value = 0;
    std::int32_t before = 0;  ///< what the cell was
    SourceId source = 0;

    /// What the cell is then.
    [[nodiscard]] std::int32_t after() const {
      return op == NotifyOp::set ? value : cell_sum(before, value);
    }
  };
  struct Wait {
    Thread thread = 0;
    std::uint32_t index = 0;
    std::uint32_t cell = 0;
    SignalHistory::Condition condition;
    SourceId source = 0;
  };
  /// A condition of a task that has ended was met.
  struct Meet {
    std::uint32_t task = 0;
    std::uint32_t last = 0;  ///< index of the task's last operation
    std::uint32_t cell = 0;
    SignalHistory::Condition condition;
    SourceId source = 0;
  };
  struct Complete {
    std::uint32_t task = 0;
    std::uint32_t last = 0;
  };
  using Event = std::variant<Begin, Signal, Wait, Meet, Complete>;

  void add(const Event& event) { events_.push_back(event); }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

 private:
  std::vector<Event> events_;
};

}  // namespace a2a3::isa
