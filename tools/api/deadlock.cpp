// SPDX-License-Identifier: Apache-2.0
#include "a2a3/deadlock.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "a2a3/credit_search.hpp"
#include "a2a3/range_name.hpp"
#include "a2a3/wait_graph.hpp"

namespace a2a3 {
namespace {

/// What a device still has to do.
enum class DeviceState : std::uint8_t { undispatched, finished, waiting };

class Description {
 public:
  explicit Description(const StuckRun& run) : run_(run), search_(run) {
    list_states();
    list_stuck();
    graph_ = wait_graph(stuck_, {run.value_of, [&](isa::GlobalAddress cell) {
                                   return window_of(run.plan, cell).index;
                                 }});
  }

  Deadlock deadlock() {
    Deadlock all;
    for (const WaitGraph::Cycle& cycle : graph_.cycles) {
      WaitCycle& entry = all.cycles.emplace_back();
      entry.is_ring = cycle.is_ring;
      for (const std::uint32_t work : cycle.work) {
        const std::uint32_t rank = stuck_[work].device;
        if (std::ranges::find(entry.ranks, rank) == entry.ranks.end()) entry.ranks.push_back(rank);
      }
      entry.is_ring = entry.is_ring && entry.ranks.size() == cycle.work.size();
    }
    for (std::uint32_t i = 0; i < run_.sites.size(); ++i)
      all.blocked.push_back(describe(i));
    return all;
  }

 private:
  void list_states() {
    states_.assign(run_.plan.gm_bytes.size(), DeviceState::undispatched);
    for (const interp::Task& task : run_.plan.tasks)
      states_[task.device] = DeviceState::finished;
    for (const BlockedWaitSite& site : run_.sites)
      states_[site.device] = DeviceState::waiting;
    for (const auto& [task, work] : run_.remaining.tasks)
      states_[run_.plan.tasks[task].device] = DeviceState::waiting;
  }

  /// The sites, then each device's tasks that have not begun.
  void list_stuck() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> core_at;
    for (std::size_t i = 0; i < run_.cores.size(); ++i)
      core_at[{run_.cores[i].device, run_.cores[i].core}] = i;
    for (const BlockedWaitSite& site : run_.sites) {
      StuckWork& work = stuck_.emplace_back(StuckWork{site.device, site.wait, {}});
      if (!site.deferred)
        work.rest.push_back(&run_.remaining.cores[core_at.at({site.device, site.core})]);
    }
    std::map<std::uint32_t, StuckWork> later;
    for (const auto& [task, work] : run_.remaining.tasks) {
      const std::uint32_t device = run_.plan.tasks[task].device;
      StuckWork& entry = later[device];
      entry.device = device;
      entry.rest.push_back(&work);
      if (!first_task_.contains(device)) first_task_[device] = task;
    }
    for (auto& [device, work] : later)
      stuck_.push_back(std::move(work));
    for (const StuckWork& work : stuck_) {
      for (const interp::RemainingWork* rest : work.rest)
        all_known_ = all_known_ && !rest->cut;
    }
  }

  [[nodiscard]] BlockedRank describe(std::uint32_t index) {
    const BlockedWaitSite& site = run_.sites[index];
    BlockedRank blocked;
    blocked.rank = site.device;
    blocked.core = site.core;
    blocked.location = run_.locate(site.source);
    blocked.cell = name_cell(run_.plan, site.wait.cell);
    blocked.value = site.value;
    blocked.expected = site.wait.expected;
    blocked.cmp = site.wait.cmp;
    blocked.since = site.since;
    blocked.deferred = site.deferred;
    blocked.held_expected = run_.log.has_held(site.wait.cell, site.wait.expected);
    blocked.all_senders_known = all_known_;
    blocked.cycle = graph_.cycle_of[index];
    blocked.senders = senders(index);
    blocked.role = blocked.cycle >= 0        ? WaitRole::cycle
                   : blocked.senders.empty() ? WaitRole::alone
                                             : WaitRole::behind;
    add_credits(blocked, site.wait.cell);
    add_ended_ranks(blocked, site.wait.cell);
    add_notifies(blocked, site.wait.cell);
    return blocked;
  }

  [[nodiscard]] std::vector<LikelySender> senders(std::uint32_t index) const {
    using Key = std::tuple<isa::SourceId, bool, const void*, std::uint32_t, std::uint32_t>;
    std::map<Key, LikelySender> groups;
    for (const WaitGraph::Sender& one : graph_.senders[index]) {
      const StuckWork& work = stuck_[one.work];
      const bool begun = work.wait.has_value();
      const ir::SourceLocation stopped = begun ? run_.locate(run_.sites[one.work].source)
                                               : run_.plan.tasks[first_task_.at(work.device)].call;
      LikelySender& group =
          groups[{one.source, one.certain, stopped.file, stopped.line, stopped.column}];
      group.notify = run_.locate(one.source);
      group.certain = one.certain;
      group.begun = begun;
      group.stopped = stopped;
      group.ranks.push_back(work.device);
    }
    std::vector<LikelySender> list;
    for (auto& [key, group] : groups) {
      std::ranges::sort(group.ranks);
      group.ranks.erase(std::unique(group.ranks.begin(), group.ranks.end()), group.ranks.end());
      list.push_back(std::move(group));
    }
    return list;
  }

  [[nodiscard]] Credit credit(const sim::CellCredit& one, CellName name) const {
    return {std::move(name), one.cell.device, one.from_device,        one.op,
            one.sum,         one.count,       run_.locate(one.source)};
  }

