// SPDX-License-Identifier: Apache-2.0
#include "concurrency.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "isa/order/operation_accesses.hpp"

namespace a2a3::sync {
namespace {

constexpr std::uint64_t kCellBytes = 4;

bool overlap(isa::GlobalAddress a, std::uint64_t a_bytes, isa::GlobalAddress b,
             std::uint64_t b_bytes) {
  return a.device == b.device && a.offset_bytes < b.offset_bytes + b_bytes &&
         b.offset_bytes < a.offset_bytes + a_bytes;
}

bool same_cell(isa::GlobalAddress a, isa::GlobalAddress b) {
  return a.device == b.device && a.offset_bytes == b.offset_bytes;
}

/// The cell of a notify or a wait.
isa::GlobalAddress cell_of(const Step& step) {
  return step.kind == Step::Kind::notify ? step.notify.cell : step.wait.cell;
}

bool is_set(const Step& step) {
  return step.notify.op == isa::NotifyOp::set;
}

}  // namespace

Step step_of(const isa::Operation& operation) {
  Step step;
  if (const auto* notify = std::get_if<isa::TNotify>(&operation)) {
    step.kind = Step::Kind::notify;
    step.notify = *notify;
  } else if (const auto* wait = std::get_if<isa::TWait>(&operation)) {
    step.kind = Step::Kind::wait;
    step.wait = *wait;
  } else if (const auto* condition = std::get_if<isa::TDeferWait>(&operation)) {
    step.kind = Step::Kind::condition;
    step.wait = {condition->cell, condition->expected};
  } else {
    isa::for_each_access(
        operation, [&](isa::AccessKind kind, isa::GlobalAddress address, std::uint64_t bytes) {
          step.accesses.push_back({kind, address, bytes});
        });
  }
  return step;
}

bool Step::operator==(const Step& other) const {
  if (kind != other.kind) return false;
  switch (kind) {
    case Kind::data:
      return accesses == other.accesses;
    case Kind::notify:
      return same_cell(notify.cell, other.notify.cell) && notify.value == other.notify.value;
    case Kind::wait:
    case Kind::condition:
      return same_cell(wait.cell, other.wait.cell) && wait.expected == other.wait.expected;
  }
  return false;
}

Concurrency::Concurrency(const Trace& trace, Predecessors before)
    : trace_(trace), before_(std::move(before)) {
  for (const auto& steps : trace) {
    for (const Step& step : steps) {
      if (step.kind == Step::Kind::data) continue;
      cells_[{cell_of(step).device, cell_of(step).offset_bytes}];
    }
  }
  for (auto& [key, cell] : cells_)
    judge(key, cell);
}

bool Concurrency::conditions_stay_met() const {
  return std::ranges::all_of(trace_, [&](const std::vector<Step>& steps) {
    return std::ranges::all_of(steps, [&](const Step& step) {
      return step.kind != Step::Kind::condition || grows(step.wait.cell);
    });
  });
}

void Concurrency::judge(const CellKey& key, Cell& cell) const {
  const isa::GlobalAddress address{key.first, key.second};
  std::set<std::size_t> waiters;
  std::set<std::size_t> setters;
  std::set<std::size_t> adders;
  std::set<std::size_t> takers;  // with negative adds
  std::int32_t last_set = 0;
  std::size_t conditions = 0;
  for (std::size_t task = 0; task < trace_.size(); ++task) {
    for (const Step& step : trace_[task]) {
      if (step.kind == Step::Kind::data) {
        for (const Step::Access& access : step.accesses) {
          if (access.kind != isa::AccessKind::read &&
              overlap(access.address, access.bytes, address, kCellBytes))
            cell.grows = false;
        }
        continue;
      }
      if (!same_cell(cell_of(step), address)) continue;
      if (step.kind == Step::Kind::condition) {
        ++conditions;
      } else if (step.kind == Step::Kind::wait) {
        waiters.insert(task);
        if (step.wait.cmp != isa::WaitCmp::ge) cell.grows = false;
      } else if (is_set(step)) {
        setters.insert(task);
        if (step.notify.value < last_set) cell.grows = false;
        last_set = step.notify.value;
      } else {
        adders.insert(task);
        if (step.notify.value < 0) takers.insert(task);
      }
    }
  }
  cell.is_set = !setters.empty();
  if (setters.size() > 1 || (!setters.empty() && !adders.empty())) cell.grows = false;
  if (!setters.empty() && waiters.contains(*setters.begin())) cell.grows = false;
  // What a task takes away is its own affair when it alone waits.
  if (!takers.empty() && conditions > 0) cell.grows = false;
  if (!takers.empty() && (takers.size() > 1 || waiters != takers)) cell.grows = false;
}

bool Concurrency::grows(isa::GlobalAddress cell) const {
  return cells_.at({cell.device, cell.offset_bytes}).grows;
}

bool Concurrency::may_pass(std::size_t task, std::size_t step, const Positions& at,
                           const Positions& reached, const ValueOf& value_of) const {
  const isa::TWait& wait = trace_[task][step].wait;
  const Cell& cell = cells_.at({wait.cell.device, wait.cell.offset_bytes});
  if (!cell.grows) return true;
  std::int64_t value = value_of(wait.cell);
  for (std::size_t other = 0; other < trace_.size(); ++other) {
    const std::size_t end = other == task ? step : reached[other];
    for (std::size_t i = at[other]; i < end; ++i) {
      const Step& signal = trace_[other][i];
      if (signal.kind != Step::Kind::notify || !same_cell(signal.notify.cell, wait.cell)) continue;
      value = cell.is_set ? std::max<std::int64_t>(value, signal.notify.value)
                          : value + signal.notify.value;
    }
  }
  return value >= wait.expected;
}

/// Conditions of those before it count as met.
bool Concurrency::may_begin(std::size_t task, const Positions& reached) const {
  return std::ranges::all_of(
      before_[task], [&](std::size_t other) { return reached[other] == trace_[other].size(); });
}

Positions Concurrency::reach(std::size_t task, const Positions& at, const ValueOf& value_of) const {
  Positions reached = at;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t other = 0; other < trace_.size(); ++other) {
      if (other == task || (reached[other] == 0 && !may_begin(other, reached))) continue;
      std::size_t& to = reached[other];
      while (to < trace_[other].size() && (trace_[other][to].kind != Step::Kind::wait ||
                                           may_pass(other, to, at, reached, value_of))) {
        ++to;
        moved = true;
      }
    }
  }
  return reached;
}

