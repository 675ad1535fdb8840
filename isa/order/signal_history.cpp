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
  pending_.push_back(std::move(signal));
}

void SignalHistory::settle(Signal signal) {
  base_ = applied(base_, signal);
  const auto known =
      std::ranges::find(settled_, signal.by.thread, [](const Signal& s) { return s.by.thread; });
  if (known == settled_.end()) {
    settled_.push_back(std::move(signal));
  } else {
    *known = std::move(signal);
  }
}

/// Settles the pending signals that the thread knows of.
void SignalHistory::settle_known(Thread thread, const VectorClock& clock) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (pending_[i].by.is_known_to(thread, clock)) {
      settle(std::move(pending_[i]));
    } else {
      if (kept != i) pending_[kept] = std::move(pending_[i]);
      ++kept;
    }
  }
  pending_.truncate(kept);
}

void SignalHistory::learn(const Signal& signal, Thread thread, VectorClock& clock) {
  if (signal.by.is_known_to(thread, clock)) return;  // then everything before it too
  clock.join(*signal.clock);
  clock.add(signal.by.thread, signal.by.index);
}

void SignalHistory::acquire(Thread thread, VectorClock& clock, const Condition& condition) {
  for (const Signal& signal : settled_)
    learn(signal, thread, clock);
  settle_known(thread, clock);
  if (pending_.empty() || condition.holds(base_)) return;
  std::int32_t value = base_;
  const auto enough = std::ranges::find_if(pending_, [&](const Signal& signal) {
    value = applied(value, signal);
    return condition.holds(value);
  });
  learn(enough == pending_.end() ? pending_.back() : *enough, thread, clock);
  settle_known(thread, clock);
}

}  // namespace a2a3::isa
