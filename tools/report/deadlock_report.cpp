// SPDX-License-Identifier: Apache-2.0
#include "tools/report/deadlock_report.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/id_list.hpp"
#include "ir/diagnostic.hpp"
#include "tools/report/deadlock_notes.hpp"
#include "tools/report/rank_rows.hpp"

namespace a2a3::tools {
namespace {

/// Beyond these many, states, cycles and members of a ring are counted instead of listed.
constexpr std::size_t kStatesShown = 16;
constexpr std::size_t kCyclesShown = 8;
constexpr std::size_t kRingShown = 9;

/// Blocked ranks put together by a text, in the order in which each text first occurs.
template <typename TextOf>
std::vector<Waits> group(const Waits& waits, TextOf text_of) {
  std::vector<Waits> groups;
  std::map<std::string, std::size_t> known;
  for (const BlockedRank* one : waits) {
    const auto at = known.try_emplace(text_of(*one), groups.size());
    if (at.second) groups.emplace_back();
    groups[at.first->second].push_back(one);
  }
  return groups;
}

std::string place_of(const BlockedRank& one) {
  return fmt::format("{} {}", one.location.line, one.location.column);
}

std::string state_of(const BlockedRank& one) {
  return fmt::format("{} {} {} {} {}", one.cell.text(), one.cell.window, one.value, one.expected,
                     static_cast<int>(one.cmp));
}

std::string who_wait(const Waits& waits) {
  const std::vector<std::uint32_t> ranks = ranks_of(waits);
  return short_rank_list(ranks) + (ranks.size() == 1 ? " waits" : " wait");
}

std::string state_text(const Waits& waits) {
  const BlockedRank& one = *waits.front();
  std::string text =
      fmt::format("{} for {} of window buffer {} to be {} {}; it is {}", who_wait(waits),
                  one.cell.text(), one.cell.window,
                  one.cmp == isa::WaitCmp::ge ? "at least" : "exactly", one.expected, one.value);
  if (one.since) text += fmt::format(" (since {} us)", microseconds(*one.since));
  return text;
}

void report_place(const Waits& waits, const Waits& all, const Overwriter& overwriter,
                  ir::Diagnostics& diagnostics) {
  ir::Diagnostic& diagnostic = diagnostics.error(
      waits.front()->location,
      fmt::format("deadlock: {} here for a signal that never comes", who_wait(waits)));
  const std::vector<Waits> states = group(waits, state_of);
  const std::size_t shown = std::min(states.size(), kStatesShown);
  for (std::size_t i = 0; i < shown; ++i)
    diagnostic.notes.push_back({state_text(states[i]), {}});
  if (states.size() > shown) {
    diagnostic.notes.push_back(
        {fmt::format("and {} more like these; --json has all", states.size() - shown), {}});
  }
  add_causes(diagnostic, states, all, overwriter);
}

/// Launches that are equal but for their rank, once.
void report_unstarted(const std::vector<UnstartedLaunch>& all, ir::Diagnostics& diagnostics) {
  const auto same = [](const UnstartedLaunch& a, const UnstartedLaunch& b) {
    return a.location.line == b.location.line && a.location.column == b.location.column &&
           a.blocks == b.blocks && a.unstarted == b.unstarted;
  };
  std::vector<bool> shown(all.size(), false);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (shown[i]) continue;
    std::vector<std::uint32_t> ranks;
    for (std::size_t j = i; j < all.size(); ++j) {
      if (shown[j] || !same(all[i], all[j])) continue;
      shown[j] = true;
      if (ranks.empty() || ranks.back() != all[j].rank) ranks.push_back(all[j].rank);
    }
    const UnstartedLaunch& one = all[i];
    diagnostics
        .error(one.location,
               fmt::format("deadlock: {} of {} block{} of \"{}\" cannot start on {}: all {} vector "
                           "cores of the device hold blocks that wait",
                           one.unstarted, one.blocks, one.blocks == 1 ? "" : "s", one.kernel,
                           interp::rank_list(ranks), one.cores))
        .notes.push_back({"blocks that wait for each other must be on the device together: launch "
                          "no more of them than it has cores; a real device hangs here too",
                          {}});
  }
}

/// "0 -> 1 -> 2 -> 0"; of a long one both ends.
std::string ring_text(const std::vector<std::uint32_t>& ranks) {
  constexpr std::size_t kHead = 3;
  if (ranks.size() <= kRingShown)
    return fmt::format("{} -> {}", fmt::join(ranks, " -> "), ranks.front());
  return fmt::format("{} -> ... -> {} -> {}",
                     fmt::join(ranks.begin(), ranks.begin() + kHead, " -> "), ranks.back(),
                     ranks.front());
}

std::string cycle_text(const WaitCycle& cycle, const Result& result) {
  std::vector<std::uint32_t> ranks = cycle.ranks;
  std::ranges::sort(ranks);
  if (ranks.size() == 1) {
    std::set<std::uint32_t> cores;
    for (const BlockedRank& one : result.blocked) {
      if (one.cycle >= 0 && &result.cycles[static_cast<std::size_t>(one.cycle)] == &cycle)
        cores.insert(one.core);
    }
    return short_rank_list(ranks) +
           (cores.size() > 1 ? ": blocks of this device wait for each other"
                             : " waits for a notify that it sends itself, behind the wait");
  }
  const std::string who = short_rank_list(ranks) + " wait for each other";
  return cycle.is_ring ? who + ", each for the next one: " + ring_text(cycle.ranks) : who;
}

/// Which ranks hold each other up, and which only wait for these.
std::string summary(const Result& result) {
  std::vector<std::string> lines;
  for (const WaitCycle& cycle : result.cycles)
    lines.push_back(cycle_text(cycle, result));
  if (lines.size() > kCyclesShown) {
    const std::size_t more = lines.size() - kCyclesShown;
    lines.resize(kCyclesShown);
    lines.push_back(fmt::format("and {} more such groups; --json has all", more));
  }
  Waits behind;
  Waits alone;
  for (const BlockedRank& one : result.blocked) {
    if (one.role == WaitRole::behind) behind.push_back(&one);
    if (one.role == WaitRole::alone) alone.push_back(&one);
  }
  if (!behind.empty()) {
    const bool one = ranks_of(behind).size() == 1;
    lines.push_back(short_rank_list(ranks_of(behind)) +
                    (one ? " only waits for ranks that wait" : " only wait for ranks that wait"));
  }
  if (!alone.empty())
    lines.push_back(who_wait(alone) + " for a notify that no rank is about to send");
  return lines.empty() ? "" : fmt::format("  {}\n", fmt::join(lines, "\n  "));
}

}  // namespace

std::string deadlock_report(const Result& result, std::size_t ranks) {
  Waits waits;
  for (const BlockedRank& one : result.blocked)
    waits.push_back(&one);
  ir::Diagnostics diagnostics;
  const Overwriter overwriter = overwriter_of(result.race_check);
  for (const Waits& place : group(waits, place_of))
    report_place(place, waits, overwriter, diagnostics);
  report_unstarted(result.unstarted, diagnostics);
  const char* const where =
      result.in_another_order ? " (on this timing the run ends, in another order of the cores not)"
                              : "";
  return fmt::format("deadlock: {} of {} ranks wait and nothing can run any more{}\n{}",
                     ranks_of(waits).size(), ranks, where, summary(result)) +
         ir::format(diagnostics);
}

}  // namespace a2a3::tools