bool Concurrency::depend(const Step& a, const Step& b) const {
  using Kind = Step::Kind;
  if (a.is_local() || b.is_local()) return false;
  if (a.kind == Kind::data && b.kind == Kind::data) {
    return std::ranges::any_of(a.accesses, [&](const Step::Access& x) {
      return std::ranges::any_of(b.accesses, [&](const Step::Access& y) {
        const bool both_read = x.kind == isa::AccessKind::read && y.kind == isa::AccessKind::read;
        return !both_read && overlap(x.address, x.bytes, y.address, y.bytes);
      });
    });
  }
  if (a.kind == Kind::data || b.kind == Kind::data) {
    const Step& data = a.kind == Kind::data ? a : b;
    const Step& signal = a.kind == Kind::data ? b : a;
    return std::ranges::any_of(data.accesses, [&](const Step::Access& access) {
      const bool both_read = access.kind == isa::AccessKind::read && signal.kind == Kind::wait;
      return !both_read && overlap(access.address, access.bytes, cell_of(signal), kCellBytes);
    });
  }
  if (!same_cell(cell_of(a), cell_of(b)) || (a.kind == Kind::wait && b.kind == Kind::wait))
    return false;
  if (a.kind == Kind::notify && b.kind == Kind::notify) return is_set(a) || is_set(b);
  return !grows(cell_of(a));
}

bool Concurrency::is_independent(std::size_t task, const Positions& at,
                                 const ValueOf& value_of) const {
  const Step& next = trace_[task][at[task]];
  if (next.is_local()) return true;
  const Positions reached = reach(task, at, value_of);
  for (std::size_t other = 0; other < trace_.size(); ++other) {
    if (other == task) continue;
    for (std::size_t i = at[other]; i < reached[other]; ++i) {
      if (depend(next, trace_[other][i])) return false;
    }
  }
  return true;
}

}  // namespace a2a3::sync
