// SPDX-License-Identifier: Apache-2.0
#include "isa/hints/signal_record.hpp"

#include <algorithm>

namespace a2a3::isa {

/// The first credit with which the total is at least this; credits.size() when none is.
std::size_t SignalRecord::Cell::reaching(std::int64_t total) const {
  const auto at = std::ranges::lower_bound(credits, total, {}, &Credit::total);
  return static_cast<std::size_t>(at - credits.begin());
}

/// A credit that pays back what was taken out of an empty cell came to something; so may one behind
/// a Set, when that comes before a wait on another timing.
void SignalRecord::Cell::append(Credit credit, std::int64_t value) {
  credit.used |= total() < taken || (is_set && credit.signal.op == NotifyOp::atomic_add);
  credit.total = total() + value;
  credits.push_back(credit);
}

void SignalRecord::Cell::take(std::int64_t value) {
  taken += value;
  // The rest of a credit that was taken out in part is new.
  const std::size_t first = reaching(taken + 1);
  const std::int64_t before = first == 0 ? 0 : credits[first - 1].total;
  if (first == credits.size() || before == taken) return;
  for (auto& [thread, counted] : counted_by)
    counted = std::min(counted, first);
}

/// The credits from the first to the last one came to something.
void SignalRecord::Cell::use(std::size_t first, std::size_t last) {
  for (std::size_t i = std::max(first, unmarked); i <= last; ++i)
    credits[i].used = true;
  unmarked = std::max(unmarked, last + 1);
}

/// The cell may have another value than its signals gave it. True when that is a credit more.
bool SignalRecord::Cell::found(std::int64_t value) {
  if (total() - taken == value) return false;
  taken = total();
  if (value <= 0) {
    taken -= value;
    return false;
  }
  Credit credit;
  credit.signal.is_found = true;
  credit.signal.value = static_cast<std::int32_t>(value);
  credit.used = true;  // nobody sent it
  append(credit, value);
  return true;
}

/// What lies in a cell that is read as data came to something.
void SignalRecord::on_access(const RunEvent& /*event*/, AccessKind kind, GlobalAddress address,
                             std::uint64_t bytes) {
  if (kind != AccessKind::read) return;
  const GlobalAddress end{address.device, address.offset_bytes + bytes};
  for (auto at = cells_.lower_bound(address); at != cells_.end() && at->first < end; ++at) {
    Cell& cell = at->second;
    for (; cell.unmarked < cell.credits.size(); ++cell.unmarked)
      cell.credits[cell.unmarked].used = true;
  }
}

void SignalRecord::on_notify(const RunEvent& event, const TNotify& notify, CellChange change) {
  if (!is_complete()) return;
  ++signals_;
  enter(event, notify, change);
  forget_beyond_bound();
}

void SignalRecord::forget_beyond_bound() {
  if (is_complete()) return;
  cells_.clear();
  executions_.clear();
}

void SignalRecord::enter(const RunEvent& event, const TNotify& notify, CellChange change) {
  Cell& cell = cells_[notify.cell];
  const std::uint32_t generation = ++cell.signals_of[event.device];
  const std::uint32_t execution = executions_[{event.task, event.source}]++;
  const bool is_set = notify.op == NotifyOp::set;
  if (is_set) {
    cell.take(cell.total() - cell.taken);
  } else if (cell.found(change.before)) {
    ++signals_;
  }
  cell.is_set |= is_set;
  if (notify.value == 0) return;
  if (notify.value < 0) {
    const std::size_t first = cell.reaching(cell.taken + 1);
    cell.take(-std::int64_t{notify.value});
    // Without these credits the cell would go below 0.
    const std::size_t behind = std::min(cell.reaching(cell.taken) + 1, cell.credits.size());
    if (!is_set && behind > first) cell.use(first, behind - 1);
    return;
  }
  cell.append({{event.device, event.source, generation, notify.op, notify.value, false, false},
               event,
               execution,
               0,
               false},
              notify.value);
}

WaitRecord SignalRecord::satisfy(Cell& cell, Thread thread, const Asked& asked) {
  WaitRecord record;
  record.generation = ++cell.waits_of[thread];
  if (asked.expected <= 0) {
    record.state = WaitRecord::State::at_once;
    return record;
  }
  const std::size_t first = cell.reaching(cell.taken + 1);
  const std::size_t last = cell.reaching(cell.taken + asked.expected);
  if (last == cell.credits.size()) return record;  // an unsigned condition met by a negative value
  std::size_t& counted = cell.counted_by[thread];
  const std::size_t first_new = std::max(first, counted);
  for (std::size_t i = first_new; i <= last; ++i)
    record.signals.push_back(cell.credits[i].signal);
  record.counted_before = std::min(first_new, last + 1) - first;
  if (record.signals.empty()) {
    record.state = WaitRecord::State::stale;
    record.signals.push_back(cell.credits[last].signal);
    record.signals.back().counted_before = true;
    --record.counted_before;
  } else if (!cell.credits[last].signal.is_found &&
             cell.credits[last].signal.generation < record.generation) {
    record.state = WaitRecord::State::earlier_round;
  }
  cell.use(first, last);
  counted = std::max(counted, last + 1);
  return record;
}

void SignalRecord::record(const RunEvent& event, GlobalAddress address, const Asked& asked,
                          std::int32_t value) {
  if (!is_complete()) {
    ++left_out_;
    return;
  }
  Cell& cell = cells_[address];
  if (cell.found(value)) ++signals_;
  cell.asked_exactly |= asked.exactly;
  WaitRecord record = satisfy(cell, order_.tasks[event.task].thread, asked);
  forget_beyond_bound();
  const std::uint64_t size = 1 + record.signals.size();
  if (left_out_ > 0 || records_ + size > max_records_) {
    ++left_out_;
    return;
  }
  records_ += size;
  record.at = event;
  record.cell = address;
  record.expected = asked.expected;
  record.exactly = asked.exactly;
  record.deferred = asked.deferred;
  record.value = value;
  waits_.push_back(std::move(record));
}

void SignalRecord::on_wait(const RunEvent& event, const TWait& wait, std::int32_t value) {
  record(event, wait.cell, {wait.expected, wait.cmp == WaitCmp::eq, false}, value);
}

void SignalRecord::on_meet(const RunEvent& event, const TDeferWait& condition, std::int32_t value) {
  record(event, condition.cell, {condition.expected, false, true}, value);
}

std::vector<UncountedSignal> SignalRecord::uncounted() const {
  std::vector<UncountedSignal> all;
  for (const auto& [address, cell] : cells_) {
    if (cell.asked_exactly) continue;
    for (const Credit& credit : cell.credits) {
      if (!credit.used) all.push_back({credit.at, address, credit.execution, credit.signal.value});
    }
  }
  return all;
}

std::map<SourceId, std::uint64_t> SignalRecord::sent() const {
  std::map<SourceId, std::uint64_t> all;
  for (const auto& [at, count] : executions_)
    all[at.second] += count;
  return all;
}

}  // namespace a2a3::isa
