// SPDX-License-Identifier: Apache-2.0
#include "a2a3/credit_search.hpp"

#include <algorithm>

#include "a2a3/range_name.hpp"

namespace a2a3 {
namespace {

/// Credits of a window that are looked at for the place of their sender's rank.
constexpr std::size_t kMostLookedAt = 256;

}  // namespace

CreditSearch::CreditSearch(const StuckRun& run) : run_(run) {
  for (const BlockedWaitSite& site : run.sites)
    waited_.insert(site.wait.cell);
  for (std::size_t i = 0; i < run.remaining.cores.size(); ++i)
    note_waits(run.cores[i].device, run.remaining.cores[i]);
  for (const auto& [task, work] : run.remaining.tasks)
    note_waits(run.plan.tasks[task].device, work);
  for (std::uint32_t device = 0; device < run.plan.gm_bytes.size(); ++device) {
    for (const sim::CellCredit& credit : run.log.credits(device))
      note_credit(credit);
  }
}

void CreditSearch::note_waits(std::uint32_t device, const interp::RemainingWork& work) {
  for (const interp::RemainingSignal& signal : work.signals) {
    if (!signal.is_notify()) waited_.insert(signal.cell);
  }
  for (const interp::PossibleSignal& one : work.possible) {
    if (!one.is_notify) maybe_waited_.emplace(device, one.window);
  }
  if (work.cut) maybe_waited_.emplace(device, -1);
}

bool CreditSearch::has_wait(isa::GlobalAddress cell, std::int32_t window) const {
  return run_.log.was_asked_for(cell) || waited_.contains(cell) ||
         maybe_waited_.contains({cell.device, window}) || maybe_waited_.contains({cell.device, -1});
}

void CreditSearch::note_credit(const sim::CellCredit& credit) {
  const WindowRegion region = window_of(run_.plan, credit.cell);
  if (region.index < 0 || credit.sum <= 0) return;
  note_sender(credit, region.index);
  if (has_wait(credit.cell, region.index)) return;
  const auto window = static_cast<std::uint64_t>(region.index);
  const std::uint64_t offset = credit.cell.offset_bytes - region.begin;
  by_window_[{credit.cell.device, window}].push_back(lost_.size());
  by_place_[{window, offset}].push_back(lost_.size());
  by_device_[{credit.cell.device, offset}].push_back(lost_.size());
  lost_.push_back(credit);
}

void CreditSearch::note_sender(const sim::CellCredit& credit, std::int32_t window) {
  Senders& senders = senders_[window];
  std::vector<bool>& line = senders.by_line[credit.source];
  if (line.size() <= credit.from_device) line.resize(credit.from_device + 1, false);
  line[credit.from_device] = true;
  if (credit.from_device == credit.cell.device || senders.looked_at >= kMostLookedAt) return;
  const auto& devices =
      run_.plan.domains[run_.plan.windows[static_cast<std::size_t>(window)].domain].devices;
  const auto rank = std::ranges::find(devices, credit.from_device) - devices.begin();
  const std::vector<std::int64_t> index = name_cell(run_.plan, credit.cell).index;
  if (senders.looked_at++ == 0) senders.is_rank.assign(index.size(), true);
  senders.is_rank.resize(std::min(senders.is_rank.size(), index.size()));
  for (std::size_t d = 0; d < senders.is_rank.size(); ++d)
    senders.is_rank[d] = senders.is_rank[d] && index[d] == rank;
  senders.devices.insert(credit.from_device);
}

std::optional<std::size_t> CreditSearch::sender_dimension(std::int32_t window) const {
  const auto known = senders_.find(window);
  if (known == senders_.end() || known->second.devices.size() < 2) return std::nullopt;
  const std::vector<bool>& is_rank = known->second.is_rank;
  const auto at = std::ranges::find(is_rank, true);
  if (at == is_rank.end()) return std::nullopt;
  return static_cast<std::size_t>(at - is_rank.begin());
}

std::map<isa::SourceId, std::vector<std::uint32_t>> CreditSearch::senders_of(
    std::int32_t window) const {
  std::map<isa::SourceId, std::vector<std::uint32_t>> lines;
  const auto known = senders_.find(window);
  if (known == senders_.end()) return lines;
  for (const auto& [source, has_sent] : known->second.by_line) {
    for (std::uint32_t device = 0; device < has_sent.size(); ++device) {
      if (has_sent[device]) lines[source].push_back(device);
    }
  }
  return lines;
}

std::vector<sim::CellCredit> CreditSearch::meant_for(isa::GlobalAddress cell) const {
  std::vector<sim::CellCredit> found;
  const WindowRegion region = window_of(run_.plan, cell);
  if (region.index < 0) return found;
  const auto window = static_cast<std::uint64_t>(region.index);
  const std::uint64_t offset = cell.offset_bytes - region.begin;
  std::set<std::size_t> known;
  const auto add = [&](const std::map<Pair, std::vector<std::size_t>>& index, Pair key) {
    const auto at = index.find(key);
    if (at == index.end()) return;
    for (const std::size_t i : at->second) {
      if (found.size() < kMost && known.insert(i).second) found.push_back(lost_[i]);
    }
  };
  add(by_window_, {cell.device, window});
  add(by_place_, {window, offset});
  add(by_device_, {cell.device, offset});
  return found;
}

}  // namespace a2a3
