// SPDX-License-Identifier: Apache-2.0
#include "tools/report/deadlock_notes.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace a2a3::tools {
namespace {

/// Beyond these many, ranks, credits and lines are counted instead of listed.
constexpr std::size_t kStatesWithCauses = 4;
constexpr std::size_t kCreditsShown = 6;
constexpr std::size_t kLinesShown = 6;
constexpr std::size_t kNotifyLinesShown = 3;

bool same_line(const ir::SourceLocation& a, const ir::SourceLocation& b) {
  return a.file == b.file && a.line == b.line && a.column == b.column;
}

/// A note at a place that is shown once.
void add_note(ir::Diagnostic& diagnostic, std::string text, const ir::SourceLocation& at = {}) {
  const bool shown = same_line(diagnostic.location, at) ||
                     std::ranges::any_of(diagnostic.notes, [&](const ir::Note& note) {
                       return same_line(note.location, at);
                     });
  diagnostic.notes.push_back({std::move(text), shown ? ir::SourceLocation{} : at});
}

std::string credit_text(const Credit& credit) {
  std::string text = credit.cell.text();
  text += credit.op == isa::NotifyOp::set
              ? fmt::format(" was set to {} by rank {}", credit.value, credit.from_rank)
              : fmt::format(" got {:+} from rank {}", credit.value, credit.from_rank);
  if (credit.count > 1) text += fmt::format(" in {} notifies", credit.count);
  return text;
}

/// What arrived, a note for each line that it came from.
void add_credits(ir::Diagnostic& diagnostic, const std::string& where,
                 const std::vector<const Credit*>& credits, const std::string& tail) {
  if (credits.empty()) return;
  std::vector<std::pair<const Credit*, std::string>> lines;  // by the first one of each
  const std::size_t shown = std::min(credits.size(), kCreditsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const Credit& credit = *credits[i];
    const auto line = std::ranges::find_if(
        lines, [&](const auto& one) { return same_line(one.first->location, credit.location); });
    if (line == lines.end()) {
      lines.emplace_back(&credit, where + ", " + credit_text(credit));
    } else {
      line->second += ", " + credit_text(credit);
    }
  }
  if (credits.size() > shown)
    lines.back().second += fmt::format(", and {} more credits", credits.size() - shown);
  lines.back().second += tail;
  for (auto& [credit, text] : lines)
    add_note(diagnostic, std::move(text), credit->location);
}

/// Credits by their ranks, cells, senders and lines.
using Told = std::set<std::tuple<std::uint32_t, std::string, std::uint32_t, std::uint32_t>>;

auto told_as(const Credit& credit) {
  return std::tuple(credit.on_rank, credit.cell.text(), credit.from_rank, credit.location.line);
}

/// What the first states tell of their own ranks: the others leave it out.
Told told_by(const std::vector<Waits>& states, std::size_t shown) {
  Told told;
  for (std::size_t i = 0; i < shown; ++i) {
    const BlockedRank& blocked = *states[i].front();
    for (const Credit& credit : blocked.elsewhere) {
      if (credit.on_rank == blocked.rank) told.insert(told_as(credit));
    }
  }
  return told;
}

void add_all_credits(ir::Diagnostic& diagnostic, const BlockedRank& blocked, const Told& told) {
  std::vector<const Credit*> here;
  for (const Credit& credit : blocked.received)
    here.push_back(&credit);
  std::map<std::uint32_t, std::vector<const Credit*>> there;
  for (const Credit& credit : blocked.elsewhere) {
    if (credit.on_rank == blocked.rank) {
      here.push_back(&credit);
    } else if (!told.contains(told_as(credit))) {
      there[credit.on_rank].push_back(&credit);
    }
  }
  if (!blocked.wiped) add_credits(diagnostic, fmt::format("on rank {}", blocked.rank), here, "");
  if (there.empty()) return;
  const auto& [rank, credits] = *there.begin();
  add_credits(
      diagnostic, fmt::format("on rank {}", rank), credits,
      there.size() == 1
          ? ", and nothing waits for it there"
          : fmt::format(", and nothing waits for it there; so on {} more ranks", there.size() - 1));
}

void add_wiped(ir::Diagnostic& diagnostic, const BlockedRank& blocked,
               const Overwriter& overwriter) {
  if (blocked.overwritten) {
    add_note(diagnostic, fmt::format("the notifies brought {} of rank {} to {}, and {} put it to "
                                     "{}: it wiped the credit out",
                                     blocked.cell.text(), blocked.rank, *blocked.overwritten,
                                     overwriter.name, blocked.value));
  }
  if (!blocked.wiped) return;
  const WipedCredit& wiped = *blocked.wiped;
  add_note(diagnostic,
           fmt::format("rank {} set {} of rank {} to {} here", wiped.set_by, blocked.cell.text(),
                       blocked.rank, wiped.set_to),
           wiped.set);
  add_note(diagnostic,
           fmt::format("which wiped out the {:+} of rank {}, for which no wait had asked yet",
                       wiped.added, wiped.added_by),
           wiped.notify);
}

/// Who could still end these waits, one note for each line.
void add_senders(ir::Diagnostic& diagnostic, const std::vector<Waits>& states) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool, bool>;
  std::map<Key, LikelySender> lines;
  for (const Waits& state : states) {
    for (const BlockedRank* blocked : state) {
      for (const LikelySender& one : blocked->senders) {
        LikelySender& line =
            lines[{one.notify.line, one.notify.column, one.stopped.line, one.certain, one.begun}];
        std::vector<std::uint32_t> ranks = std::move(line.ranks);
        line = one;
        std::vector<std::uint32_t> both;
        std::ranges::set_union(ranks, one.ranks, std::back_inserter(both));
        line.ranks = std::move(both);
      }
    }
  }
  std::size_t shown = 0;
  for (const auto& [key, line] : lines) {
    if (++shown > kLinesShown) {
      add_note(diagnostic, fmt::format("and {} more lines could", lines.size() - kLinesShown));
      return;
    }
    const bool one = line.ranks.size() == 1;
    const bool here = same_line(line.stopped, diagnostic.location);
    const std::string stop =
        here ? std::string(one ? "its own wait here" : "their own wait here")
             : fmt::format("{} own wait in line {}", one ? "its" : "their", line.stopped.line);
    std::string text = short_rank_list(line.ranks);
    if (!line.begun) {
      text += fmt::format(" {} signal it, in a kernel that has not begun (the call in line {})",
                          line.certain ? "would" : "could", line.stopped.line);
    } else if (line.certain) {
      text += " would signal it, but behind " + stop;
    } else {
      text += fmt::format(" could signal it behind {}: what {} there decides", stop,
                          one ? "it reads" : "they read");
    }
    add_note(diagnostic, std::move(text), line.notify);
  }
}

