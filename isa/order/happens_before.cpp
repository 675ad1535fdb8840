// SPDX-License-Identifier: Apache-2.0
#include "isa/order/happens_before.hpp"

#include <algorithm>
#include <utility>

namespace a2a3::isa {
namespace {

constexpr std::uint64_t kSignalBytes = sizeof(std::int32_t);

/// About what one record takes.
constexpr std::size_t kRecordBytes = 100;

/// Offsets in a device's memory stay below 2^40 (models::kMaxMemoryBytes).
constexpr int kOffsetBits = 40;

std::uint64_t cell_key(GlobalAddress address) {
  return std::uint64_t{address.device} << kOffsetBits | address.offset_bytes;
}

}  // namespace

HappensBefore::HappensBefore(TaskOrder order, std::uint64_t max_records, Effects effects)
    : order_(std::move(order)),
      max_records_(max_records),
      effects_(effects),
      threads_(order_.device_of_thread.size()),
      completed_(order_.after.size()),
      followers_(order_.after.size(), 0) {
  // The clocks of all threads, and as many snapshots.
  count_records(0, 2 * threads_.size() * clock_records());
  if (!complete_) return;
  for (ThreadState& thread : threads_)
    thread.clock = VectorClock(threads_.size());
  for (const TaskOrder::Task& task : order_.tasks) {
    for (const std::uint32_t before : order_.after[task.launch])
      ++followers_[before];
  }
}

AccessRecord HappensBefore::record(const Event& event) {
  const Thread thread = order_.tasks[event.task].thread;
  ThreadState& state = threads_[thread];
  const std::uint32_t index = state.base + event.sync_index;
  state.last = std::max(state.last, index);
  return {thread, index, event.source, event.time};
}

const ClockSnapshot& HappensBefore::snapshot(ThreadState& thread) {
  if (thread.snapshot == nullptr)
    thread.snapshot = std::make_shared<const VectorClock>(thread.clock);
  return thread.snapshot;
}

/// The clock is about to change for what has the index `until` or a higher one.
void HappensBefore::keep_clock(ThreadState& thread, std::uint32_t until) {
  if (effects_ == Effects::in_order || until == thread.since) return;
  thread.before.emplace_back(thread.since, snapshot(thread));
  thread.since = until;
  count_records(0, 1 + clock_records());
}

/// Everything with an index up to `until` has taken effect.
void HappensBefore::drop_clocks(ThreadState& thread, std::uint32_t until) {
  std::size_t unused = 0;
  while (unused < thread.before.size() &&
         (unused + 1 < thread.before.size() ? thread.before[unused + 1].first : thread.since) <=
             until) {
    ++unused;
  }
  if (unused == 0) return;
  thread.before.erase(thread.before.begin(),
                      thread.before.begin() + static_cast<std::ptrdiff_t>(unused));
  count_records(unused * (1 + clock_records()), 0);
}

const VectorClock& HappensBefore::clock_at(const AccessRecord& record) const {
  const ThreadState& thread = threads_[record.thread];
  for (std::size_t i = thread.before.size(); record.index < thread.since && i-- > 0;) {
    if (i == 0 || thread.before[i].first <= record.index) return *thread.before[i].second;
  }
  return thread.clock;
}

void HappensBefore::begin_task(std::uint32_t task) {
  if (!complete_) return;
  const TaskOrder::Task& now = order_.tasks[task];
  ThreadState& state = threads_[now.thread];
  drop_clocks(state, state.last);
  state.base = state.last + 1;
  state.last = state.base;
  state.since = state.base;
  for (const std::uint32_t before : order_.after[now.launch]) {
    for (const Completed& one : completed_[before]) {
      if (one.end.thread == now.thread || state.clock.covers(one.end.thread, one.end.index))
        continue;
      state.clock.join(*one.clock);
      state.clock.add(one.end.thread, one.end.index);
      state.snapshot = nullptr;
    }
    if (--followers_[before] == 0) completed_[before].clear();
  }
}

void HappensBefore::complete_task(std::uint32_t task) {
  if (!complete_) return;
  const TaskOrder::Task& now = order_.tasks[task];
  if (followers_[now.launch] == 0) return;
  ThreadState& state = threads_[now.thread];
  completed_[now.launch].push_back({{now.thread, state.last, 0, 0}, snapshot(state)});
}

/// What one clock counts for.
std::size_t HappensBefore::clock_records() const {
  return threads_.size() * sizeof(std::uint32_t) / kRecordBytes;
}

void HappensBefore::count_records(std::size_t before, std::size_t now) {
  records_ = records_ - before + now;
  if (records_ > max_records_) complete_ = false;
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
      if (one.first_waiter == later.record.thread ||
          std::ranges::find(one.more_waiters, later.record.thread) != one.more_waiters.end()) {
        finding.waited.push_back(one.address);
      }
    }
    std::ranges::sort(finding.waited, {}, cell_key);
  }
  ++finding.count;
  const bool same_way = end(finding.earlier) == end(earlier);
  finding.earlier_devices.insert(same_way ? earlier.device : later.device);
  finding.later_devices.insert(same_way ? later.device : earlier.device);
}

