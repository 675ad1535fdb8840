// SPDX-License-Identifier: Apache-2.0
#include "tools/report/deadlock_report.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "ir/diagnostic.hpp"
#include "tools/option_values.hpp"
#include "tools/report/rank_rows.hpp"

namespace a2a3::tools {
namespace {

/// Beyond these many, waits and the credits shown with each are counted instead of listed.
constexpr std::size_t kWaits = 32;
constexpr std::size_t kNotesPerWait = 8;

using Wait = std::vector<const BlockedRank*>;  ///< ranks blocked at one place in one state

auto place(const BlockedRank& blocked) {
  return std::tie(blocked.location.line, blocked.location.column);
}

bool same_wait(const BlockedRank& a, const BlockedRank& b) {
  return place(a) == place(b) && a.cell.window == b.cell.window && a.value == b.value &&
         a.expected == b.expected && a.cmp == b.cmp && a.cell.index == b.cell.index;
}

std::vector<Wait> group(const std::vector<BlockedRank>& blocked) {
  std::vector<Wait> waits;
  for (const BlockedRank& one : blocked) {
    const auto same =
        std::ranges::find_if(waits, [&](const Wait& wait) { return same_wait(*wait[0], one); });
    if (same == waits.end()) {
      waits.push_back({&one});
    } else {
      same->push_back(&one);
    }
  }
  return waits;
}

std::vector<std::uint32_t> ranks_of(const Wait& wait) {
  std::vector<std::uint32_t> ranks;
  for (const BlockedRank* one : wait) {
    if (ranks.empty() || ranks.back() != one->rank) ranks.push_back(one->rank);
  }
  return ranks;
}

std::string credit_text(std::uint32_t rank, const Credit& credit) {
  std::string text = fmt::format("on rank {}, {} ", rank, credit.cell.text());
  text += credit.op == isa::NotifyOp::set
              ? fmt::format("was set to {} by rank {}", credit.value, credit.from_rank)
              : fmt::format("got {:+} from rank {}", credit.value, credit.from_rank);
  if (credit.count > 1) text += fmt::format(" in {} notifies", credit.count);
  return text;
}

/// One sentence, from what the cells show.
std::string advice(const BlockedRank& blocked) {
  const bool set = std::ranges::any_of(
      blocked.received, [](const Credit& credit) { return credit.op == isa::NotifyOp::set; });
  if (set && blocked.received.size() > 1) {
    return "several writers on one cell and a Set among them: use NotifyOp.AtomicAdd, or a cell "
           "for each rank";
  }
  if (blocked.cmp == isa::WaitCmp::eq && blocked.value > blocked.expected) {
    return "the cell has passed the expected value: wait with WaitCmp.Ge";
  }
  if (blocked.received.empty() && !blocked.elsewhere.empty()) {
    return "the credits went to other cells of this window: make the offsets of the notify and of "
           "the wait name the same cell";
  }
  if (blocked.received.empty()) {
    return "nobody ever signalled this window on this rank: is there a notify with this rank as "
           "peer, and does it come before the wait that it waits for?";
  }
  return "too few credits arrived: compare the number of notifies with the expected value";
}

void add_notes(ir::Diagnostic& diagnostic, std::uint32_t rank, const std::vector<Credit>& credits) {
  for (std::size_t i = 0; i < credits.size() && i < kNotesPerWait; ++i) {
    diagnostic.notes.push_back({credit_text(rank, credits[i]), credits[i].location});
  }
  if (credits.size() > kNotesPerWait) {
    diagnostic.notes.push_back(
        {fmt::format("and {} more like these", credits.size() - kNotesPerWait), {}});
  }
}

}  // namespace

std::string deadlock_report(const std::vector<BlockedRank>& blocked, std::size_t ranks) {
  std::vector<std::uint32_t> stuck;
  for (const BlockedRank& one : blocked) {
    if (stuck.empty() || stuck.back() != one.rank) stuck.push_back(one.rank);
  }
  std::string text = fmt::format("deadlock: {} of {} ranks wait for signals that never come ({})\n",
                                 stuck.size(), ranks, rank_list(stuck));
  ir::Diagnostics diagnostics;
  const std::vector<Wait> waits = group(blocked);
  for (std::size_t w = 0; w < waits.size() && w < kWaits; ++w) {
    const Wait& wait = waits[w];
    const BlockedRank& one = *wait.front();
    const char* relation = one.cmp == isa::WaitCmp::ge ? "at least " : "exactly ";
    const std::vector<std::uint32_t> who = ranks_of(wait);
    std::string message =
        fmt::format("deadlock: {} {} for {} of window buffer {} to be {}{}; it is {}",
                    rank_list(who), who.size() == 1 ? "waits" : "wait", one.cell.text(),
                    one.cell.window, relation, one.expected, one.value);
    if (one.since) message += fmt::format(" (waiting since {} us)", microseconds(*one.since));
    ir::Diagnostic& diagnostic = diagnostics.error(one.location, std::move(message));
    add_notes(diagnostic, one.rank, one.received);
    add_notes(diagnostic, one.rank, one.elsewhere);
    diagnostic.notes.push_back({advice(one), {}});
  }
  text += ir::format(diagnostics);
  if (waits.size() > kWaits) {
    text += fmt::format("and {} more waits; --json has all of them\n", waits.size() - kWaits);
  }
  return text;
}

}  // namespace a2a3::tools
