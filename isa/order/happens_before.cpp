// SPDX-License-Identifier: Apache-2.0
#include "isa/order/happens_before.hpp"

#include <algorithm>
#include <utility>

namespace a2a3::isa {
namespace {

constexpr std::uint64_t kSignalBytes = sizeof(std::int32_t);

/// Of a trace, for one record.
constexpr std::size_t kEventsPerRecord = kBytesPerRecord / sizeof(SyncTrace::Event);

}  // namespace

HappensBefore::HappensBefore(TaskOrder order, std::uint64_t max_records, const SolvedOrder* solved)
    : max_records_(max_records),
      solved_(solved),
      clocks_(std::move(order)),
      waits_ended_(clocks_.order().device_of_thread.size(), 0),
      accesses_(clocks_.order().device_of_thread.size(), 0) {
  count_records(0, 0);
}

void HappensBefore::count_records(std::size_t before, std::size_t now) {
  records_ = records_ - before + now;
  if (records_ + clocks_.records() > max_records_) complete_ = false;
}

void HappensBefore::trace(const SyncTrace::Event& event) {
  trace_.add(event);
  if (trace_.events().size() % kEventsPerRecord == 0) count_records(0, 1);
}

std::optional<SolvedOrder> HappensBefore::solve() const {
  if (!complete_) return std::nullopt;
  return solve_order(trace_, clocks_.order(), max_records_);
}

void HappensBefore::on_begin(const RunEvent& event) {
  if (!complete_) return;
  clocks_.begin_task(event.task);
  trace(
      SyncTrace::Begin{event.task, clocks_.first_index(clocks_.order().tasks[event.task].thread)});
}

void HappensBefore::on_complete(std::uint32_t task) {
  if (!complete_) return;
  const Thread thread = clocks_.order().tasks[task].thread;
  if (solved_ != nullptr) {
    const auto known = solved_->complete.find(task);
    if (known != solved_->complete.end())
      clocks_.learn(thread, [&](VectorClock& clock) { return clock.join(known->second); });
  }
  clocks_.complete_task(task);
  trace(SyncTrace::Complete{task, clocks_.last_index(thread)});
}

void HappensBefore::report(RaceKind kind, const RaceFinding::Side& earlier,
                           const RaceFinding::Side& later, GlobalAddress address,
                           std::uint64_t bytes) {
  const auto end = [](const RaceFinding::Side& side) {
    return End(side.record.source, side.kind, side.is_signal);
  };
  const auto [first, second] = std::minmax({end(earlier), end(later)});
  const auto [known, is_new] = findings_.try_emplace({first, second});
  RaceFinding& finding = known->second;
  if (is_new) {
    finding.kind = kind;
    finding.earlier = earlier;
    finding.later = later;
    finding.address = address;
    finding.bytes = bytes;
    for (const Cell& one : cells_) {
      if (one.waiters.contains(later.record.thread)) finding.waited.push_back(one.address);
    }
    std::ranges::sort(finding.waited);
  }
  ++finding.count;
  const bool same_way = end(finding.earlier) == end(earlier);
  finding.earlier_devices.insert(same_way ? earlier.device : later.device);
  finding.later_devices.insert(same_way ? later.device : earlier.device);
}

void HappensBefore::report(const Conflict& conflict, const RaceFinding::Side& later,
                           std::uint32_t memory) {
  const AccessRecord& by = conflict.earlier;
  report(conflict.kind, {device(by.thread), by, conflict.earlier_kind, false}, later,
         {memory, conflict.begin}, conflict.end - conflict.begin);
}

/// Notifies against the plain access that comes now.
void HappensBefore::check_signals(const RaceFinding::Side& access, GlobalAddress address,
                                  std::uint64_t bytes) {
  const VectorClock& clock = clocks_.now(access.record.thread);
  cell_numbers_.for_each_in(address, bytes, [&](std::uint32_t number) {
    Cell& cell = cells_[number];
    cell.plainly_accessed = true;
    const SignalCheck::Place place{number, cell.address};
    if (access.kind == AccessKind::read) {
      signals_.read(place, access.device, access.record.source);
    } else {
      signals_.write(place);
    }
    cell.history.for_each([&](const AccessRecord& by, NotifyOp op) {
      if (by.is_known_to(access.record.thread, clock)) return;
      const AccessKind kind = op == NotifyOp::set ? AccessKind::write : AccessKind::atomic_add;
      report(RaceKind::plain_atomic, {device(by.thread), by, kind, true}, access, cell.address,
             kSignalBytes);
    });
  });
}

void HappensBefore::on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                              std::uint64_t bytes) {
  if (!complete_ || bytes == 0) return;
  const AccessRecord by = record(event);
  if (needs_solving_) return;
  if (address.device >= shadows_.size()) shadows_.resize(address.device + 1);
  ++accesses_[by.thread];
  const RaceFinding::Side later{device(by.thread), by, kind, false};
  ShadowMemory& shadow = shadows_[address.device];
  const std::size_t before = shadow.records();
  shadow.access({address.offset_bytes, address.offset_bytes + bytes, kind, by},
                clocks_.now(by.thread),
                [&](const Conflict& conflict) { report(conflict, later, address.device); });
  count_records(before, shadow.records());
  if (kind != AccessKind::atomic_add) check_signals(later, address, bytes);
}

bool HappensBefore::Cell::is_shared() const {
  if (waiters.size() == 0 || senders.size() == 0) return false;
  const std::size_t others = senders.size() - (senders.contains(*waiters.first()) ? 1 : 0);
  return waiters.size() > 1 || others > 1;
}

