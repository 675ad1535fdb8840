// SPDX-License-Identifier: Apache-2.0
#include "isa/order/sync_units.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace a2a3::isa {

SyncUnits::SyncUnits(const SyncTrace& trace, const TaskOrder& order)
    : order_(order), launches_(order.after.size()), running_(order.device_of_thread.size(), 0) {
  enter_tasks();
  for (const SyncTrace::Event& event : trace.events())
    std::visit([&](const auto& one) { enter(one); }, event);
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit) {
    std::ranges::stable_sort(units_[unit].steps, {}, &Step::index);
    for (Step& step : units_[unit].steps)
      judge(step);
    enter_uses(unit);
  }
}

const std::vector<std::uint32_t>& SyncUnits::launches_before(const Unit& unit) const {
  static const std::vector<std::uint32_t> kNone;
  return unit.is_condition ? kNone : order_.after[unit.launch];
}

void SyncUnits::enter_tasks() {
  std::map<Thread, std::uint32_t> last;
  for (std::uint32_t task = 0; task < order_.tasks.size(); ++task) {
    const auto& [thread, launch] = order_.tasks[task];
    Unit& unit = units_.emplace_back();
    unit.thread = thread;
    unit.launch = launch;
    const auto [before, is_first] = last.try_emplace(thread, task);
    if (!is_first) unit.after = std::exchange(before->second, task);
    launches_[launch].push_back(task);
  }
}

void SyncUnits::enter(const SyncTrace::Begin& begin) {
  running_[order_.tasks[begin.task].thread] = begin.task;
}

void SyncUnits::grow(std::uint32_t cell) {
  if (cell < cells_.size()) return;
  cells_.resize(cell + 1);
  courses_.resize(cell + 1);
}

void SyncUnits::enter(const SyncTrace::Signal& signal) {
  grow(signal.cell);
  Cell& cell = cells_[signal.cell];
  Course& course = courses_[signal.cell];
  if (!cell.initial) {
    cell.initial = signal.before;
    course.highest_start = course.lowest_start = signal.before;
    for (const SignalHistory::Condition& one : course.early)
      is_overwritten_ |= !one.holds(signal.before);
  } else if (course.value != signal.before) {
    is_overwritten_ = true;
  }
  course.value = signal.after();
  const std::uint32_t unit = running_[signal.thread];
  course.senders.insert(unit);
  if (signal.op == NotifyOp::set) {
    course.set_falls |= signal.value < signal.before;
    course.highest_start = std::max(course.highest_start, signal.value);
    course.lowest_start = std::min(course.lowest_start, signal.value);
  } else {
    course.is_lowered |= signal.value < 0;
    (signal.value < 0 ? course.subtracted : course.added) += signal.value;
  }
  Step& step = units_[unit].steps.emplace_back();
  step.cell = signal.cell;
  step.op = signal.op;
  step.value = signal.value;
  step.index = signal.index;
}

/// What no signal has made true, something else has written.
void SyncUnits::enter_end(std::uint32_t cell, const SignalHistory::Condition& condition) {
  grow(cell);
  if (cells_[cell].initial) {
    is_overwritten_ |= !condition.holds(courses_[cell].value);
  } else {
    courses_[cell].early.push_back(condition);
  }
}

void SyncUnits::enter(const SyncTrace::Wait& wait) {
  enter_end(wait.cell, wait.condition);
  units_[running_[wait.thread]].steps.push_back(
      {wait.cell,
       wait.condition.exactly ? CellEffect::exactly : CellEffect::at_least,
       {},
       0,
       wait.condition,
       wait.source,
       wait.index});
}

void SyncUnits::enter(const SyncTrace::Meet& meet) {
  enter_end(meet.cell, meet.condition);
  courses_[meet.cell].is_unsigned |= meet.condition.is_unsigned;
  const auto& [thread, launch] = order_.tasks[meet.task];
  launches_[launch].push_back(static_cast<std::uint32_t>(units_.size()));
  Unit& unit = units_.emplace_back();
  unit.thread = thread;
  unit.launch = launch;
  unit.is_condition = true;
  unit.after = meet.task;
  unit.steps.push_back({meet.cell, CellEffect::at_least, {}, 0, meet.condition, meet.source, 0});
}

/// Whether a larger sum is a larger value to all who wait.
bool SyncUnits::Course::is_plain() const {
  using Limits = std::numeric_limits<std::int32_t>;
  return highest_start + added <= Limits::max() && lowest_start + subtracted >= Limits::min() &&
         !(is_unsigned && lowest_start + subtracted < 0);
}

void SyncUnits::judge(Step& step) const {
  if (step.is_wait()) return;
  const Course& course = courses_[step.cell];
  const bool is_set = step.op == NotifyOp::set;
  const bool raises = is_set ? course.senders.size() == 1 && !course.is_lowered && !course.set_falls
                             : step.value >= 0;
  if (!course.is_plain() || (is_set && !raises)) {
    step.effect = CellEffect::replace;
  } else {
    step.effect = raises ? CellEffect::raise : CellEffect::lower;
  }
}

void SyncUnits::enter_uses(std::uint32_t unit) {
  const std::vector<Step>& steps = units_[unit].steps;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    std::vector<Use>& uses = cells_[steps[i].cell].uses;
    if (uses.empty() || uses.back().unit != unit) uses.push_back({unit, {}});
    uses.back().end[static_cast<std::size_t>(steps[i].effect)] = i + 1;
  }
}

}  // namespace a2a3::isa
