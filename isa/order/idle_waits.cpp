// SPDX-License-Identifier: Apache-2.0
#include "isa/order/idle_waits.hpp"

#include <algorithm>

namespace a2a3::isa {
namespace {

/// Whether all values that satisfy the first condition satisfy the second one.
bool is_implied(const SignalHistory::Condition& first, const SignalHistory::Condition& second) {
  return !first.exactly && !second.exactly && first.is_unsigned == second.is_unsigned &&
         second.expected > 0 && second.holds(first.expected);
}

}  // namespace

IdleWaits::Cell& IdleWaits::cell(std::uint32_t number) {
  records_ += cells_.grow(number + 1) * records_of(sizeof(Cell));
  return cells_[number];
}

void IdleWaits::lower(std::uint32_t cell, const AccessRecord& by) {
  Cell& lowered = this->cell(cell);
  ++lowered.lowerings;
  lowered.lowered = by;
}

/// A lowering between the two waits that the thread knows of makes the second one ask for a signal
/// of its own, which the thread happens to know of by another way.
bool IdleWaits::is_idle(const Cell& cell, const Ended& ended, const VectorClock& clock) {
  if (ended.learned) return false;
  const Thread thread = ended.by.thread;
  return std::ranges::any_of(cell.waits, [&](const Cell::Wait& earlier) {
    const bool lowered =
        cell.lowerings > earlier.lowerings && cell.lowered->is_known_to(thread, clock);
    return !lowered && is_implied(earlier.condition, ended.condition) &&
           earlier.by.is_known_to(thread, clock);
  });
}

void IdleWaits::wait(const Ended& ended, const VectorClock& clock,
                     const std::function<bool(std::uint32_t, std::uint32_t)>& same_sender) {
  const Thread thread = ended.by.thread;
  if (thread >= open_.size()) {
    open_.resize(thread + 1);
    stretches_.resize(thread + 1);
  }
  std::vector<Stretch>& stretches = stretches_[thread];
  std::vector<std::size_t>& open = open_[thread];
  Cell& cell = this->cell(ended.cell);
  if (is_idle(cell, ended, clock)) {
    const bool is_open = std::ranges::any_of(
        open, [&](std::size_t one) { return stretches[one].idle.cell == ended.cell; });
    if (!is_open) {
      open.push_back(stretches.size());
      stretches.push_back({ended.by.index, {}, {ended.cell, ended.by.source}});
      ++records_;
    }
  } else if (ended.learned) {
    std::erase_if(open, [&](std::size_t one) {
      Stretch& stretch = stretches[one];
      if (!same_sender(stretch.idle.cell, ended.cell)) return false;
      stretch.end = ended.by.index;
      return true;
    });
  }
  records_ += cell.waits.put({ended.by, ended.condition, cell.lowerings}) ? 1 : 0;
}

std::optional<IdleWaits::Idle> IdleWaits::before(
    const AccessRecord& access, const std::function<bool(std::uint32_t)>& counts) const {
  if (access.thread >= stretches_.size()) return std::nullopt;
  for (const Stretch& stretch : stretches_[access.thread]) {
    if (access.index < stretch.begin || (stretch.end && access.index >= *stretch.end)) continue;
    if (counts(stretch.idle.cell)) return stretch.idle;
  }
  return std::nullopt;
}

}  // namespace a2a3::isa