  void add_credits(BlockedRank& blocked, isa::GlobalAddress cell) const {
    for (const sim::CellCredit& one : run_.log.credits_of(cell))
      blocked.received.push_back(credit(one, blocked.cell));
    for (const sim::CellCredit& one : search_.meant_for(cell))
      blocked.elsewhere.push_back(credit(one, name_cell(run_.plan, one.cell)));
    const auto signalled = run_.log.signalled(cell);
    if (signalled && *signalled > blocked.value) blocked.overwritten = signalled;
    const auto wiped = run_.log.wiped_out(cell);
    if (!wiped) return;
    blocked.wiped = WipedCredit{wiped->set_by,   wiped->set_to, run_.locate(wiped->set_source),
                                wiped->added_by, wiped->added,  run_.locate(wiped->added_source)};
  }

  /// By how many other ranks the cells in one place of a window were notified.
  struct MostSenders {
    std::size_t most = 0;
    std::uint32_t device = 0;  ///< that has the most
    std::size_t most_of_others = 0;
  };
  const MostSenders& most_senders(std::int32_t window, std::uint64_t offset) const {
    const auto [known, is_new] = most_senders_.try_emplace({window, offset});
    MostSenders& entry = known->second;
    if (!is_new) return entry;
    const auto& buffer = run_.plan.windows[static_cast<std::size_t>(window)];
    for (const auto& [device, begin] : buffer.offset_bytes) {
      const std::size_t senders = run_.log.other_senders({device, begin + offset});
      if (senders > entry.most) {
        entry = {senders, device, entry.most};
      } else {
        entry.most_of_others = std::max(entry.most_of_others, senders);
      }
    }
    return entry;
  }

  /// The cell in the same place on other ranks was notified, by no more ranks than this one: then
  /// no rank is known to be missing.
  [[nodiscard]] bool has_its_share(const BlockedRank& blocked, isa::GlobalAddress cell,
                                   std::int32_t window) const {
    const std::size_t here = run_.log.other_senders(cell);
    if (here == 0 || blocked.received.empty()) return false;
    const auto& buffer = run_.plan.windows[static_cast<std::size_t>(window)];
    const MostSenders& all =
        most_senders(window, cell.offset_bytes - buffer.offset_bytes.at(cell.device));
    const std::size_t most = all.device == cell.device ? all.most_of_others : all.most;
    return most > 0 && most <= here;
  }

  void add_notifies(BlockedRank& blocked, isa::GlobalAddress cell) {
    const std::int32_t window = window_of(run_.plan, cell).index;
    if (window < 0) return;
    const auto& devices =
        run_.plan.domains[run_.plan.windows[static_cast<std::size_t>(window)].domain].devices;
    const auto dimension = search_.sender_dimension(window);
    if (dimension && *dimension < blocked.cell.index.size()) {
      const std::int64_t rank = blocked.cell.index[*dimension];
      blocked.is_own = rank >= 0 && rank < static_cast<std::int64_t>(devices.size()) &&
                       devices[static_cast<std::size_t>(rank)] == cell.device;
    }
    const auto [known, is_new] = notifies_.try_emplace(window);
    if (is_new) known->second = notifies_to(window, devices);
    blocked.notifies = known->second;
  }

  [[nodiscard]] std::shared_ptr<const WindowNotifies> notifies_to(
      std::int32_t window, const std::vector<std::uint32_t>& devices) const {
    auto notifies = std::make_shared<WindowNotifies>();
    std::set<std::uint32_t> senders;
    for (auto& [source, ranks] : search_.senders_of(window)) {
      senders.insert(ranks.begin(), ranks.end());
      notifies->lines.push_back({run_.locate(source), ranks});
    }
    std::ranges::copy_if(devices, std::back_inserter(notifies->silent),
                         [&](std::uint32_t device) { return !senders.contains(device); });
    return notifies;
  }

  void add_ended_ranks(BlockedRank& blocked, isa::GlobalAddress cell) const {
    const std::int32_t window = window_of(run_.plan, cell).index;
    if (window < 0) return;
    const auto& devices =
        run_.plan.domains[run_.plan.windows[static_cast<std::size_t>(window)].domain].devices;
    if (has_its_share(blocked, cell, window)) return;
    const auto dimension = search_.sender_dimension(window);
    if (!dimension && !blocked.senders.empty()) return;
    const std::int64_t sender = !dimension ? -1
                                : *dimension < blocked.cell.index.size()
                                    ? blocked.cell.index[*dimension]
                                    : -1;
    for (std::size_t rank = 0; rank < devices.size(); ++rank) {
      const std::uint32_t device = devices[rank];
      if (sender >= 0 && sender != static_cast<std::int64_t>(rank)) continue;
      if (states_[device] != DeviceState::finished) continue;
      if (std::ranges::find(blocked.received, device, &Credit::from_rank) ==
          blocked.received.end()) {
        blocked.finished.push_back(device);
      }
    }
    // They are in no domain.
    if (sender >= 0 && sender < static_cast<std::int64_t>(devices.size())) return;
    for (std::uint32_t device = 0; device < states_.size(); ++device) {
      if (states_[device] == DeviceState::undispatched) blocked.undispatched.push_back(device);
    }
  }

  const StuckRun& run_;
  CreditSearch search_;
  std::vector<DeviceState> states_;
  std::vector<StuckWork> stuck_;
  std::map<std::uint32_t, std::uint32_t> first_task_;  ///< by device, of those that have not begun
  std::map<std::int32_t, std::shared_ptr<const WindowNotifies>> notifies_;  ///< by window
  bool all_known_ = true;
  WaitGraph graph_;
  /// By window and offset in it; filled as it is asked for.
  mutable std::map<std::pair<std::int32_t, std::uint64_t>, MostSenders> most_senders_;
};

}  // namespace

Deadlock describe_deadlock(const StuckRun& run) {
  return Description(run).deadlock();
}

}  // namespace a2a3
