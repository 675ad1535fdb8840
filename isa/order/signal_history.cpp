// SPDX-License-Identifier: Apache-2.0
#include "isa/order/signal_history.hpp"

#include <algorithm>
#include <utility>

namespace a2a3::isa {
namespace {

std::int32_t applied(std::int32_t value, const SignalHistory::Signal& signal) {
  return signal.op == NotifyOp::set ? signal.value : cell_sum(value, signal.value);
}

}  // namespace

bool SignalHistory::Condition::holds(std::int32_t value) const {
  if (exactly) return value == expected;
  if (is_unsigned) return static_cast<std::uint32_t>(value) >= static_cast<std::uint32_t>(expected);
  return value >= expected;
}

void SignalHistory::land(Signal signal, std::int32_t before, std::int32_t after) {
  if (before != value_) {
    // Something else than signals wrote the cell: nobody can tell any more what the earlier ones
    // were good for, so that a wait counts as ordered after all of them.
    for (Signal& one : pending_)
      settle(std::move(one));
    pending_.clear();
    base_ = before;
  }
  value_ = after;
  is_in_order_ =
      pending_.empty() || (is_in_order_ && pending_.back().by.thread == signal.by.thread &&
                           pending_.back().by.index <= signal.by.index);
  pending_.push_back(std::move(signal));
}

void SignalHistory::settle(Signal signal) {
  base_ = applied(base_, signal);
  settled_.put(std::move(signal));
}

/// Settles the pending signals that the thread knows of. Whoever may learn from them, this thread,
/// needs their clocks no more.
void SignalHistory::settle_known(Thread thread, const VectorClock& clock) {
  const auto settle_it = [&](Signal& signal) {
    signal.clock.reset();
    settle(std::move(signal));
  };
  std::size_t known = 0;  // at the front
  while (known < pending_.size() && pending_[known].by.is_known_to(thread, clock))
    settle_it(pending_[known++]);
  pending_.drop_front(known);
  if (is_in_order_) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (pending_[i].by.is_known_to(thread, clock)) {
      settle_it(pending_[i]);
    } else {
      if (kept != i) pending_[kept] = std::move(pending_[i]);
      ++kept;
    }
  }
  pending_.truncate(kept);
}

bool SignalHistory::acquire(Thread thread, VectorClock& clock, const Condition& condition) {
  bool learned = false;
  const auto learn = [&](const Signal& signal) {
    if (signal.by.is_known_to(thread, clock)) return;  // then everything before it too
    clock.join(*signal.clock);
    clock.add(signal.by.thread, signal.by.index);
    learned = true;
  };
  for (const Signal& signal : settled_)
    learn(signal);
  settle_known(thread, clock);
  if (pending_.empty() || condition.holds(base_)) return learned;
  std::int32_t value = base_;
  const auto enough = std::ranges::find_if(pending_, [&](const Signal& signal) {
    value = applied(value, signal);
    return condition.holds(value);
  });
  learn(enough == pending_.end() ? pending_.back() : *enough);
  settle_known(thread, clock);
  return learned;
}

}  // namespace a2a3::isa
