// SPDX-License-Identifier: Apache-2.0
#include "isa/order/thread_clocks.hpp"

#include <algorithm>

namespace a2a3::isa {

ThreadClocks::ThreadClocks(TaskOrder order)
    : order_(std::move(order)),
      threads_(order_.device_of_thread.size()),
      completed_(order_.after.size()),
      followers_(order_.after.size(), 0) {
  // The clocks of all threads, and as many snapshots.
  records_ = 2 * threads_.size() * (threads_.size() * sizeof(std::uint32_t) / kBytesPerRecord);
  for (const TaskOrder::Task& task : order_.tasks) {
    for (const std::uint32_t before : order_.after[task.launch])
      ++followers_[before];
  }
}

AccessRecord ThreadClocks::place(std::uint32_t task, std::uint32_t sync_index, SourceId source) {
  const Thread thread = order_.tasks[task].thread;
  State& state = threads_[thread];
  const std::uint32_t index = state.base + sync_index;
  state.last = std::max(state.last, index);
  return {thread, index, source, false, task};
}

const ClockSnapshot& ThreadClocks::snapshot(Thread thread) {
  State& state = threads_[thread];
  if (state.snapshot == nullptr) state.snapshot = std::make_shared<const VectorClock>(state.clock);
  return state.snapshot;
}

VectorClock& ThreadClocks::change(Thread thread) {
  threads_[thread].snapshot = nullptr;
  return threads_[thread].clock;
}

void ThreadClocks::begin_task(std::uint32_t task) {
  const TaskOrder::Task& now = order_.tasks[task];
  State& state = threads_[now.thread];
  if (state.clock.threads() == 0) state.clock = VectorClock(threads_.size());
  state.base = state.last + 1;
  state.last = state.base;
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
  completed_[now.launch].push_back({now.thread, threads_[now.thread].last, snapshot(now.thread)});
}

}  // namespace a2a3::isa
