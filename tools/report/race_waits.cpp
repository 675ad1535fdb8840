// SPDX-License-Identifier: Apache-2.0
#include "tools/report/race_waits.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "interp/id_list.hpp"

namespace a2a3::tools {
namespace {

using Bond = isa::RaceWait::Bond;

/// Beyond these many, lines of signals are counted instead of listed.
constexpr std::size_t kCreditLinesShown = 3;

bool is_of(const NearestWait::Credit& credit, std::uint32_t rank) {
  return credit.ranks.size() == 1 && credit.ranks.front() == rank;
}

bool are_of(const NearestWait& wait, std::uint32_t rank) {
  return !wait.credits.empty() &&
         std::ranges::all_of(wait.credits,
                             [rank](const NearestWait::Credit& one) { return is_of(one, rank); });
}

/// "exactly 2".
std::string condition_text(const NearestWait& wait) {
  return fmt::format("{} {}", wait.exactly ? "exactly" : "at least", wait.expected);
}

/// Why a wait passes that is meant for a signal behind the first access.
std::string why_it_passes(const NearestWait& wait, const RaceNames& names) {
  if (wait.holds_initially && wait.expected <= 0)
    return fmt::format("it asks for {}, which the cell is from the start", condition_text(wait));
  if (wait.holds_initially)
    return fmt::format("the cell was {} before this launch began", wait.initial);
  if (are_of(wait, names.first_rank)) return "a signal from before it satisfies it";
  std::vector<std::uint32_t> ranks;
  for (const NearestWait::Credit& credit : wait.credits)
    ranks.insert(ranks.end(), credit.ranks.begin(), credit.ranks.end());
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (ranks.empty()) return "other signals satisfy it";
  return fmt::format("to be {}, {} {} enough", condition_text(wait),
                     ranks.size() == 1
                         ? fmt::format("the notify of rank {}", ranks.front())
                         : fmt::format("the notifies of {}", interp::rank_list(ranks)),
                     ranks.size() == 1 ? "is" : "are");
}

/// "the credit on arrived[0, 0] came from rank 1 here, not from rank 2".
std::string credit_note(const NearestWait& wait, const NearestWait::Credit& credit,
                        const RaceNames& names) {
  if (wait.bond == Bond::meant) {
    return fmt::format("the notify that satisfies it ({})", interp::rank_list(credit.ranks)) +
           (is_of(credit, names.first_rank) ? ", before the " + names.first : "");
  }
  std::string text = fmt::format(
      "{} came from {} here", credit.cell.empty() ? "the credits" : "the credit on " + credit.cell,
      interp::rank_list(credit.ranks));
  if (is_of(credit, names.second_rank)) text += " itself";
  if (std::ranges::find(credit.ranks, names.first_rank) != credit.ranks.end()) {
    return text + fmt::format(", before the {} of rank {}", names.first, names.first_rank);
  }
  return text + fmt::format(", not from rank {}", names.first_rank);
}

/// Several ranks whose signals do for each other.
std::string shared_cell_advice(const NearestWait& wait) {
  const std::string ranks = interp::rank_list(wait.senders);
  if (wait.has_set) {
    return fmt::format(
        "{} {} Set this cell, and any one of them satisfies the wait: use NotifyOp.AtomicAdd and "
        "expect {}, or a cell for each rank",
        ranks, wait.senders.size() == 2 ? "both" : "all", wait.senders.size());
  }
  if (!wait.a_time) {
    return fmt::format(
        "{} add to this cell, and not all of them are needed for the wait: expect the credits of "
        "all, or give each rank a cell",
        ranks);
  }
  const bool one = wait.credits.size() == 1 && wait.credits.front().ranks.size() == 1;
  const bool one_each = *wait.a_time == static_cast<std::int32_t>(wait.senders.size());
  return fmt::format("{} of {} {} this wait: expect {}{}{}, or give each rank a cell",
                     one ? "any one" : "some", ranks, one ? "satisfies" : "satisfy", *wait.a_time,
                     wait.waits > 1 ? " more each time" : "",
                     one_each ? " (one for each rank that signals)" : "");
}

}  // namespace

void add_wait_notes(ir::Diagnostic& diagnostic, const Race& race, const RaceNames& names) {
  if (!race.wait) return;
  const NearestWait& wait = *race.wait;
  if (wait.bond == Bond::meant) {
    diagnostic.notes.push_back(
        {fmt::format("this wait of rank {} on {} does not wait for the {}: {}", names.second_rank,
                     wait.cell, names.first, why_it_passes(wait, names)),
         wait.location});
  } else if (!race.idle_cell.empty()) {
    diagnostic.notes.push_back(
        {fmt::format("this wait of rank {} on {} does not wait for the {}: a signal from before it "
                     "satisfies it",
                     names.second_rank, race.idle_cell, names.first),
         race.idle_wait});
    return;
  }
  const std::size_t shown = std::min(wait.credits.size(), kCreditLinesShown);
  for (std::size_t i = 0; i < shown; ++i) {
    diagnostic.notes.push_back(
        {credit_note(wait, wait.credits[i], names), wait.credits[i].location});
  }
  if (wait.credits.size() > shown) {
    diagnostic.notes.push_back({fmt::format("and {} more lines", wait.credits.size() - shown), {}});
  }
}

std::string wait_advice(const Race& race, std::uint32_t first_rank) {
  if (!race.wait) return {};
  const NearestWait& wait = *race.wait;
  if (wait.bond == Bond::before && are_of(wait, first_rank) &&
      race.kind == isa::RaceKind::read_before_write && wait.waits == 1)
    return "send the notify behind the write: what stands behind a notify is in no order with the "
           "wait";
  if (wait.bond != Bond::meant && race.idle_cell.empty()) return {};
  if (wait.holds_initially && wait.expected <= 0)
    return "a wait for 0 or less waits for nothing: expect what all notifies up to the one that it "
           "is for add up to";
  if (wait.holds_initially)
    return "windows keep their contents with --persistent: take all credits out again at the end "
           "of the kernel";
  if (wait.senders.size() > 1) return shared_cell_advice(wait);
  if (wait.has_set)
    return "set and expect one more than the time before, each time; or set the cell back before "
           "the next one";
  return "let the notify add the same each time, as value=1, and expect as much more each time as "
         "the notifies to the cell in between add: 1, 2, 3 and so on for one, 2, 4, 6 for two; or "
         "take the credit out again before the next one";
}

}  // namespace a2a3::tools
