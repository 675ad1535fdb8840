// SPDX-License-Identifier: Apache-2.0
#include "isa/order/signal_history.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace a2a3::isa {
namespace {

bool knows(Thread thread, const VectorClock& clock, const AccessRecord& signal) {
  return signal.thread == thread || clock.covers(signal.thread, signal.index);
}

/// Wraps around as the memory does.
std::int32_t applied(std::int32_t value, const SignalHistory::Signal& signal) {
  if (signal.op == NotifyOp::set) return signal.value;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value) +
                                   static_cast<std::uint32_t>(signal.value));
}

/// The adds of one sender, in program order.
struct Chain {
  std::vector<const SignalHistory::Signal*> adds;

  /// The most that the first `count` adds can bring, taken up to any of them.
  [[nodiscard]] std::int64_t most(std::size_t count) const {
    std::int64_t sum = 0;
    std::int64_t best = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sum += adds[i]->value;
      best = std::max(best, sum);
    }
    return best;
  }
  /// How many adds do not come after operation `index` of `thread`.
  [[nodiscard]] std::size_t independent_of(Thread thread, std::uint32_t index) const {
    std::size_t count = 0;
    while (count < adds.size() && !adds[count]->clock->covers(thread, index))
      ++count;
    return count;
  }
};

}  // namespace

bool SignalHistory::Condition::holds(std::int32_t value) const {
  if (exactly) return value == expected;
  if (is_unsigned) return static_cast<std::uint32_t>(value) >= static_cast<std::uint32_t>(expected);
  return value >= expected;
}

void SignalHistory::land(Signal signal, std::int32_t after) {
  if (signal.op == NotifyOp::atomic_add && applied(value_, signal) != after) {
    // Something else than signals wrote the cell: nobody can tell any more what the earlier ones
    // were good for, so that a wait counts as ordered after all of them.
    for (Signal& one : pending_)
      settle(std::move(one));
    pending_.clear();
    base_ = static_cast<std::int32_t>(static_cast<std::uint32_t>(after) -
                                      static_cast<std::uint32_t>(signal.value));
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
    if (knows(thread, clock, pending_[i].by)) {
      settle(std::move(pending_[i]));
    } else {
      if (kept != i) pending_[kept] = std::move(pending_[i]);
      ++kept;
    }
  }
  pending_.resize(kept);
}

void SignalHistory::learn(const Signal& signal, Thread thread, VectorClock& clock) {
  if (knows(thread, clock, signal.by)) return;  // then everything before it too
  clock.join(*signal.clock);
  clock.add(signal.by.thread, signal.by.index);
}

bool SignalHistory::one_sender() const {
  return std::ranges::all_of(pending_, [&](const Signal& signal) {
    return signal.by.thread == pending_.front().by.thread;
  });
}

void SignalHistory::acquire(Thread thread, VectorClock& clock, const Condition& condition) {
  for (const Signal& signal : settled_)
    learn(signal, thread, clock);
  settle_known(thread, clock);
  if (pending_.empty() || condition.holds(base_)) return;

  const bool only_adds = std::ranges::all_of(
      pending_, [](const Signal& signal) { return signal.op == NotifyOp::atomic_add; });
  if (one_sender()) {
    std::int32_t value = base_;
    const auto enough = std::ranges::find_if(pending_, [&](const Signal& signal) {
      value = applied(value, signal);
      return condition.holds(value);
    });
    learn(enough == pending_.end() ? pending_.back() : *enough, thread, clock);
  } else if (only_adds && !condition.exactly) {
    learn_needed_adds(thread, clock, condition.expected);
  } else {
    const auto last_set = std::find_if(pending_.rbegin(), pending_.rend(),
                                       [](const Signal& s) { return s.op == NotifyOp::set; });
    const auto first = last_set == pending_.rend() ? pending_.begin() : std::prev(last_set.base());
    for (auto signal = first; signal != pending_.end(); ++signal)
      learn(*signal, thread, clock);
  }
  settle_known(thread, clock);
}

/// An add is needed when the sum stays below the threshold without it and all that comes after it.
void SignalHistory::learn_needed_adds(Thread thread, VectorClock& clock, std::int64_t at_least) {
  std::map<Thread, Chain> chains;
  for (const Signal& signal : pending_)
    chains[signal.by.thread].adds.push_back(&signal);
  std::int64_t most = base_;
  for (const auto& [sender, chain] : chains)
    most += chain.most(chain.adds.size());

  std::vector<const Signal*> needed;
  for (const auto& [sender, chain] : chains) {
    const std::int64_t others = most - chain.most(chain.adds.size());
    // The last needed one: those before it come with it.
    for (std::size_t i = chain.adds.size(); i-- > 0;) {
      std::int64_t without = others + chain.most(i);
      if (without >= at_least) {
        without = base_ + chain.most(i);
        for (const auto& [other, adds] : chains) {
          if (other != sender)
            without += adds.most(adds.independent_of(sender, chain.adds[i]->by.index));
        }
      }
      if (without >= at_least) continue;
      needed.push_back(chain.adds[i]);
      break;
    }
  }
  for (const Signal* signal : needed)
    learn(*signal, thread, clock);
}

}  // namespace a2a3::isa
