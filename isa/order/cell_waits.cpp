// SPDX-License-Identifier: Apache-2.0
#include "isa/order/cell_waits.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace a2a3::isa {
namespace {

bool orders_behind(const AccessRecord& earlier, const CellWaits::Signal& signal,
                   const VectorClock& clock) {
  return earlier.thread == signal.by.thread || clock.covers(earlier.thread, earlier.index);
}

auto line_of(const CellWaits::Missed& missed) {
  return std::tuple(missed.source, missed.device);
}

}  // namespace

/// Adds the signal to what may be the last Sets.
void CellWaits::enter(LastSets& sets, const Signal& signal, const VectorClock& clock) {
  if (signal.op == NotifyOp::set) {
    std::erase_if(sets,
                  [&](const LastSet& one) { return orders_behind(one.set.by, signal, clock); });
    sets.push_back({signal, 0});
    return;
  }
  for (LastSet& one : sets) {
    if (orders_behind(one.set.by, signal, clock))
      one.added += static_cast<std::uint32_t>(signal.value);
  }
}

void CellWaits::enter_late(ThreadWaits& thread, std::size_t place, const Signal& signal) {
  auto at = std::ranges::lower_bound(thread.late, place, {}, &LateAt::place);
  if (at == thread.late.end() || at->place != place) {
    at = thread.late.insert(at, {place, {}});
    ++records_;
  }
  at->late.sum += static_cast<std::uint32_t>(signal.value);
  thread.missed += static_cast<std::uint32_t>(signal.value);
  (signal.value < 0 ? at->late.lowering : at->late.raising) =
      Landed{landed_, {signal.device, signal.by.source, signal.value, 0}};
}

/// Of the Sets from this entry of the thread on.
std::size_t CellWaits::records_from(const ThreadWaits& thread, std::size_t entry) {
  std::size_t records = 0;
  for (; entry < thread.sets.size(); ++entry)
    records += 1 + thread.sets[entry].second.size();
  return records;
}

/// The waits from the place on get the signal. Neighbours with the same Sets share an entry.
void CellWaits::enter_sets(ThreadWaits& thread, std::size_t place, const Signal& signal,
                           const VectorClock& clock) {
  if (thread.sets.empty()) {
    if (signal.op != NotifyOp::set) return;
    thread.sets.emplace_back(0, LastSets{});
    ++records_;
  }
  auto at =
      std::ranges::upper_bound(thread.sets, place, {}, [](const auto& one) { return one.first; });
  --at;
  // The entry before the first one that changes may be like it then.
  const auto from = std::max<std::ptrdiff_t>(at - thread.sets.begin() - 1, 0);
  records_ -= records_from(thread, static_cast<std::size_t>(from));
  if (at->first < place) {
    const LastSets copy = at->second;
    at = thread.sets.emplace(std::next(at), place, copy);
  }
  for (; at != thread.sets.end(); ++at)
    enter(at->second, signal, clock);
  const auto same = std::unique(thread.sets.begin() + from, thread.sets.end(),
                                [](const auto& a, const auto& b) { return a.second == b.second; });
  thread.sets.erase(same, thread.sets.end());
  records_ += records_from(thread, static_cast<std::size_t>(from));
}

void CellWaits::land(const Signal& signal, const VectorClock& clock) {
  ++landed_;
  const bool is_set = signal.op == NotifyOp::set;
  if (!is_set && signal.value == 0) return;
  if (is_set || !last_sets_.empty()) enter(last_sets_, signal, clock);
  contested_ |= last_sets_.size() > 1;
  for (ThreadWaits& thread : threads_) {
    if (orders_behind(thread.waits.back().wait.by, signal, clock)) continue;
    const auto first = std::ranges::partition_point(thread.waits, [&](const Ended& ended) {
      return orders_behind(ended.wait.by, signal, clock);
    });
    const auto place = static_cast<std::size_t>(first - thread.waits.begin());
    contested_ |= is_set || signal.value < 0 || thread.exactly;
    if (!is_set) enter_late(thread, place, signal);
    enter_sets(thread, place, signal, clock);
  }
}

void CellWaits::end(const Wait& wait, std::int32_t value) {
  ThreadWaits none;
  none.thread = wait.by.thread;
  ThreadWaits& thread = threads_.enter(std::move(none)).first;
  const std::size_t place = thread.waits.size();
  thread.exactly |= wait.condition.exactly;
  thread.waits.push_back({wait, landed_, static_cast<std::uint32_t>(value) - thread.missed});
  ++records_;
  if (last_sets_.empty() && thread.sets.empty()) return;
  if (thread.sets.empty() && place > 0) {
    thread.sets.emplace_back(0, LastSets{});
    ++records_;
  }
  if (!thread.sets.empty() && thread.sets.back().second == last_sets_) return;
  thread.sets.emplace_back(place, last_sets_);
  records_ += 1 + last_sets_.size();
}

/// Which of the adds that nothing orders behind the wait takes the value away.
CellWaits::Missed CellWaits::missed_late(const ThreadWaits& thread, std::size_t place,
                                         std::int32_t left) {
  const Ended& ended = thread.waits[place];
  const SignalHistory::Condition& condition = ended.wait.condition;
  // What raises the cell takes an exact value away, or wraps around.
  const bool raised = condition.exactly && left > condition.expected;
  const auto end = std::ranges::upper_bound(thread.late, place, {}, &LateAt::place);
  std::optional<Missed> found;
  for (const bool raising : {raised, !raised}) {
    for (auto late = thread.late.begin(); late != end; ++late) {
      const std::optional<Landed>& one = raising ? late->late.raising : late->late.lowering;
      if (!one || one->number <= ended.landed) continue;
      if (!found || line_of(one->what) < line_of(*found)) found = one->what;
    }
    if (found) break;
  }
  // Without one the cell would still have the value that the wait found.
  Missed missed = found.value_or(Missed{});
  missed.left = left;
  return missed;
}

std::optional<CellWaits::Missed> CellWaits::missed_set(const Wait& wait, const LastSets& sets) {
  std::optional<Missed> found;
  for (const auto& [set, added] : sets) {
    const auto left = static_cast<std::int32_t>(static_cast<std::uint32_t>(set.value) + added);
    const Missed one{set.device, set.by.source, set.value, left};
    if (!wait.condition.holds(left) && (!found || line_of(one) < line_of(*found))) found = one;
  }
  return found;
}

std::vector<std::pair<CellWaits::Wait, CellWaits::Missed>> CellWaits::missed() const {
  std::vector<std::pair<Wait, Missed>> all;
  for (const ThreadWaits& thread : threads_) {
    auto late = thread.late.begin();
    std::size_t sets = 0;  // entries up to the place
    std::uint32_t sum = 0;
    for (std::size_t place = 0; place < thread.waits.size(); ++place) {
      for (; late != thread.late.end() && late->place <= place; ++late)
        sum += late->late.sum;
      while (sets < thread.sets.size() && thread.sets[sets].first <= place)
        ++sets;
      const Ended& ended = thread.waits[place];
      if (sets > 0 && !thread.sets[sets - 1].second.empty()) {
        if (const auto missed = missed_set(ended.wait, thread.sets[sets - 1].second))
          all.emplace_back(ended.wait, *missed);
        continue;
      }
      const auto left = static_cast<std::int32_t>(ended.base + sum);
      if (!ended.wait.condition.holds(left))
        all.emplace_back(ended.wait, missed_late(thread, place, left));
    }
  }
  return all;
}

}  // namespace a2a3::isa