HappensBefore::Cell& HappensBefore::cell(GlobalAddress address) {
  const auto [number, is_new] = cell_numbers_.enter(address);
  if (!is_new) return cells_[number];
  Cell& cell = cells_.add();
  cell.number = number;
  cell.address = address;
  cell.plainly_accessed = true;  // perhaps, before it became a cell
  count_records(0, records_of(sizeof(Cell)));
  return cell;
}

void HappensBefore::enter_user(Cell& cell, ThreadSet& users, Thread thread) {
  const bool is_new = users.insert(thread);
  if (is_new && solved_ == nullptr && !needs_solving_ && cell.is_shared()) leave_to_solver();
}

/// Only the trace goes on.
void HappensBefore::leave_to_solver() {
  needs_solving_ = true;
  shadows_.clear();
  signals_ = {};
  idle_ = {};
  findings_.clear();
  for (Cell& cell : cells_)
    cell.history = {};
  records_ = trace_.events().size() / kEventsPerRecord + cells_.size() * records_of(sizeof(Cell));
}

void HappensBefore::on_notify(const RunEvent& event, const TNotify& notify, CellChange change) {
  if (!complete_) return;
  const AccessRecord by = record(event);
  Cell& at = cell(notify.cell);
  trace(SyncTrace::Signal{by.thread, by.index, at.number, notify.op, notify.value, change.before,
                          by.source});
  enter_user(at, at.senders, by.thread);
  if (needs_solving_) return;
  const VectorClock& clock = clocks_.now(by.thread);
  if (at.plainly_accessed && notify.cell.device < shadows_.size()) {
    const std::uint64_t begin = notify.cell.offset_bytes;
    const bool is_set = notify.op == NotifyOp::set;
    const RaceFinding::Side later{device(by.thread), by,
                                  is_set ? AccessKind::write : AccessKind::atomic_add, true};
    at.plainly_accessed = shadows_[notify.cell.device].check(
        {begin, begin + kSignalBytes, AccessKind::atomic_add, by}, clock,
        [&](const Conflict& conflict) { report(conflict, later, notify.cell.device); });
  }
  const auto records = [&] { return at.history.records() + signals_.records() + idle_.records(); };
  const std::size_t before = records();
  signals_.notify({at.number, at.address},
                  {{by, device(by.thread), notify.op, notify.value}, change, accesses_[by.thread]},
                  clock);
  if (notify.op == NotifyOp::set || notify.value < 0) idle_.lower(at.number, by);
  // Of a solved order waits know already what they learn.
  at.history.land(
      {by, solved_ == nullptr ? clocks_.snapshot(by.thread) : nullptr, notify.op, notify.value},
      change.before, change.after);
  count_records(before, records());
}

void HappensBefore::on_wait(const RunEvent& event, const TWait& wait, std::int32_t value) {
  if (!complete_) return;
  const AccessRecord by = record(event);
  const SignalHistory::Condition condition{wait.expected, wait.cmp == WaitCmp::eq, false};
  Cell& at = cell(wait.cell);
  trace(SyncTrace::Wait{by.thread, by.index, at.number, condition, by.source});
  enter_user(at, at.waiters, by.thread);
  if (needs_solving_) return;
  const auto records = [&] { return at.history.records() + signals_.records() + idle_.records(); };
  const std::size_t before = records();
  signals_.wait({at.number, at.address}, {by, device(by.thread), condition}, value,
                clocks_.now(by.thread));
  end_wait(at, by, condition);
  count_records(before, records());
}

/// What the wait tells its thread.
void HappensBefore::end_wait(Cell& at, const AccessRecord& by,
                             const SignalHistory::Condition& condition) {
  const VectorClock* solved = nullptr;
  if (solved_ != nullptr) {
    solved = solved_->behind_wait(by.thread, waits_ended_[by.thread]++);
    complete_ = solved != nullptr;  // else not the run that was solved
    if (!complete_) return;
  }
  const bool learned = clocks_.learn(by.thread, [&](VectorClock& clock) {
    return solved != nullptr ? clock.join(*solved)
                             : at.history.acquire(by.thread, clock, condition);
  });
  const VectorClock& clock = clocks_.now(by.thread);
  if (solved != nullptr) at.history.settle_known(by.thread, clock);
  idle_.wait({by, at.number, condition, learned}, clock,
             [this](std::uint32_t a, std::uint32_t b) { return have_one_sender(a, b); });
}

bool HappensBefore::have_one_sender(std::uint32_t one, std::uint32_t other) const {
  const ThreadSet& first = cells_[one].senders;
  const ThreadSet& second = cells_[other].senders;
  return (first.first() && second.contains(*first.first())) ||
         (second.first() && first.contains(*second.first()));
}

void HappensBefore::on_meet(const RunEvent& event, const TDeferWait& condition,
                            std::int32_t value) {
  if (!complete_) return;
  const Thread thread = clocks_.order().tasks[event.task].thread;
  const std::uint32_t last = clocks_.last_index(thread);
  const AccessRecord by = clocks_.end_condition(thread, event.source);
  const SignalHistory::Condition asked{condition.expected, false, true};
  Cell& at = cell(condition.cell);
  trace(SyncTrace::Meet{event.task, last, at.number, asked, by.source});
  enter_user(at, at.waiters, thread);
  if (needs_solving_) return;
  const std::size_t before = at.history.records() + signals_.records();
  signals_.meet({at.number, at.address}, {by, device(thread), asked}, value);
  if (solved_ == nullptr) {
    clocks_.learn(thread,
                  [&](VectorClock& clock) { return at.history.acquire(thread, clock, asked); });
  }
  count_records(before, at.history.records() + signals_.records());
}

}  // namespace a2a3::isa