void add_notify_lines(ir::Diagnostic& diagnostic, const BlockedRank& blocked) {
  if (!is_never_signalled(blocked)) return;
  const WindowNotifies& notifies = *blocked.notifies;
  const std::size_t shown = std::min(notifies.lines.size(), kNotifyLinesShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const WindowNotifies::Line& line = notifies.lines[i];
    std::string text =
        fmt::format("{} {} other cells of this window from here", short_rank_list(line.ranks),
                    line.ranks.size() == 1 ? "signals" : "signal");
    if (notifies.lines.size() == 1 && !notifies.silent.empty())
      text += fmt::format("; {} {} not", short_rank_list(notifies.silent),
                          notifies.silent.size() == 1 ? "does" : "do");
    add_note(diagnostic, std::move(text), line.location);
  }
}

void add_own_cell(ir::Diagnostic& diagnostic, const BlockedRank& blocked) {
  const bool went_elsewhere = std::ranges::any_of(
      blocked.elsewhere, [&](const Credit& credit) { return credit.from_rank != blocked.rank; });
  if (!blocked.is_own || !blocked.received.empty() || went_elsewhere ||
      blocked.role != WaitRole::alone)
    return;
  add_note(diagnostic,
           fmt::format("{} of rank {} is the cell for its own notify, and it sends none to itself: "
                       "leave the own rank out of the wait, as `if src != my_rank`",
                       blocked.cell.text(), blocked.rank));
}

void add_ended(ir::Diagnostic& diagnostic, const BlockedRank& blocked) {
  const auto say = [&](const std::vector<std::uint32_t>& ranks, const char* how) {
    if (ranks.empty()) return;
    add_note(diagnostic, fmt::format("{} {} to {} of rank {}", short_rank_list(ranks), how,
                                     blocked.cell.text(), blocked.rank));
  };
  if (!are_sets_taken_for_adds(blocked)) say(blocked.finished, "finished without a notify");
  say(blocked.undispatched, "got no kernel from the host function, and so no notify comes");
}

/// A collective that not all ranks came to: who is missing, and why.
std::string missing_callers(const BlockedRank& blocked, const Waits& all) {
  std::vector<std::uint32_t> finished;
  std::vector<std::uint32_t> waiting;
  for (const std::uint32_t rank : blocked.absent) {
    const bool waits_too =
        std::ranges::any_of(all, [rank](const BlockedRank* other) { return other->rank == rank; });
    (waits_too ? waiting : finished).push_back(rank);
  }
  std::string text;
  if (!finished.empty())
    text = fmt::format("{} finished without entering it", short_rank_list(finished));
  if (!waiting.empty()) {
    text += fmt::format("{}{} {} before it", text.empty() ? "" : ", ", short_rank_list(waiting),
                        waiting.size() == 1 ? "waits" : "wait");
  }
  return fmt::format(
      "this {} waits for all ranks of its windows: {}; each of them must call it, "
      "and equally often",
      blocked.collective, text);
}

}  // namespace

std::vector<std::uint32_t> ranks_of(const Waits& waits) {
  std::vector<std::uint32_t> ranks;
  for (const BlockedRank* one : waits)
    ranks.push_back(one->rank);
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

void add_causes(ir::Diagnostic& diagnostic, const std::vector<Waits>& states, const Waits& all,
                const Overwriter& overwriter) {
  const std::size_t shown = std::min(states.size(), kStatesWithCauses);
  const Told told = told_by(states, shown);
  for (std::size_t i = 0; i < shown; ++i) {
    add_all_credits(diagnostic, *states[i].front(), told);
    add_wiped(diagnostic, *states[i].front(), overwriter);
  }
  const bool more = std::ranges::any_of(
      states.begin() + static_cast<std::ptrdiff_t>(shown), states.end(), [](const Waits& state) {
        return !state.front()->received.empty() || !state.front()->elsewhere.empty();
      });
  if (more) add_note(diagnostic, "and so on for the others; --json has all credits");
  const BlockedRank& first = *states.front().front();
  if (!first.absent.empty()) return add_note(diagnostic, missing_callers(first, all));
  add_senders(diagnostic, states);
  for (std::size_t i = 0; i < shown; ++i)
    add_ended(diagnostic, *states[i].front());
  add_notify_lines(diagnostic, first);
  add_own_cell(diagnostic, first);
  if (!first.all_senders_known) {
    add_note(diagnostic,
             "the programs are too long to look through to their ends: other ranks may signal it "
             "further on");
  }
  add_note(diagnostic, advice_of_deadlock(first, overwriter));
}

}  // namespace a2a3::tools
