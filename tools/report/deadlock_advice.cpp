// SPDX-License-Identifier: Apache-2.0
#include "tools/report/deadlock_advice.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "interp/id_list.hpp"

namespace a2a3::tools {
namespace {

/// Longer lists of ranks are cut to the first ones.
constexpr std::size_t kLongestList = 60;
constexpr std::size_t kFirstRanks = 8;

/// The advice for a wait that nobody can end, from where the credit went. What the waiting rank
/// sent itself was not meant for its wait.
std::string advice_of_lost(const BlockedRank& blocked) {
  const bool went_to_others = std::ranges::any_of(blocked.elsewhere, [&](const Credit& credit) {
    return credit.on_rank != blocked.rank && credit.from_rank != blocked.rank &&
           credit.cell.index == blocked.cell.index;
  });
  const auto here = std::ranges::find_if(blocked.elsewhere, [&](const Credit& credit) {
    return credit.on_rank == blocked.rank && (credit.from_rank != blocked.rank || !went_to_others);
  });
  if (here == blocked.elsewhere.end())
    return "the credit went to other ranks: is the peer of the notify the rank that waits?";
  if (here->cell.window != blocked.cell.window) {
    return fmt::format(
        "the credit went to window buffer {}: make the notify and the wait name the "
        "same window",
        here->cell.window);
  }
  return "the credits went to other cells of this window: make the offsets of the notify and of "
         "the wait name the same cell, or the peer of the notify the rank that waits";
}

std::string advice_of_sets(const BlockedRank& blocked) {
  std::vector<std::uint32_t> ranks;
  bool has_add = false;
  for (const Credit& credit : blocked.received) {
    ranks.push_back(credit.from_rank);
    has_add |= credit.op != isa::NotifyOp::set;
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (ranks.size() == 1) {
    return fmt::format(
        "a Set puts its value in the place of the one before, it adds nothing: use "
        "NotifyOp.AtomicAdd, or let the last Set be to {}",
        blocked.expected);
  }
  if (has_add)
    return "several writers on one cell and a Set among them: use NotifyOp.AtomicAdd, or a cell "
           "for each rank";
  return fmt::format(
      "{} {} Set this cell, and a Set puts its value in the place of the one before: use "
      "NotifyOp.AtomicAdd, or a cell for each rank",
      short_rank_list(ranks), ranks.size() == 2 ? "both" : "all");
}

}  // namespace

std::string short_rank_list(const std::vector<std::uint32_t>& ranks) {
  std::string text = interp::rank_list(ranks);
  if (text.size() <= kLongestList) return text;
  const std::size_t shown = std::min(ranks.size(), kFirstRanks);
  const std::vector<std::uint32_t> first(ranks.begin(),
                                         ranks.begin() + static_cast<std::ptrdiff_t>(shown));
  return fmt::format("{} ranks ({}, ...)", ranks.size(), interp::format_ids(first));
}

Overwriter overwriter_of(const RaceCheck& check) {
  if (check.late_zeroing)
    return {
        "the zeroing of the window when its rank starts (hazards.zeroing: late), or a write that "
        "is no notify,",
        "the host must zero the windows before it launches any rank, for which hazards.zeroing: "
        "early stands"};
  if (check.set_line_bytes != 0)
    return {fmt::format("a Set to another cell of its line, which writes all {} bytes back "
                        "(hazards.set_line), or a write that is no notify,",
                        check.set_line_bytes),
            "signal with NotifyOp.AtomicAdd, or give each cell a line of its own"};
  return {};
}

bool are_sets_taken_for_adds(const BlockedRank& blocked) {
  std::int64_t sum = 0;
  std::uint64_t notifies = 0;
  bool has_set = false;
  for (const Credit& credit : blocked.received) {
    const bool is_set = credit.op == isa::NotifyOp::set;
    has_set |= is_set;
    notifies += credit.count;
    sum += is_set ? credit.value * static_cast<std::int64_t>(credit.count) : credit.value;
  }
  return has_set && notifies > 1 && sum >= blocked.expected && blocked.value < blocked.expected;
}

bool is_never_signalled(const BlockedRank& blocked) {
  return blocked.role == WaitRole::alone && blocked.received.empty() && blocked.notifies &&
         std::ranges::all_of(blocked.elsewhere, [&](const Credit& credit) {
           return credit.from_rank == blocked.rank && credit.on_rank == blocked.rank;
         });
}

std::string advice_of_deadlock(const BlockedRank& blocked, const Overwriter& overwriter) {
  const bool set = std::ranges::any_of(
      blocked.received, [](const Credit& credit) { return credit.op == isa::NotifyOp::set; });
  if (blocked.wiped) {
    return "take credits out again with NotifyOp.AtomicAdd of a negative value, or let a wait put "
           "the two in order";
  }
  if (are_sets_taken_for_adds(blocked)) return advice_of_sets(blocked);
  if (set && blocked.received.size() > 1) {
    return "several writers on one cell and a Set among them: use NotifyOp.AtomicAdd, or a cell "
           "for each rank";
  }
  if (blocked.cmp == isa::WaitCmp::eq && blocked.value > blocked.expected &&
      blocked.senders.empty()) {
    return fmt::format(
        "the cell is {}, waiting for Eq {}, no remaining writer lowers it{}: wait "
        "with WaitCmp.Ge{}",
        blocked.value, blocked.expected,
        blocked.held_expected
            ? fmt::format("; it was {} before, so that with another timing the wait "
                          "passes",
                          blocked.expected)
            : "",
        std::ranges::any_of(blocked.received,
                            [&](const Credit& credit) {
                              return credit.from_rank != blocked.received.front().from_rank;
                            })
            ? fmt::format(", and for {}, what all notifies bring together", blocked.value)
            : "");
  }
  if (blocked.role == WaitRole::cycle)
    return "in each such circle one notify must come before the wait that holds it up";
  if (blocked.role == WaitRole::behind) return "it goes on when the ranks that it waits for do";
  if (blocked.overwritten) return overwriter.advice;
  const bool some_are_silent = is_never_signalled(blocked) && !blocked.notifies->lines.empty() &&
                               !blocked.notifies->silent.empty();
  if (!some_are_silent && !blocked.elsewhere.empty()) return advice_of_lost(blocked);
  if (some_are_silent || !blocked.finished.empty() || !blocked.undispatched.empty())
    return "let every rank that others wait for come to its notify, whichever branch it takes, and "
           "each loop over peers reach the rank that waits";
  if (blocked.received.empty()) {
    return "nobody ever signalled this cell, and no rank is about to: is there a notify with this "
           "rank as peer, and does its offset name this cell?";
  }
  if (blocked.value < 0) {
    return "the cell holds a negative number: credits that add up to more than 2147483647 wrap "
           "around, so notify with smaller values";
  }
  return "too few credits arrived, and no notify to this cell is left: compare the number of "
         "notifies with the expected value";
}

}  // namespace a2a3::tools
