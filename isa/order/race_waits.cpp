// SPDX-License-Identifier: Apache-2.0
#include "isa/order/race_waits.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace a2a3::isa {

RaceWaits::RaceWaits(const SyncTrace& trace, const TaskOrder& order)
    : trace_(trace), order_(order), waits_(order.device_of_thread.size()) {
  const auto& events = trace.events();
  for (std::size_t place = 0; place < events.size(); ++place) {
    if (const auto* wait = std::get_if<SyncTrace::Wait>(&events[place])) {
      waits_[wait->thread].push_back(
          {place, wait->index, wait->cell, wait->condition, wait->source});
    } else if (const auto* meet = std::get_if<SyncTrace::Meet>(&events[place])) {
      waits_[order.tasks[meet->task].thread].push_back(
          {place, meet->last + 1, meet->cell, meet->condition, meet->source});
    } else if (const auto* signal = std::get_if<SyncTrace::Signal>(&events[place])) {
      if (signal->cell >= signals_.size()) signals_.resize(signal->cell + 1);
      signals_[signal->cell].push_back(place);
    }
  }
  std::vector<std::optional<std::int64_t>> sums;
  for (const Signals& signals : signals_)
    sums.push_back(sum_of(signals));
  for (Thread thread = 0; thread < waits_.size(); ++thread) {
    for (const Asked& one : waits_[thread]) {
      if (one.cell < sums.size() && sums[one.cell] && !one.condition.exactly &&
          one.condition.expected >= *sums[one.cell])
        asking_for_all_.emplace(thread, one.cell);
    }
  }
}

const SyncTrace::Signal& RaceWaits::signal(std::size_t place) const {
  return std::get<SyncTrace::Signal>(trace_.events()[place]);
}

const RaceWaits::Signals& RaceWaits::signals_of(std::uint32_t cell) const {
  static const Signals kNone;
  return cell < signals_.size() ? signals_[cell] : kNone;
}

/// What the signals of a cell add up to; nullopt when one takes credits out or sets it.
std::optional<std::int64_t> RaceWaits::sum_of(const Signals& signals) const {
  if (signals.empty()) return std::nullopt;
  std::int64_t sum = signal(signals.front()).before;
  for (const std::size_t place : signals) {
    const SyncTrace::Signal& one = signal(place);
    if (one.op == NotifyOp::set || one.value < 0) return std::nullopt;
    sum += one.value;
  }
  return sum;
}

bool RaceWaits::asks_for_all(Thread thread, std::uint32_t cell) const {
  return asking_for_all_.contains({thread, cell});
}

std::map<std::uint32_t, RaceWaits::Last> RaceWaits::last_before(const AccessRecord& access) const {
  std::map<std::uint32_t, Last> found;
  for (const Asked& one : waits_[access.thread]) {
    if (one.index > access.index) continue;
    Last& last = found[one.cell];
    const bool repeats = last.asked != nullptr &&
                         one.condition.expected <= last.asked->condition.expected &&
                         asks_for_all(access.thread, one.cell);
    last = {&one, last.number + (repeats ? 0 : 1)};
  }
  return found;
}

std::set<std::uint32_t> RaceWaits::waited_before(const AccessRecord& access) const {
  std::set<std::uint32_t> cells;
  for (const auto& [cell, last] : last_before(access))
    cells.insert(cell);
  return cells;
}

/// A thread's n-th wait on a cell is taken for one for the n-th signal of each sender, unless
/// credits are taken out again: then nobody can tell which one it is for. Where some wait asks for
/// all credits, one that asks for no more than the one before is no wait of its own.
RaceWait::Bond RaceWaits::bond(const Last& last, const AccessRecord& first) const {
  RaceWait::Bond bond = RaceWait::Bond::stranger;
  std::uint32_t number = 0;
  const bool is_lowered = std::ranges::any_of(signals_of(last.asked->cell), [&](std::size_t place) {
    const SyncTrace::Signal& one = signal(place);
    return one.value < 0 || (one.op == NotifyOp::set && one.value == 0);
  });
  for (const std::size_t place : signals_of(last.asked->cell)) {
    const SyncTrace::Signal& one = signal(place);
    if (one.thread != first.thread || one.value <= 0) continue;
    if (one.index < first.index) bond = RaceWait::Bond::before;
    if (++number == last.number && one.index >= first.index && !is_lowered)
      return RaceWait::Bond::meant;
  }
  return bond;
}

