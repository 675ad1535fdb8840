// SPDX-License-Identifier: Apache-2.0
#include "isa/order/signal_check.hpp"

#include <algorithm>
#include <utility>

namespace a2a3::isa {
namespace {

/// Whether all values that satisfy the first condition satisfy the second one.
bool implies(const SignalHistory::Condition& first, const SignalHistory::Condition& second) {
  if (second.exactly) return first.exactly && first.expected == second.expected;
  return first.is_unsigned == second.is_unsigned && second.holds(first.expected);
}

SignalFinding::Side side(const CellWaits::Signal& notify) {
  return {notify.device, notify.by.source, notify.value};
}
SignalFinding::Side side(const SignalCheck::Wait& wait) {
  return {wait.device, wait.by.source, wait.condition.expected};
}

}  // namespace

SignalCheck::Cell& SignalCheck::cell(const Place& place) {
  records_ += cells_.grow(place.number + 1) * records_of(sizeof(Cell));
  Cell& cell = cells_[place.number];
  cell.address = place.address;
  return cell;
}

SignalFinding& SignalCheck::enter(std::map<Key, SignalFinding>& findings, SignalFault fault,
                                  GlobalAddress cell, const SignalFinding::Side& subject,
                                  const SignalFinding::Side& other) {
  const auto [at, is_new] = findings.try_emplace({fault, subject.source, other.source});
  SignalFinding& finding = at->second;
  if (is_new) {
    finding.fault = fault;
    finding.cell = cell;
    finding.subject = subject;
    finding.other = other;
  }
  ++finding.count;
  finding.devices.insert(subject.device);
  return finding;
}

const SignalCheck::Sent* SignalCheck::repeated(const Cell& cell, const Sent& add,
                                               const VectorClock& clock) const {
  for (auto earlier = cell.adds.from(std::pair(add.device, Thread{0}));
       earlier != cell.adds.end() && earlier->device == add.device; ++earlier) {
    if (earlier->by.thread != add.by.thread) {
      if (earlier->by.source == add.by.source && !earlier->by.is_known_to(add.by.thread, clock))
        return &*earlier;
      continue;
    }
    const bool waited =
        add.by.thread < last_wait_.size() && last_wait_[add.by.thread] > earlier->by.index;
    if (!waited && earlier->accesses == add.accesses) return &*earlier;
  }
  return nullptr;
}

void SignalCheck::notify(const Place& place, const Notify& notify, const VectorClock& clock) {
  const bool is_set = notify.op == NotifyOp::set;
  Cell& cell = this->cell(place);
  const Sent sent{notify, notify.accesses};
  const auto may_lose = [&](const auto& earlier_ones) {
    for (const Sent& earlier : earlier_ones) {
      if (earlier.by.is_known_to(sent.by.thread, clock)) continue;
      const Sent& set = is_set ? sent : earlier;
      const Sent& add = is_set ? earlier : sent;
      enter(findings_, SignalFault::lost_credit, place.address, side(set), side(add));
    }
  };
  if (is_set) {
    may_lose(cell.adds);
  } else {
    may_lose(cell.sets);
  }
  for (const Sent& earlier : cell.sets) {
    if (!is_set || earlier.value == sent.value || earlier.by.is_known_to(sent.by.thread, clock))
      continue;
    const auto [first, second] = std::minmax(earlier, sent, [](const Sent& a, const Sent& b) {
      return std::pair(a.by.source, a.device) < std::pair(b.by.source, b.device);
    });
    enter(findings_, SignalFault::competing_sets, place.address, side(first), side(second));
  }
  if (cell.waits.landed() == 0) {
    cell.initial = notify.cell.before;
    cell.value = notify.cell.before;
  }
  const bool is_overwritten = cell.value != notify.cell.before;
  if (is_overwritten) cell.waits.overwrite();
  const std::size_t before = cell.waits.records();
  cell.waits.land(notify, clock);
  records_ += cell.waits.records() - before;
  if (is_set || notify.value < 0 || is_overwritten) cell.lowered = cell.waits.landed();
  cell.value = notify.cell.after;
  cell.cleared.reset();
  if (!is_set && notify.value < 0 && notify.cell.after == 0 &&
      notify.device == place.address.device)
    cell.cleared = side(notify);
  if (!is_set && notify.value > 0) {
    if (const Sent* earlier = repeated(cell, sent, clock)) {
      cell.first = earlier->by.source;
      cell.twice = side(sent);
    }
  }
  if (!is_set && notify.value == 0) return;
  records_ += (is_set ? cell.sets.put(sent) : cell.adds.put(sent)) ? 1 : 0;
}

void SignalCheck::wait(const Place& place, const Wait& wait, std::int32_t value,
                       const VectorClock& clock) {
  Cell& cell = this->cell(place);
  const CellWaits::Ended* implied = cell.waits.find_last([&](const CellWaits::Ended& ended) {
    const bool changed =
        wait.condition.exactly ? cell.waits.landed() > ended.landed : cell.lowered > ended.landed;
    return !changed && implies(ended.wait.condition, wait.condition) &&
           ended.wait.by.is_known_to(wait.by.thread, clock);
  });
  if (implied != nullptr && wait.condition.expected > 0) {
    enter(findings_, SignalFault::stale_credit, place.address, side(wait), side(implied->wait))
        .exactly = wait.condition.exactly;
  }
  if (!cell.lowered && cell.waits.empty() && !wait.condition.holds(0) &&
      (cell.waits.landed() == 0 || wait.condition.holds(cell.initial))) {
    enter(findings_, SignalFault::left_before, place.address, side(wait), {}).exactly =
        wait.condition.exactly;
  }
  if (wait.by.thread >= last_wait_.size()) last_wait_.resize(wait.by.thread + 1, 0);
  last_wait_[wait.by.thread] = wait.by.index;
  end(cell, wait, value);
}

void SignalCheck::meet(const Place& place, const Wait& condition, std::int32_t value) {
  end(cell(place), condition, value);
}

void SignalCheck::end(Cell& cell, const Wait& wait, std::int32_t value) {
  const std::int32_t expected = wait.condition.expected;
  cell.most_expected = std::max(cell.most_expected.value_or(expected), expected);
  const std::size_t before = cell.waits.records();
  cell.waits.end(wait, value);
  records_ += cell.waits.records() - before;
}

void SignalCheck::read(const Place& place, std::uint32_t device, SourceId source) {
  const Cell& cell = this->cell(place);
  if (!cell.cleared) return;
  enter(findings_, SignalFault::cleared_read, place.address, {device, source, 0}, *cell.cleared);
}

/// Those that end with more than was asked for, and with a credit that was sent twice; by address.
std::vector<const SignalCheck::Cell*> SignalCheck::exceeded_cells() const {
  std::vector<const Cell*> exceeded;
  for (const Cell& cell : cells_) {
    if (!cell.lowered && cell.twice && cell.most_expected && cell.value > *cell.most_expected)
      exceeded.push_back(&cell);
  }
  std::ranges::sort(exceeded, {}, [](const Cell* cell) { return cell->address; });
  return exceeded;
}

void SignalCheck::enter_missed(std::map<Key, SignalFinding>& findings,
                               const CanHang& can_hang) const {
  for (std::uint32_t number = 0; number < cells_.size(); ++number) {
    const Cell& cell = cells_[number];
    for (const auto& [wait, missed] : cell.waits.missed()) {
      if (!can_hang(wait, number)) continue;
      SignalFinding& finding = enter(findings, SignalFault::missed_value, cell.address, side(wait),
                                     {missed.device, missed.source, missed.value});
      if (finding.count > 1) continue;
      finding.cell_value = missed.left;
      finding.exactly = wait.condition.exactly;
    }
  }
}

std::vector<SignalFinding> SignalCheck::findings(bool run_is_over, const CanHang& can_hang) const {
  std::map<Key, SignalFinding> all = findings_;
  enter_missed(all, can_hang);
  for (const Cell* one : run_is_over ? exceeded_cells() : std::vector<const Cell*>{}) {
    const Cell& cell = *one;
    SignalFinding& finding = enter(all, SignalFault::excess_credit, cell.address, *cell.twice,
                                   {cell.twice->device, cell.first, 0});
    if (finding.count > 1) continue;
    finding.cell_value = cell.value;
    finding.other.value = *cell.most_expected;
  }
  std::vector<SignalFinding> list;
  list.reserve(all.size());
  for (const auto& [key, finding] : all)
    list.push_back(finding);
  return list;
}

}  // namespace a2a3::isa
