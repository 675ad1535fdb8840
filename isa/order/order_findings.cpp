// SPDX-License-Identifier: Apache-2.0
// What HappensBefore has to say when the run is over.
#include <algorithm>
#include <utility>

#include "isa/order/hang_search.hpp"
#include "isa/order/happens_before.hpp"
#include "isa/order/race_waits.hpp"

namespace a2a3::isa {

/// A read behind an idle wait is meant to come after the write, whatever data it had before.
void HappensBefore::name_idle_wait(RaceFinding& finding, const RaceWaits& waits) const {
  if (finding.kind != RaceKind::write_after_read && finding.kind != RaceKind::read_before_write)
    return;
  const bool reads_later = finding.later.kind == AccessKind::read;
  const AccessRecord& read = reads_later ? finding.later.record : finding.earlier.record;
  const AccessRecord& write = reads_later ? finding.earlier.record : finding.later.record;
  const auto idle = idle_.before(read, [&](std::uint32_t cell) {
    if (waits.asks_for_all(read.thread, cell)) return false;
    bool announces = false;
    cells_[cell].history.for_each([&](const AccessRecord& signal, NotifyOp /*op*/) {
      announces |= signal.thread == write.thread && signal.index >= write.index;
    });
    return announces;
  });
  const auto wait = idle ? std::nullopt : waits.before(read, write);
  const bool is_meant = wait && wait->bond == RaceWait::Bond::meant;
  if (!idle && !is_meant) return;
  finding.kind = RaceKind::read_before_write;
  finding.idle = idle ? RaceFinding::IdleWait{cells_[idle->cell].address, idle->source}
                      : RaceFinding::IdleWait{cells_[wait->cell].address, wait->source};
}

/// Which side has to wait for the other, and what it waits for instead.
void HappensBefore::name_waits(RaceFinding& finding, const RaceWaits& waits) const {
  const bool reads_later = finding.later.kind == AccessKind::read && !finding.later.is_signal;
  finding.is_turned = (finding.kind == RaceKind::read_before_write && !reads_later) ||
                      (finding.kind == RaceKind::write_after_read && reads_later);
  for (const std::uint32_t cell : waits.waited_before(finding.second().record))
    finding.second_waited.push_back(cells_[cell].address);
  std::ranges::sort(finding.second_waited);
  finding.wait = waits.before(finding.second().record, finding.first().record);
}

std::vector<RaceFinding> HappensBefore::findings() const {
  std::vector<RaceFinding> all;
  if (findings_.empty()) return all;
  const RaceWaits waits(trace_, clocks_.order());
  all.reserve(findings_.size());
  for (const auto& [key, finding] : findings_) {
    all.push_back(finding);
    name_idle_wait(all.back(), waits);
    name_waits(all.back(), waits);
  }
  return all;
}

SignalVerdict HappensBefore::judge_signals() const {
  if (!is_complete()) return {signals_.findings(false)};  // what came later is not known
  if (!signals_.is_contested()) return {signals_.findings(true)};
  const HangSearch search = search_hang(trace_, clocks_.order(), max_records_);
  std::vector<SignalFinding> all = signals_.findings(true, [&](const CellWaits::Wait& wait,
                                                               std::uint32_t cell) {
    if (search.outcome == HangSearch::Outcome::none) return false;
    return !search.all_stuck || search.all_stuck->contains({wait.by.thread, wait.by.source, cell});
  });
  const bool is_told = std::ranges::any_of(all, [](const SignalFinding& one) {
    return one.fault == SignalFault::missed_value || one.fault == SignalFault::lost_credit;
  });
  if (is_told || search.outcome != HangSearch::Outcome::found)
    return {std::move(all), is_told || search.outcome != HangSearch::Outcome::undecided};
  SignalFinding& hang = all.emplace_back();
  hang.fault = SignalFault::joint_hang;
  for (const HangSearch::Stuck& one : search.stuck) {
    const std::uint32_t waiting = device(one.thread);
    hang.stuck.push_back({{waiting, one.source, one.condition.expected},
                          cells_[one.cell].address,
                          one.value,
                          one.condition.exactly});
  }
  const SignalFinding::Stuck& first = hang.stuck.front();
  hang.cell = first.cell;
  hang.subject = first.wait;
  hang.cell_value = first.cell_value;
  hang.exactly = first.exactly;
  hang.count = 1;
  hang.devices.insert(first.wait.device);
  return {std::move(all)};
}

}  // namespace a2a3::isa