/// The fewest signals from the front that make the condition true: of those that had landed, or
/// else also of those that others sent for as many waits.
std::vector<RaceWait::Credit> RaceWaits::credits(const Last& last,
                                                 const AccessRecord& first) const {
  const Signals& all = signals_of(last.asked->cell);
  const SignalHistory::Condition& condition = last.asked->condition;
  for (const bool late : {false, true}) {
    std::vector<RaceWait::Credit> counted;
    std::map<Thread, std::uint32_t> numbers;
    std::int32_t value = all.empty() ? 0 : signal(all.front()).before;
    if (condition.holds(value)) return {};
    for (const std::size_t place : all) {
      const SyncTrace::Signal& one = signal(place);
      const bool counts =
          late ? one.value > 0 && ++numbers[one.thread] <= last.number : place < last.asked->place;
      if (!counts || (one.thread == first.thread && one.index >= first.index)) continue;
      const bool is_set = one.op == NotifyOp::set;
      value = is_set ? one.value : cell_sum(value, one.value);
      if (is_set) counted.clear();
      if (one.value <= 0) continue;
      const std::uint32_t device = order_.device_of_thread[one.thread];
      auto known = std::ranges::find_if(counted, [&](const RaceWait::Credit& credit) {
        return std::tuple(credit.device, credit.source, credit.op) ==
               std::tuple(device, one.source, one.op);
      });
      if (known == counted.end())
        known = counted.insert(known, {device, one.source, one.op, 0, 0, one.cell});
      known->sum = is_set ? one.value : cell_sum(known->sum, one.value);
      ++known->count;
      if (condition.holds(value)) return counted;
    }
  }
  return {};
}

void RaceWaits::count_signals(RaceWait& wait, Thread waiter) const {
  for (const Asked& one : waits_[waiter])
    wait.waits += one.cell == wait.cell ? 1 : 0;
  std::map<Thread, std::uint32_t> counts;
  std::optional<std::int32_t> value;
  bool alike = true;
  for (const std::size_t place : signals_of(wait.cell)) {
    const SyncTrace::Signal& one = signal(place);
    alike = alike && one.op == NotifyOp::atomic_add && one.value > 0 &&
            value.value_or(one.value) == one.value;
    value = one.value;
    if (one.value <= 0) continue;
    wait.has_set = wait.has_set || one.op == NotifyOp::set;
    wait.senders.insert(order_.device_of_thread[one.thread]);
    ++counts[one.thread];
  }
  for (const auto& [thread, count] : counts)
    alike = alike && count == wait.waits;
  if (!alike || counts.empty()) return;
  const std::int64_t sum = std::int64_t{*value} * static_cast<std::int64_t>(counts.size());
  if (std::in_range<std::int32_t>(sum)) wait.a_time = static_cast<std::int32_t>(sum);
}

std::optional<RaceWait> RaceWaits::before(const AccessRecord& second,
                                          const AccessRecord& first) const {
  const std::map<std::uint32_t, Last> waits = last_before(second);
  const Last* nearest = nullptr;
  RaceWait wait;
  for (const auto& [cell, last] : waits) {
    const RaceWait::Bond bond = this->bond(last, first);
    if (nearest != nullptr &&
        std::pair(bond, last.asked->place) < std::pair(wait.bond, nearest->asked->place))
      continue;
    nearest = &last;
    wait.bond = bond;
  }
  if (nearest == nullptr) return std::nullopt;
  wait.cell = nearest->asked->cell;
  wait.source = nearest->asked->source;
  wait.condition = nearest->asked->condition;
  const Signals& signals = signals_of(wait.cell);
  if (!signals.empty()) wait.initial = signal(signals.front()).before;
  count_signals(wait, second.thread);
  if (wait.bond != RaceWait::Bond::stranger) {
    wait.credits = credits(*nearest, first);
    return wait;
  }
  for (const auto& [cell, last] : waits) {
    const std::vector<RaceWait::Credit> more = credits(last, first);
    wait.credits.insert(wait.credits.end(), more.begin(), more.end());
  }
  return wait;
}

}  // namespace a2a3::isa