/// Notifies against the plain access that comes now.
void HappensBefore::check_signals(const RaceFinding::Side& access, GlobalAddress address,
                                  std::uint64_t bytes) {
  if (address.device >= devices_.size()) return;
  const auto& cells = devices_[address.device].cells;
  const std::uint64_t first =
      address.offset_bytes < kSignalBytes ? 0 : address.offset_bytes - kSignalBytes + 1;
  const VectorClock& clock = clock_at(access.record);
  for (auto at = cells.lower_bound(first);
       at != cells.end() && at->first < address.offset_bytes + bytes; ++at) {
    Cell& cell = cells_[at->second];
    cell.plainly_accessed = true;
    cell.history.for_each([&](const AccessRecord& by, NotifyOp op) {
      if (by.thread == access.record.thread || clock.covers(by.thread, by.index)) return;
      const AccessKind kind = op == NotifyOp::set ? AccessKind::write : AccessKind::atomic_add;
      report(RaceKind::plain_atomic, {order_.device_of_thread[by.thread], by, kind, true}, access,
             cell.address, kSignalBytes);
    });
  }
}

void HappensBefore::access(const Event& event, AccessKind kind, GlobalAddress address,
                           std::uint64_t bytes) {
  if (!complete_ || bytes == 0) return;
  if (address.device >= devices_.size()) devices_.resize(address.device + 1);
  const AccessRecord by = record(event);
  ++threads_[by.thread].accesses;
  const RaceFinding::Side later{order_.device_of_thread[by.thread], by, kind, false};
  ShadowMemory& shadow = devices_[address.device].shadow;
  const std::size_t before = shadow.records();
  shadow.access({address.offset_bytes, address.offset_bytes + bytes, kind, by}, clock_at(by),
                [&](const Conflict& conflict) {
                  report(conflict.kind,
                         {order_.device_of_thread[conflict.earlier.thread], conflict.earlier,
                          conflict.earlier_kind, false},
                         later, {address.device, conflict.begin}, conflict.end - conflict.begin);
                });
  count_records(before, shadow.records());
  if (kind != AccessKind::atomic_add) check_signals(later, address, bytes);
}

HappensBefore::Cell& HappensBefore::cell(GlobalAddress address) {
  const auto [known, is_new] =
      cell_index_.try_emplace(cell_key(address), static_cast<std::uint32_t>(cells_.size()));
  if (!is_new) return cells_[known->second];
  if (address.device >= devices_.size()) devices_.resize(address.device + 1);
  devices_[address.device].cells.emplace(address.offset_bytes, known->second);
  Cell& cell = cells_.emplace_back();
  cell.address = address;
  cell.plainly_accessed = true;  // perhaps, before it became a cell
  count_records(0, cell.history.records());
  return cell;
}

