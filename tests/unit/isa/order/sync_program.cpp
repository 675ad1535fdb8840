// SPDX-License-Identifier: Apache-2.0
#include "sync_program.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "isa/order/sync_index.hpp"

namespace a2a3::isa {
namespace {

constexpr std::uint32_t kFirstIndex = 1;  // ThreadClocks begins there

}  // namespace

void SyncProgram::add(Thread thread, const std::variant<Signal, Wait>& what) {
  std::vector<Operation>& operations = threads_[thread];
  operations.push_back({what, 0});
  SyncIndex sync;
  for (Operation& one : operations) {
    const bool is_wait = std::holds_alternative<Wait>(one.what);
    one.index = kFirstIndex + (is_wait ? sync.of(TWait{}) : sync.of(TNotify{}));
  }
}

TaskOrder SyncProgram::order() const {
  TaskOrder order;
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) {
    order.tasks.push_back({thread, thread});
    order.after.push_back(after_[thread]);
    order.device_of_thread.push_back(thread);
  }
  return order;
}

std::vector<SyncProgram::WaitId> SyncProgram::waits() const {
  std::vector<WaitId> all;
  for (Thread thread = 0; thread < threads_.size(); ++thread) {
    std::size_t count = 0;
    for (const Operation& one : threads_[thread]) {
      if (std::holds_alternative<Wait>(one.what)) all.emplace_back(thread, count++);
    }
  }
  return all;
}

std::uint32_t SyncProgram::indices(Thread thread) const {
  return threads_[thread].empty() ? kFirstIndex : threads_[thread].back().index + 1;
}

SyncProgram::State SyncProgram::start() const {
  return {std::vector<std::size_t>(threads_.size(), 0), std::vector<std::int32_t>(cells_, 0)};
}

bool SyncProgram::can_step(const State& state, Thread thread) const {
  const auto is_done = [&](Thread one) { return state.done[one] == threads_[one].size(); };
  if (is_done(thread) || !std::ranges::all_of(after_[thread], is_done)) return false;
  const auto* wait = std::get_if<Wait>(&threads_[thread][state.done[thread]].what);
  if (wait == nullptr) return true;
  const std::int32_t value = state.cells[wait->cell];
  return wait->exactly ? value == wait->expected : value >= wait->expected;
}

void SyncProgram::step(State& state, Thread thread) const {
  const Operation& now = threads_[thread][state.done[thread]++];
  if (const auto* signal = std::get_if<Signal>(&now.what)) {
    std::int32_t& cell = state.cells[signal->cell];
    cell = signal->op == NotifyOp::set ? signal->value : cell + signal->value;
  }
}

bool SyncProgram::may_step(const State& state, Thread thread, Thread stopped,
                           std::uint32_t index) const {
  return can_step(state, thread) &&
         (thread != stopped || threads_[thread][state.done[thread]].index < index);
}

std::optional<SyncTrace> SyncProgram::run(std::mt19937_64& random) const {
  SyncTrace trace;
  State state = start();
  for (;;) {
    std::vector<Thread> able;
    bool is_over = true;
    for (Thread thread = 0; thread < threads_.size(); ++thread) {
      if (can_step(state, thread)) able.push_back(thread);
      is_over = is_over && state.done[thread] == threads_[thread].size();
    }
    if (is_over) return trace;
    if (able.empty()) return std::nullopt;
    const Thread thread = able[random() % able.size()];
    const Operation& now = threads_[thread][state.done[thread]];
    if (state.done[thread] == 0) trace.add(SyncTrace::Begin{thread, kFirstIndex});
    const std::vector<std::int32_t> before = state.cells;
    step(state, thread);
    if (const auto* signal = std::get_if<Signal>(&now.what)) {
      trace.add(SyncTrace::Signal{thread, now.index, signal->cell, signal->op, signal->value,
                                  before[signal->cell]});
    } else {
      const auto& wait = std::get<Wait>(now.what);
      trace.add(
          SyncTrace::Wait{thread, now.index, wait.cell, {wait.expected, wait.exactly, false}});
    }
    if (state.done[thread] == threads_[thread].size())
      trace.add(SyncTrace::Complete{thread, now.index});
  }
}

