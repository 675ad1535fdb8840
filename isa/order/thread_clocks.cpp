// SPDX-License-Identifier: Apache-2.0
#include "isa/order/thread_clocks.hpp"

#include <algorithm>

namespace a2a3::isa {

ThreadClocks::ThreadClocks(TaskOrder order, Effects effects)
    : order_(std::move(order)),
      effects_(effects),
      threads_(order_.device_of_thread.size()),
      completed_(order_.after.size()),
      followers_(order_.after.size(), 0) {
  // The clocks of all threads, and as many snapshots.
  records_ = 2 * threads_.size() * clock_records();
  for (const TaskOrder::Task& task : order_.tasks) {
    for (const std::uint32_t before : order_.after[task.launch])
      ++followers_[before];
  }
}

/// What one clock counts for.
std::size_t ThreadClocks::clock_records() const {
  return threads_.size() * sizeof(std::uint32_t) / kBytesPerRecord;
}

AccessRecord ThreadClocks::place(std::uint32_t task, std::uint32_t sync_index, SourceId source,
                                 std::uint64_t time) {
  const Thread thread = order_.tasks[task].thread;
  State& state = threads_[thread];
  const std::uint32_t index = state.base + sync_index;
  state.last = std::max(state.last, index);
  return {thread, index, source, time};
}

const ClockSnapshot& ThreadClocks::snapshot(State& thread) {
  if (thread.snapshot == nullptr)
    thread.snapshot = std::make_shared<const VectorClock>(thread.clock);
  return thread.snapshot;
}

VectorClock& ThreadClocks::change(Thread thread) {
  threads_[thread].snapshot = nullptr;
  return threads_[thread].clock;
}

VectorClock& ThreadClocks::change(Thread thread, std::uint32_t since) {
  State& state = threads_[thread];
  if (effects_ == Effects::delayed && since != state.since) {
    state.before.emplace_back(state.since, snapshot(state));
    state.since = since;
    records_ += 1 + clock_records();
  }
  return change(thread);
}

/// Everything with an index up to `until` has taken effect.
void ThreadClocks::drop_clocks(State& thread, std::uint32_t until) {
  std::size_t unused = 0;
  while (unused < thread.before.size() &&
         (unused + 1 < thread.before.size() ? thread.before[unused + 1].first : thread.since) <=
             until) {
    ++unused;
  }
  if (unused == 0) return;
  thread.before.erase(thread.before.begin(),
                      thread.before.begin() + static_cast<std::ptrdiff_t>(unused));
  records_ -= unused * (1 + clock_records());
}

const VectorClock& ThreadClocks::at(const AccessRecord& record) const {
  const State& thread = threads_[record.thread];
  for (std::size_t i = thread.before.size(); record.index < thread.since && i-- > 0;) {
    if (i == 0 || thread.before[i].first <= record.index) return *thread.before[i].second;
  }
  return thread.clock;
}

void ThreadClocks::begin_task(std::uint32_t task) {
  const TaskOrder::Task& now = order_.tasks[task];
  State& state = threads_[now.thread];
  if (state.clock.threads() == 0) state.clock = VectorClock(threads_.size());
  drop_clocks(state, state.last);
  state.base = state.last + 1;
  state.last = state.base;
  state.since = state.base;
  for (const std::uint32_t before : order_.after[now.launch]) {
    for (const Completed& one : completed_[before]) {
      if (one.thread == now.thread || state.clock.covers(one.thread, one.last)) continue;
      VectorClock& clock = change(now.thread);
      clock.join(*one.clock);
      clock.add(one.thread, one.last);
    }
    if (--followers_[before] == 0) completed_[before].clear();
  }
}

void ThreadClocks::complete_task(std::uint32_t task) {
  const TaskOrder::Task& now = order_.tasks[task];
  if (followers_[now.launch] == 0) return;
  State& state = threads_[now.thread];
  completed_[now.launch].push_back({now.thread, state.last, snapshot(state)});
}

void ThreadClocks::issue(const AccessRecord& notify) {
  State& state = threads_[notify.thread];
  state.issued.emplace_back(notify.index, snapshot(state));
}

ClockSnapshot ThreadClocks::land(const AccessRecord& notify) {
  State& state = threads_[notify.thread];
  const auto issued = std::ranges::find(state.issued, notify.index, &Held::first);
  ClockSnapshot clock;
  if (issued == state.issued.end()) {
    clock = snapshot(state);
  } else {
    clock = std::move(issued->second);
    state.issued.erase(issued);
  }
  drop_clocks(state, notify.index);
  return clock;
}

}  // namespace a2a3::isa