void HappensBefore::issue_notify(const Event& event) {
  if (!complete_) return;
  const AccessRecord by = record(event);
  ThreadState& state = threads_[by.thread];
  state.issued.emplace_back(by.index, snapshot(state));
}

ClockSnapshot HappensBefore::clock_of_notify(const AccessRecord& record) {
  ThreadState& state = threads_[record.thread];
  const auto issued = std::ranges::find(state.issued, record.index,
                                        &std::pair<std::uint32_t, ClockSnapshot>::first);
  if (issued == state.issued.end()) return snapshot(state);
  ClockSnapshot clock = std::move(issued->second);
  state.issued.erase(issued);
  return clock;
}

void HappensBefore::notify(const Event& event, const TNotify& notify, std::int32_t after) {
  if (!complete_) return;
  const AccessRecord by = record(event);
  const ClockSnapshot clock = clock_of_notify(by);
  drop_clocks(threads_[by.thread], by.index);
  Cell& at = cell(notify.cell);
  if (at.plainly_accessed) {
    const std::uint64_t begin = notify.cell.offset_bytes;
    const bool is_set = notify.op == NotifyOp::set;
    const RaceFinding::Side later{order_.device_of_thread[by.thread], by,
                                  is_set ? AccessKind::write : AccessKind::atomic_add, true};
    at.plainly_accessed = devices_[notify.cell.device].shadow.check(
        {begin, begin + kSignalBytes, AccessKind::atomic_add, by}, *clock,
        [&](const Conflict& conflict) {
          report(conflict.kind,
                 {order_.device_of_thread[conflict.earlier.thread], conflict.earlier,
                  conflict.earlier_kind, false},
                 later, {notify.cell.device, conflict.begin}, conflict.end - conflict.begin);
        });
  }
  const std::size_t before = at.history.records() + signals_.records();
  signals_.notify(notify.cell,
                  {by, order_.device_of_thread[by.thread], notify.op, notify.value, after,
                   threads_[by.thread].accesses},
                  *clock);
  at.history.land({by, clock, notify.op, notify.value}, after);
  count_records(before, at.history.records() + signals_.records());
}

void HappensBefore::acquire(Thread thread, GlobalAddress address,
                            const SignalHistory::Condition& condition) {
  Cell& at = cell(address);
  if (!at.first_waiter) at.first_waiter = thread;
  if (at.first_waiter != thread &&
      std::ranges::find(at.more_waiters, thread) == at.more_waiters.end()) {
    at.more_waiters.push_back(thread);
  }
  ThreadState& state = threads_[thread];
  const std::size_t before = at.history.records();
  at.history.acquire(thread, state.clock, condition);
  state.snapshot = nullptr;
  count_records(before, at.history.records());
}

void HappensBefore::wait(const Event& event, const TWait& wait) {
  if (!complete_) return;
  const AccessRecord by = record(event);
  keep_clock(threads_[by.thread], by.index);
  const SignalHistory::Condition condition{wait.expected, wait.cmp == WaitCmp::eq, false};
  const std::size_t before = signals_.records();
  signals_.wait(wait.cell, {by, order_.device_of_thread[by.thread], condition},
                threads_[by.thread].clock);
  count_records(before, signals_.records());
  acquire(by.thread, wait.cell, condition);
}

void HappensBefore::meet(std::uint32_t task, const TDeferWait& condition) {
  if (!complete_) return;
  signals_.expect(condition.cell, condition.expected);
  acquire(order_.tasks[task].thread, condition.cell, {condition.expected, false, true});
}

std::vector<RaceFinding> HappensBefore::findings() const {
  std::vector<RaceFinding> all;
  all.reserve(findings_.size());
  for (const auto& [key, finding] : findings_)
    all.push_back(finding);
  return all;
}

}  // namespace a2a3::isa