std::set<SyncProgram::WaitId> SyncProgram::can_end(Thread stopped, std::uint32_t index) const {
  std::vector<std::size_t> furthest(threads_.size(), 0);
  std::set<State> seen{start()};
  std::vector<State> open{start()};
  while (!open.empty()) {
    const State state = std::move(open.back());
    open.pop_back();
    for (Thread thread = 0; thread < threads_.size(); ++thread) {
      if (!may_step(state, thread, stopped, index)) continue;
      State next = state;
      step(next, thread);
      furthest[thread] = std::max(furthest[thread], next.done[thread]);
      if (seen.insert(next).second) open.push_back(std::move(next));
    }
  }
  std::set<WaitId> ended;
  for (Thread thread = 0; thread < threads_.size(); ++thread) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < furthest[thread]; ++i) {
      if (std::holds_alternative<Wait>(threads_[thread][i].what)) ended.emplace(thread, count++);
    }
  }
  return ended;
}

std::set<SyncProgram::WaitId> SyncProgram::can_end_greedily(Thread stopped,
                                                            std::uint32_t index) const {
  State state = start();
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (Thread thread = 0; thread < threads_.size(); ++thread) {
      while (may_step(state, thread, stopped, index)) {
        step(state, thread);
        goes_on = true;
      }
    }
  }
  std::set<WaitId> ended;
  for (Thread thread = 0; thread < threads_.size(); ++thread) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < state.done[thread]; ++i) {
      if (std::holds_alternative<Wait>(threads_[thread][i].what)) ended.emplace(thread, count++);
    }
  }
  return ended;
}

bool SyncProgram::can_hang() const {
  std::set<State> seen{start()};
  std::vector<State> open{start()};
  while (!open.empty()) {
    const State state = std::move(open.back());
    open.pop_back();
    bool goes_on = false;
    bool is_over = true;
    for (Thread thread = 0; thread < threads_.size(); ++thread) {
      is_over = is_over && state.done[thread] == threads_[thread].size();
      if (!can_step(state, thread)) continue;
      goes_on = true;
      State next = state;
      step(next, thread);
      if (seen.insert(next).second) open.push_back(std::move(next));
    }
    if (!goes_on && !is_over) return true;
  }
  return false;
}

std::string SyncProgram::text() const {
  std::string text;
  for (Thread thread = 0; thread < threads_.size(); ++thread) {
    text += fmt::format("thread {}, after [{}]:", thread, fmt::join(after_[thread], ", "));
    for (const Operation& one : threads_[thread]) {
      if (const auto* signal = std::get_if<Signal>(&one.what)) {
        text += fmt::format(" [{}] cell {} {} {};", one.index, signal->cell,
                            signal->op == NotifyOp::set ? "=" : "+=", signal->value);
      } else {
        const auto& wait = std::get<Wait>(one.what);
        text += fmt::format(" [{}] wait cell {} {} {};", one.index, wait.cell,
                            wait.exactly ? "==" : ">=", wait.expected);
      }
    }
    text += "\n";
  }
  return text;
}

SyncProgram draw_program(const SyncMix& mix, std::size_t most_threads, std::size_t most_operations,
                         std::mt19937_64& random) {
  const auto up_to = [&](std::size_t n) { return random() % n; };
  const std::size_t threads = 2 + up_to(most_threads - 1);
  const std::size_t cells = 1 + up_to(3);
  SyncProgram program(threads, cells);
  for (Thread thread = 0; thread < threads; ++thread) {
    if (thread > 0 && up_to(6) == 0)
      program.begin_after(thread, static_cast<Thread>(up_to(thread)));
    for (std::size_t n = 1 + up_to(most_operations); n > 0; --n) {
      const auto cell = static_cast<std::uint32_t>(up_to(cells));
      const auto value =
          static_cast<std::int32_t>(1 + up_to(static_cast<std::size_t>(mix.most_added)));
      if (up_to(5) < 2) {
        const bool exactly = static_cast<int>(up_to(10)) < mix.exact_in_ten;
        program.add(thread,
                    SyncProgram::Wait{cell, static_cast<std::int32_t>(1 + up_to(4)), exactly});
      } else if (static_cast<int>(up_to(10)) < mix.sets_in_ten) {
        program.add(thread,
                    SyncProgram::Signal{cell, NotifyOp::set, static_cast<std::int32_t>(up_to(4))});
      } else {
        program.add(thread, SyncProgram::Signal{cell, NotifyOp::atomic_add,
                                                mix.takes_back && up_to(3) == 0 ? -1 : value});
      }
    }
  }
  return program;
}

}  // namespace a2a3::isa
