// SPDX-License-Identifier: Apache-2.0
#include "sim/core/task_board.hpp"

#include <algorithm>
#include <cstring>

namespace a2a3::sim {

TaskBoard::TaskBoard(const sc_core::sc_module_name& name, isa::TaskQueue* queue,
                     GlobalMemory& memory, Picoseconds poll_interval, RunControl& control)
    : sc_module(name),
      queue_(queue),
      memory_(memory),
      poll_interval_(std::max<Picoseconds>(poll_interval, 1)),
      control_(control) {
  SC_HAS_PROCESS(TaskBoard);
  SC_METHOD(poll);
  sensitive << wake_;
  dont_initialize();
}

void TaskBoard::add_condition(const Origin& origin, const isa::TDeferWait& condition) {
  conditions_[origin.task].push_back(std::make_unique<Condition>(*this, origin, condition));
}

/// What the cell holds now; in a run without data it must not be data.
bool TaskBoard::holds(const Condition& condition) {
  if (!memory_.knows(condition.condition.cell.offset_bytes, sizeof(std::int32_t)))
    control_.need_data(condition.origin);
  return isa::condition_holds(condition.condition, value_of(condition));
}

std::int32_t TaskBoard::value_of(const Condition& condition) const {
  std::int32_t value = 0;
  std::memcpy(&value, memory_.contents().data() + condition.condition.cell.offset_bytes,
              sizeof value);
  return value;
}

bool TaskBoard::settle(Conditions& conditions) {
  std::erase_if(conditions, [this](const std::unique_ptr<Condition>& one) {
    if (!holds(*one)) return false;
    if (one->watched) memory_.unwatch(*one);
    return true;
  });
  return conditions.empty();
}

void TaskBoard::complete(std::uint32_t task, Picoseconds now) {
  queue_->complete(task);
  const auto idle = std::exchange(idle_, {});
  for (const auto& [core, waiter] : idle)
    waiter->look_again(now);
}

void TaskBoard::ended(std::uint32_t task, Picoseconds now) {
  queue_->ended(task);
  auto own = conditions_.extract(task);
  if (own.empty() || settle(own.mapped())) return complete(task, now);
  for (const auto& condition : own.mapped()) {
    condition->since = now;
    condition->watched = true;
    memory_.watch(condition->condition.cell.offset_bytes, *condition);
  }
  ended_.insert(std::move(own));
  // The core is free: a task that is ready already can have it.
  const auto idle = std::exchange(idle_, {});
  for (const auto& [core, waiter] : idle)
    waiter->look_again(now);
}

/// In the process of the writer: the poll that sees the new value comes later. Polls follow each
/// other at their interval from the end of the task on.
void TaskBoard::look_at(const Condition& condition) {
  if (!holds(condition)) return;
  const Picoseconds now = sc_core::sc_time_stamp().value();
  const Picoseconds since = now - condition.since;
  const Picoseconds polls = std::max<Picoseconds>((since + poll_interval_ - 1) / poll_interval_, 1);
  wake_.notify(sc_core::sc_time::from_value(condition.since + polls * poll_interval_ - now));
}

void TaskBoard::poll() {
  if (control_.stopped) return;
  const Picoseconds now = sc_core::sc_time_stamp().value();
  for (auto task = ended_.begin(); task != ended_.end();) {
    if (!settle(task->second)) {
      ++task;
      continue;
    }
    const std::uint32_t number = task->first;
    task = ended_.erase(task);
    complete(number, now);
  }
}

std::vector<TaskBoard::Pending> TaskBoard::pending() const {
  std::vector<Pending> pending;
  for (const auto& [task, conditions] : ended_) {
    for (const auto& one : conditions)
      pending.push_back({one->origin, one->condition, value_of(*one), one->since});
  }
  return pending;
}

}  // namespace a2a3::sim
