// SPDX-License-Identifier: Apache-2.0
#include "isa/order/wait_rule.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace a2a3::isa {
namespace {

/// The first n from `begin` on, below `end`, that `is_past`, as all behind it are; `end` when none
/// is.
template <class IsPast>
std::size_t first_past(std::size_t begin, std::size_t end, IsPast is_past) {
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (is_past(middle)) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

}  // namespace

void SignalChain::enter_sums() {
  sums.assign(1, 0);
  sets.clear();
  for (std::size_t n = 0; n < signals.size(); ++n) {
    const bool is_set = signals[n].op == NotifyOp::set;
    sums.push_back(sums.back() + (is_set ? 0 : signals[n].value));
    if (is_set) sets.push_back(n);
  }
}

std::size_t SignalChain::next_set(std::size_t n) const {
  const auto next = std::ranges::lower_bound(sets, n);
  return next == sets.end() ? signals.size() : *next;
}

WaitRule::WaitRule(const CellSignals& cell, const std::vector<VectorClock>& stages,
                   const Wait& wait, const VectorClock& before)
    : cell_(cell), stages_(stages), wait_(wait), before_(before) {
  for (const SignalChain& chain : cell.chains) {
    const std::size_t count = chain.signals.size();
    const bool is_own = chain.sender == wait.thread;
    const std::uint32_t seen = is_own ? wait.index : before[chain.sender];
    const std::size_t known =
        first_past(0, count, [&](std::size_t n) { return chain.signals[n].index >= seen; });
    known_.push_back(known);
    most_.push_back(is_own ? known : first_past(known, count, [&](std::size_t n) {
      return chain.reach(n, wait.thread, stages) > wait.limit;
    }));
  }
  add_start({}, 0);
  for (std::size_t chain = 0; chain < cell.chains.size(); ++chain) {
    // The known ones before the last known one cannot be the last to land.
    const std::vector<std::size_t>& sets = cell.chains[chain].sets;
    auto set = std::ranges::lower_bound(sets, known_[chain]);
    if (set != sets.begin()) --set;
    for (; set != sets.end() && *set < most_[chain]; ++set)
      add_start(chain, *set);
  }
  missing_ = missing_sum();
}

WaitRule::Stretch WaitRule::stretch_behind(const SignalChain& set_chain, std::size_t set,
                                           const SignalChain& chain) const {
  const std::size_t count = chain.signals.size();
  const VectorClock& clock = stages_[set_chain.signals[set].stage];
  Stretch stretch;
  stretch.first = first_past(
      0, count, [&](std::size_t n) { return !clock.covers(chain.sender, chain.signals[n].index); });
  stretch.forced = first_past(stretch.first, count, [&](std::size_t n) {
    return chain.reach(n, set_chain.sender, stages_) > set_chain.signals[set].index;
  });
  return stretch;
}

/// Without a chain: no Set has landed.
void WaitRule::add_start(std::optional<std::size_t> chain, std::size_t position) {
  Start start;
  start.chain = chain;
  start.position = position;
  start.value = chain ? cell_.chains[*chain].signals[position].value : cell_.initial;
  for (std::size_t other = 0; other < cell_.chains.size(); ++other) {
    Stretch stretch;
    if (chain == other) {
      stretch.first = stretch.forced = position + 1;
    } else if (chain) {
      stretch = stretch_behind(cell_.chains[*chain], position, cell_.chains[other]);
    }
    stretch.stop = cell_.chains[other].next_set(stretch.forced);
    // A known Set comes after it.
    if (stretch.stop < known_[other]) return;
    start.stretches.push_back(std::move(stretch));
  }
  for (std::size_t other = 0; other < cell_.chains.size(); ++other)
    enter_bounds(other, start.stretches[other]);
  starts_.push_back(std::move(start));
}

/// What the chain can add, by how many of its signals may have landed.
void WaitRule::enter_bounds(std::size_t chain, Stretch& stretch) {
  constexpr Bounds kNone{std::numeric_limits<std::int64_t>::max(),
                         std::numeric_limits<std::int64_t>::min()};
  const SignalChain& signals = cell_.chains[chain];
  const std::size_t known = known_[chain];
  Bounds from = kNone;  // of the sums at which the stretch can begin
  Bounds sum = kNone;
  std::size_t n = stretch.first;
  const auto go_to = [&](std::size_t end) {
    for (; n <= end; ++n) {
      ++steps_;
      if (n <= stretch.forced)
        from = {std::min(from.low, signals.sums[n]), std::max(from.high, signals.sums[n])};
      if (n >= known) {
        sum.low = std::min(sum.low, signals.sums[n] - from.high);
        sum.high = std::max(sum.high, signals.sums[n] - from.low);
      }
      if (n < stretch.forced && signals.signals[n].op == NotifyOp::set) from = kNone;
    }
  };
  if (stretch.first == stretch.forced && n < known) {
    go_to(n);
    n = known;
  }
  for (std::size_t count = known; count <= most_[chain]; ++count) {
    go_to(std::min(std::max(count, stretch.first), stretch.stop));
    stretch.added.push_back(sum);
  }
}

/// Whether the chain can add exactly this.
bool WaitRule::can_add(std::size_t chain, const Stretch& stretch, std::size_t count,
                       std::int64_t amount) {
  const SignalChain& signals = cell_.chains[chain];
  const std::size_t end = std::min(std::max(count, stretch.first), stretch.stop);
  std::vector<std::int64_t> from;
  for (std::size_t n = stretch.first; n <= end; ++n) {
    if (n <= stretch.forced) from.push_back(signals.sums[n]);
    steps_ += from.size();
    if (n >= known_[chain] && std::ranges::find(from, signals.sums[n] - amount) != from.end())
      return true;
    if (n < stretch.forced && signals.signals[n].op == NotifyOp::set) from.clear();
  }
  return false;
}

bool WaitRule::can_hold(const Start& start, const Counts& counts) {
  const SignalHistory::Condition& condition = wait_.condition;
  if (start.chain && start.position >= counts[*start.chain]) return false;
  Bounds value{start.value, start.value};
  std::size_t open = 0;  // chains that can add this or that
  std::size_t last_open = 0;
  for (std::size_t chain = 0; chain < counts.size(); ++chain) {
    const Bounds& more = added(start, chain, counts[chain]);
    value.low += more.low;
    value.high += more.high;
    if (more.low == more.high) continue;
    ++open;
    last_open = chain;
  }
  steps_ += counts.size();
  if (condition.exactly) {
    if (condition.expected < value.low || value.high < condition.expected) return false;
    if (open != 1) return true;
    const std::int64_t others = value.low - added(start, last_open, counts[last_open]).low;
    return can_add(last_open, start.stretches[last_open], counts[last_open],
                   condition.expected - others);
  }
  if (!condition.is_unsigned) return value.high >= condition.expected;
  return value.low < 0 || value.high >= static_cast<std::uint32_t>(condition.expected);
}

bool WaitRule::can_hold(const Counts& counts) {
  return std::ranges::any_of(starts_, [&](const Start& start) { return can_hold(start, counts); });
}

/// Without Sets, with adds of 0 or more and for a wait for at least a value only the sum matters.
std::optional<std::int64_t> WaitRule::missing_sum() const {
  const bool has_sets = starts_.size() != 1 || starts_.front().chain;
  if (has_sets || wait_.condition.exactly || wait_.condition.is_unsigned) return std::nullopt;
  std::int64_t known = cell_.initial;
  for (std::size_t chain = 0; chain < most_.size(); ++chain) {
    const std::vector<std::int64_t>& sums = cell_.chains[chain].sums;
    known += sums[known_[chain]];
    for (std::size_t n = known_[chain]; n < most_[chain]; ++n) {
      if (sums[n + 1] < sums[n]) return std::nullopt;
    }
  }
  return wait_.condition.expected - known;
}

/// Of each chain the fewest signals that it must give when the others give all they have.
WaitRule::Counts WaitRule::least_counts() {
  Counts least = most_;
  if (missing_) {
    std::int64_t spare = -*missing_;
    for (std::size_t chain = 0; chain < most_.size(); ++chain) {
      const std::vector<std::int64_t>& sums = cell_.chains[chain].sums;
      spare += sums[most_[chain]] - sums[known_[chain]];
    }
    for (std::size_t chain = 0; chain < most_.size(); ++chain) {
      const std::vector<std::int64_t>& sums = cell_.chains[chain].sums;
      least[chain] = first_past(known_[chain], most_[chain], [&](std::size_t count) {
        return sums[most_[chain]] - sums[count] <= spare;
      });
    }
    return least;
  }
  Counts counts = most_;
  for (std::size_t chain = 0; chain < most_.size(); ++chain) {
    least[chain] = first_past(known_[chain], most_[chain], [&](std::size_t count) {
      counts[chain] = count;
      return can_hold(counts);
    });
    counts[chain] = most_[chain];
  }
  return least;
}

/// The component of thread t, which is at least `known`.
std::uint32_t WaitRule::least_reach(Thread t, std::uint32_t known) {
  // In the order in which they come when thread t goes on from there.
  struct Landing {
    std::uint32_t reach = 0;
    std::size_t chain = 0;
  };
  std::vector<Landing> landings;
  Counts counts = known_;
  for (std::size_t chain = 0; chain < most_.size(); ++chain) {
    for (std::size_t n = known_[chain]; n < most_[chain]; ++n) {
      const std::uint32_t reach = cell_.chains[chain].reach(n, t, stages_);
      if (reach <= known) {
        ++counts[chain];
      } else {
        landings.push_back({reach, chain});
      }
    }
  }
  std::ranges::sort(landings, {}, &Landing::reach);
  steps_ += landings.size();
  std::uint32_t reach = known;
  for (auto next = landings.begin(); next != landings.end() && !can_hold(counts);) {
    reach = next->reach;
    for (; next != landings.end() && next->reach == reach; ++next)
      ++counts[next->chain];
  }
  return reach;
}

/// least_reach() of all threads for such a wait.
void WaitRule::reach_sum(VectorClock& clock) {
  struct Add {
    const VectorClock* stage = nullptr;
    Thread sender = 0;
    std::uint32_t reach = 0;  ///< of the sender itself
    std::int64_t value = 0;
  };
  std::vector<Add> adds;
  for (std::size_t chain = 0; chain < most_.size(); ++chain) {
    const SignalChain& one = cell_.chains[chain];
    for (std::size_t n = known_[chain]; n < most_[chain]; ++n) {
      const SignalChain::Signal& signal = one.signals[n];
      adds.push_back({&stages_[signal.stage], one.sender, signal.index + 1, signal.value});
    }
  }
  struct Landing {
    std::uint32_t reach = 0;
    std::int64_t value = 0;
  };
  std::vector<Landing> landings(adds.size());
  for (Thread t = 0; t < clock.threads(); ++t) {
    if (t == wait_.thread) continue;
    const std::uint32_t known = clock[t];
    std::int64_t left = *missing_;
    Landing first{std::numeric_limits<std::uint32_t>::max(), 0};
    auto end = landings.begin();
    for (const Add& add : adds) {
      const std::uint32_t reach = add.sender == t ? add.reach : (*add.stage)[t];
      if (reach <= known) {
        left -= add.value;
        continue;
      }
      *end++ = {reach, add.value};
      if (reach < first.reach) first = {reach, 0};
      if (reach == first.reach) first.value += add.value;
    }
    steps_ += adds.size();
    if (left <= 0) continue;
    if (first.value >= left) {  // the common case: what comes first is enough
      clock.add(t, first.reach - 1);
      continue;
    }
    // The fewest in the order of their reach whose sum is enough.
    for (auto begin = landings.begin();;) {
      const auto middle = begin + (end - begin) / 2;
      std::ranges::nth_element(begin, middle, end, {}, &Landing::reach);
      std::int64_t lower = 0;
      for (auto one = begin; one != middle; ++one)
        lower += one->value;
      if (lower >= left) {
        end = middle;
      } else if (lower + middle->value >= left) {
        clock.add(t, middle->reach - 1);
        break;
      } else {
        left -= lower + middle->value;
        begin = middle + 1;
      }
    }
  }
}

std::optional<VectorClock> WaitRule::clock() {
  if (!can_hold(most_)) return std::nullopt;
  VectorClock clock = before_;
  if (can_hold(known_)) return clock;
  const Counts least = least_counts();
  for (std::size_t chain = 0; chain < least.size(); ++chain) {
    if (least[chain] == known_[chain]) continue;
    const SignalChain::Signal& last = cell_.chains[chain].signals[least[chain] - 1];
    clock.join(stages_[last.stage]);
    clock.add(cell_.chains[chain].sender, last.index);
  }
  if (can_hold(least)) return clock;
  if (missing_) {
    reach_sum(clock);
    return clock;
  }
  for (Thread t = 0; t < clock.threads(); ++t) {
    if (t == wait_.thread) continue;
    const std::uint32_t reach = least_reach(t, clock[t]);
    if (reach > 0) clock.add(t, reach - 1);
  }
  return clock;
}

}  // namespace a2a3::isa
