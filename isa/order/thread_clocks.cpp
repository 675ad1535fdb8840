// SPDX-License-Identifier: Apache-2.0
#include "isa/order/thread_clocks.hpp"

#include <algorithm>
#include <utility>

namespace a2a3::isa {

ThreadClocks::ThreadClocks(TaskOrder order)
    : order_(std::move(order)),
      threads_(order_.device_of_thread.size()),
      completed_(order_.after.size()),
      followers_(order_.after.size(), 0) {
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
  struct Counted {
    Counted(const VectorClock& now, std::shared_ptr<std::size_t> count)
        : clock(now), live(std::move(count)) {
      ++*live;
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() { --*live; }
    VectorClock clock;
    std::shared_ptr<std::size_t> live;
  };
  State& state = threads_[thread];
  if (state.snapshot == nullptr) {
    const auto counted = std::make_shared<const Counted>(state.clock, live_.shared());
    state.snapshot = ClockSnapshot(counted, &counted->clock);
  }
  return state.snapshot;
}

void ThreadClocks::begin_task(std::uint32_t task) {
  const TaskOrder::Task& now = order_.tasks[task];
  State& state = threads_[now.thread];
  if (state.clock.threads() == 0) state.clock = VectorClock(threads_.size());
  state.base = state.last + 1;
  state.last = state.base;
  for (const std::uint32_t before : order_.after[now.launch]) {
    VectorClock& completed = completed_[before];
    if (completed.threads() != 0)
      learn(now.thread, [&](VectorClock& clock) { return clock.join(completed); });
    if (--followers_[before] == 0 && completed.threads() != 0) {
      completed = VectorClock();
      --completed_clocks_;
    }
  }
}

void ThreadClocks::complete_task(std::uint32_t task) {
  const TaskOrder::Task& now = order_.tasks[task];
  if (followers_[now.launch] == 0) return;
  VectorClock& completed = completed_[now.launch];
  if (completed.threads() == 0) {
    completed = VectorClock(threads_.size());
    ++completed_clocks_;
  }
  completed.join(threads_[now.thread].clock);
  completed.add(now.thread, threads_[now.thread].last);
}

}  // namespace a2a3::isa
