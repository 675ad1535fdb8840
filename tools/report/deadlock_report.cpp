// SPDX-License-Identifier: Apache-2.0
#include "tools/report/deadlock_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/diagnostic.hpp"
#include "tools/report/rank_rows.hpp"

namespace a2a3::tools {
namespace {

/// Beyond these many, ranks and credits are counted instead of listed.
constexpr std::size_t kStatesShown = 16;
constexpr std::size_t kRanksWithCredits = 4;
constexpr std::size_t kCreditsShown = 6;

using Waits = std::vector<const BlockedRank*>;

/// Blocked ranks put together by a property, in the order in which each value first occurs.
template <typename Same>
std::vector<Waits> group(const Waits& waits, Same same) {
  std::vector<Waits> groups;
  for (const BlockedRank* one : waits) {
    const auto known = std::ranges::find_if(
        groups, [&](const Waits& members) { return same(*members.front(), *one); });
    if (known == groups.end()) {
      groups.push_back({one});
    } else {
      known->push_back(one);
    }
  }
  return groups;
}

bool same_place(const BlockedRank& a, const BlockedRank& b) {
  return a.location.line == b.location.line && a.location.column == b.location.column;
}

bool same_state(const BlockedRank& a, const BlockedRank& b) {
  return a.cell.text() == b.cell.text() && a.cell.window == b.cell.window && a.value == b.value &&
         a.expected == b.expected && a.cmp == b.cmp;
}

std::string ranks_of(const Waits& waits) {
  std::vector<std::uint32_t> ranks;
  for (const BlockedRank* one : waits) {
    if (ranks.empty() || ranks.back() != one->rank) ranks.push_back(one->rank);
  }
  return rank_list(ranks) + (ranks.size() == 1 ? " waits" : " wait");
}

std::string credit_text(const Credit& credit) {
  std::string text = credit.cell.text();
  text += credit.op == isa::NotifyOp::set
              ? fmt::format(" was set to {} by rank {}", credit.value, credit.from_rank)
              : fmt::format(" got {:+} from rank {}", credit.value, credit.from_rank);
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
  if (blocked.value < 0) {
    return "the cell holds a negative number: credits that add up to more than 2147483647 wrap "
           "around, so notify with smaller values";
  }
  return "too few credits arrived: compare the number of notifies with the expected value";
}

/// Ranks that have finished, and of which no credit arrived where this one waits; at most `ranks`.
std::string finished_without_credit(const BlockedRank& blocked, const Waits& waits,
                                    std::size_t ranks) {
  std::vector<std::uint32_t> silent;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const bool waits_too = std::ranges::any_of(
        waits, [rank](const BlockedRank* other) { return other->rank == rank; });
    const bool signalled = std::ranges::any_of(
        blocked.received, [rank](const Credit& credit) { return credit.from_rank == rank; });
    if (!waits_too && !signalled) silent.push_back(rank);
  }
  if (silent.empty()) return "";
  return fmt::format("; {} finished without a notify to {} of rank {}", rank_list(silent),
                     blocked.cell.text(), blocked.rank);
}

/// A collective that not all ranks came to: who is missing, and why.
std::string missing_callers(const BlockedRank& blocked, const Waits& waits) {
  std::vector<std::uint32_t> finished;
  std::vector<std::uint32_t> waiting;
  for (const std::uint32_t rank : blocked.absent) {
    const bool waits_too = std::ranges::any_of(
        waits, [rank](const BlockedRank* other) { return other->rank == rank; });
    (waits_too ? waiting : finished).push_back(rank);
  }
  std::string text;
  if (!finished.empty()) text = fmt::format("{} finished without entering it", rank_list(finished));
  if (!waiting.empty()) {
    text += fmt::format("{}{} {} before it", text.empty() ? "" : ", ", rank_list(waiting),
                        waiting.size() == 1 ? "waits" : "wait");
  }
  return fmt::format(
      "this {} waits for all ranks of its windows: {}; each of them must call it, "
      "and equally often",
      blocked.collective, text);
}

/// What arrived on one rank, from one line of the kernel.
void add_credits(ir::Diagnostic& diagnostic, const BlockedRank& blocked) {
  std::vector<const Credit*> credits;
  for (const Credit& credit : blocked.received)
    credits.push_back(&credit);
  for (const Credit& credit : blocked.elsewhere)
    credits.push_back(&credit);
  if (credits.empty()) return;
  std::string text = fmt::format("on rank {}", blocked.rank);
  for (std::size_t i = 0; i < credits.size() && i < kCreditsShown; ++i) {
    text += ", " + credit_text(*credits[i]);
  }
  if (credits.size() > kCreditsShown) {
    text += fmt::format(", and {} more credits", credits.size() - kCreditsShown);
  }
  // The line is shown once; further ranks' credits come from the same one as a rule.
  const ir::SourceLocation& from = credits.front()->location;
  const bool shown = std::ranges::any_of(diagnostic.notes, [&](const ir::Note& note) {
    return note.location.line == from.line && note.location.column == from.column;
  });
  diagnostic.notes.push_back({std::move(text), shown ? ir::SourceLocation{} : from});
}

std::string state_text(const Waits& waits) {
  const BlockedRank& one = *waits.front();
  std::string text =
      fmt::format("{} for {} of window buffer {} to be {} {}; it is {}", ranks_of(waits),
                  one.cell.text(), one.cell.window,
                  one.cmp == isa::WaitCmp::ge ? "at least" : "exactly", one.expected, one.value);
  if (one.since) text += fmt::format(" (since {} us)", microseconds(*one.since));
  return text;
}

void report_place(const Waits& waits, const Waits& all, std::size_t ranks,
                  ir::Diagnostics& diagnostics) {
  ir::Diagnostic& diagnostic = diagnostics.error(
      waits.front()->location,
      fmt::format("deadlock: {} here for a signal that never comes", ranks_of(waits)));
  const std::vector<Waits> states = group(waits, same_state);
  const std::size_t shown = std::min(states.size(), kStatesShown);
  for (std::size_t i = 0; i < shown; ++i)
    diagnostic.notes.push_back({state_text(states[i]), {}});
  if (states.size() > shown) {
    diagnostic.notes.push_back(
        {fmt::format("and {} more like these; --json has all", states.size() - shown), {}});
  }
  for (std::size_t i = 0; i < std::min(shown, kRanksWithCredits); ++i) {
    add_credits(diagnostic, *states[i].front());
  }
  const BlockedRank& first = *waits.front();
  diagnostic.notes.push_back({first.absent.empty()
                                  ? advice(first) + finished_without_credit(first, all, ranks)
                                  : missing_callers(first, all),
                              {}});
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
                           rank_list(ranks), one.cores))
        .notes.push_back({"blocks that wait for each other must be on the device together: launch "
                          "no more of them than it has cores; a real device hangs here too",
                          {}});
  }
}

}  // namespace

std::string deadlock_report(const Result& result, std::size_t ranks) {
  const std::vector<BlockedRank>& blocked = result.blocked;
  Waits waits;
  std::size_t stuck = 0;
  for (const BlockedRank& one : blocked) {
    if (waits.empty() || waits.back()->rank != one.rank) ++stuck;
    waits.push_back(&one);
  }
  ir::Diagnostics diagnostics;
  for (const Waits& place : group(waits, same_place))
    report_place(place, waits, ranks, diagnostics);
  report_unstarted(result.unstarted, diagnostics);
  const char* const where =
      result.in_another_order ? " (on this timing the run ends, in another order of the cores not)"
                              : "";
  return fmt::format("deadlock: {} of {} ranks wait and nothing can run any more{}\n", stuck, ranks,
                     where) +
         ir::format(diagnostics);
}

}  // namespace a2a3::tools
