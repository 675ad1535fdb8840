// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/order/access.hpp"
#include "isa/order/per_thread.hpp"
#include "isa/order/short_list.hpp"

namespace a2a3::isa {

/// The signals that landed on one cell, and what a wait on it learns from them when one thread
/// sends them, the waiting one's own beside: then it is ordered after the fewest of them that make
/// its condition true, however many more had landed by chance. For cells of several senders see
/// solve_order.
class SignalHistory {
 public:
  struct Signal {
    AccessRecord by;
    /// Of the sender's thread, its own operations left out; null for those that no wait can learn
    /// from.
    ClockSnapshot clock;
    NotifyOp op = NotifyOp::atomic_add;
    std::int32_t value = 0;
  };

  /// A signal landed on the cell, which was `before` and is `after` now.
  void land(Signal signal, std::int32_t before, std::int32_t after);

  /// What a wait (signed) or the condition of a task (unsigned) asks of the value.
  struct Condition {
    std::int32_t expected = 0;
    bool exactly = false;  ///< or at least
    bool is_unsigned = false;

    [[nodiscard]] bool holds(std::int32_t value) const;
  };
  /// A condition on the cell was met for a thread, always the same one. Adds what this tells it to
  /// the thread's clock; false when it knew all.
  bool acquire(Thread thread, VectorClock& clock, const Condition& condition);
  /// A wait of the thread ended that knows as much as `clock`.
  void settle_known(Thread thread, const VectorClock& clock);

  /// Calls visit(record, op) for the signals known: all that no wait has counted on, and the last
  /// one of each sender.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Signal& signal : settled_)
      visit(signal.by, signal.op);
    for (const Signal& signal : pending_)
      visit(signal.by, signal.op);
  }
  [[nodiscard]] std::size_t records() const { return settled_.size() + pending_.size(); }

 private:
  void settle(Signal signal);

  std::int32_t value_ = 0;  ///< of the cell now
  std::int32_t base_ = 0;   ///< with the settled signals only
  PerThread<Signal, ShortList<Signal>>
      settled_;                ///< that a waiter knows of: the last one of each sender
  ShortList<Signal> pending_;  ///< the others, in the order in which they landed
  bool is_in_order_ = true;    ///< all pending ones are of one sender and in its order
};

}  // namespace a2a3::isa
