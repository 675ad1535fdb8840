// SPDX-License-Identifier: Apache-2.0
#include "tools/report/race_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/id_list.hpp"
#include "ir/diagnostic.hpp"
#include "tools/report/race_waits.hpp"

namespace a2a3::tools {
namespace {

/// Beyond these many, cells and races are counted instead of listed.
constexpr std::size_t kCellsShown = 8;
constexpr std::size_t kRacesShown = 20;

/// "read", "write", ...: what a site does.
const char* noun(const RaceSite& site) {
  if (site.is_signal) return "notify";
  if (site.is_zeroing) return "zeroing";
  switch (site.kind) {
    case isa::AccessKind::read:
      return "read";
    case isa::AccessKind::write:
      return "write";
    case isa::AccessKind::atomic_add:
      break;
  }
  return "atomic add";
}

/// "rank 1 reads", "ranks 0-3 add to".
std::string does(const std::vector<std::uint32_t>& ranks, const RaceSite& site) {
  const bool one = ranks.size() == 1;
  const char* verb = one ? "adds to" : "add to";
  if (site.is_signal) {
    verb = one ? "signals" : "signal";
  } else if (site.is_zeroing) {
    verb = one ? "zeroes" : "zero";
  } else if (site.kind == isa::AccessKind::read) {
    verb = one ? "reads" : "read";
  } else if (site.kind == isa::AccessKind::write) {
    verb = one ? "writes" : "write";
  }
  return fmt::format("{} {}", interp::rank_list(ranks), verb);
}

/// The two sides in the order in which the program means them to come. What a run happened to do
/// first does not matter to that.
struct Meant {
  const RaceSite& first;
  const RaceSite& second;
  const std::vector<std::uint32_t>& first_ranks;
  const std::vector<std::uint32_t>& second_ranks;
};

Meant meant(const Race& race) {
  if (race.is_turned) return {race.later, race.earlier, race.later_ranks, race.earlier_ranks};
  return {race.earlier, race.later, race.earlier_ranks, race.later_ranks};
}

bool is_known_order(const Race& race) {
  return race.kind == isa::RaceKind::read_before_write ||
         race.kind == isa::RaceKind::write_after_read;
}

/// "rank 1"; of two kernels of one device also which of them.
std::string who(const Race& race, const RaceSite& site) {
  if (!race.is_inside_device) return fmt::format("rank {}", site.rank);
  if (race.is_one_launch) return fmt::format("block {} of rank {}", site.block, site.rank);
  return fmt::format("{} task of rank {}",
                     (race.earlier.task < race.later.task) == (&site == &race.earlier)
                         ? "the earlier"
                         : "the later",
                     site.rank);
}

std::string headline(const Race& race) {
  const std::string where = fmt::format("{} of rank {}", race.range, race.owner);
  const Meant sides = meant(race);
  if (sides.second_ranks.size() == 1 && sides.first_ranks.size() == 1) {
    return fmt::format("race: {} {} while the {} by {} is not ordered {} it",
                       does(sides.second_ranks, sides.second), where, noun(sides.first),
                       who(race, sides.first), is_known_order(race) ? "before" : "with");
  }
  return fmt::format(
      "race: {} what {}, and nothing orders the two: for example the {} of {} by {} and the {} by "
      "{}",
      does(sides.second_ranks, sides.second), does(sides.first_ranks, sides.first),
      noun(sides.second), where, who(race, sides.second), noun(sides.first),
      who(race, sides.first));
}

std::string waited_text(const Race& race) {
  const Meant sides = meant(race);
  if (race.is_inside_device)
    return fmt::format("nothing puts the {} of {} before the {} of {}", noun(sides.first),
                       who(race, sides.first), noun(sides.second), who(race, sides.second));
  std::string text =
      fmt::format("no notify/wait pair puts the {} of rank {} before the {} of rank {}",
                  noun(sides.first), sides.first.rank, noun(sides.second), sides.second.rank);
  const std::vector<std::string>& waited = race.second_waited;
  if (waited.empty())
    return text + fmt::format(": rank {} had waited for nothing", sides.second.rank);
  const std::size_t shown = std::min(waited.size(), kCellsShown);
  std::string cells = fmt::format(
      "{}", fmt::join(waited.begin(), waited.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (waited.size() > shown) cells += fmt::format(" and {} more cells", waited.size() - shown);
  return text + fmt::format(": rank {} had waited on {} only", sides.second.rank, cells);
}

std::string order_text(const Race& race) {
  const Meant sides = meant(race);
  if (race.kind == isa::RaceKind::read_before_write)
    return fmt::format("timing decides: when the {} comes first, it sees old data",
                       noun(sides.second));
  if (race.kind == isa::RaceKind::write_after_read)
    return fmt::format("timing decides: when the {} comes first, the {} sees new data",
                       noun(sides.second), noun(sides.first));
  if (sides.first.kind == isa::AccessKind::read || sides.second.kind == isa::AccessKind::read)
    return "timing decides what the read sees";
  return "timing decides which of the two comes last";
}

std::string race_advice(const Race& race) {
  if (race.is_inside_device && race.is_one_launch)
    return "the blocks of one pl.spmd run in any order: give each block bytes of its own";
  if (race.is_inside_device)
    return "tasks of pl.manual_scope are ordered by deps alone: name the earlier one, `with "
           "pl.at(...) as tid:`, and give the later one deps=[tid]";
  switch (race.kind) {
    case isa::RaceKind::read_before_write:
      return "let the writer notify the reader after the write, and the reader wait for it before "
             "the read";
    case isa::RaceKind::write_after_read:
      return "let the reader notify the writer after the read, and the writer wait for it before "
             "the write: a second barrier, on cells of its own; on the same cells each barrier "
             "expects one credit of each rank more than the barrier before it";
    case isa::RaceKind::write_write:
      return "give each rank bytes of its own, or let the second writer wait for a notify of the "
             "first one";
    case isa::RaceKind::plain_atomic:
      break;
  }
  return "atomic accesses are in no order with plain ones: put a notify and a wait between them";
}

/// A write that is no signal and no zeroing.
bool is_plain_write(const RaceSite& site) {
  return site.kind != isa::AccessKind::read && !site.is_signal && !site.is_zeroing;
}

/// What to do when a hazard of the machine may be the cause; empty when it is the kernel.
std::string hazard_advice(const Race& race, const RaceCheck& check) {
  if (race.earlier.is_zeroing || race.later.is_zeroing)
    return "the machine zeroes a rank's windows when the rank starts (hazards.zeroing: late), and "
           "what was there is lost: the host must zero them before it launches any rank, for which "
           "hazards.zeroing: early stands";
  const bool has_write = is_plain_write(race.earlier) || is_plain_write(race.later);
  if (check.set_line_bytes != 0 && race.kind == isa::RaceKind::plain_atomic && has_write)
    return fmt::format(
        "a Set writes its whole line of {} bytes back (hazards.set_line), and what others signal "
        "to its other cells meanwhile is lost: signal with AtomicAdd, or give each cell a line of "
        "its "
        "own",
        check.set_line_bytes);
  if (check.unfenced && has_write)
    return "no fence follows the write (hazards.fences: none), so that a notify behind it may "
           "overtake it: hazards.fences: automatic has the fences of the compiler";
  return {};
}

void report_race(const Race& race, const RaceCheck& check, const std::string& when,
                 ir::Diagnostics& diagnostics) {
  const Meant sides = meant(race);
  ir::Diagnostic& diagnostic = diagnostics.error(sides.second.location, headline(race));
  auto& notes = diagnostic.notes;
  notes.push_back({fmt::format("the {} ({})", noun(sides.first), who(race, sides.first)),
                   sides.first.location});
  const std::string hazard = hazard_advice(race, check);
  if (hazard.empty()) notes.push_back({waited_text(race), {}});
  const bool is_kernel = hazard.empty() && !race.is_inside_device;
  if (is_kernel)
    add_wait_notes(diagnostic, race, {noun(sides.first), sides.first.rank, sides.second.rank});
  notes.push_back({order_text(race), {}});
  if (race.count > 1)
    notes.push_back({fmt::format("{} such races between the two lines", race.count), {}});
  if (!when.empty()) notes.push_back({when, {}});
  const std::string of_wait = is_kernel ? wait_advice(race, sides.first.rank) : std::string();
  notes.push_back({!hazard.empty() ? hazard : !of_wait.empty() ? of_wait : race_advice(race), {}});
}

}  // namespace

const char* race_kind_name(isa::RaceKind kind) {
  switch (kind) {
    case isa::RaceKind::read_before_write:
      return "read-before-write";
    case isa::RaceKind::write_after_read:
      return "write-after-read";
    case isa::RaceKind::write_write:
      return "write-write";
    case isa::RaceKind::plain_atomic:
      break;
  }
  return "plain-against-atomic";
}

std::string race_report(const RaceCheck& check, const std::vector<std::string>& when) {
  ir::Diagnostics diagnostics;
  const std::size_t shown = std::min(check.races.size(), kRacesShown);
  for (std::size_t i = 0; i < shown; ++i)
    report_race(check.races[i], check, when.empty() ? std::string() : when[i], diagnostics);
  std::string text = ir::format(diagnostics);
  const bool has_waits = std::ranges::any_of(
      check.races, [](const Race& race) { return race.wait && !race.is_inside_device; });
  if (has_waits) text += "--signals lists which notify satisfied which wait\n";
  if (check.races.size() > shown) {
    text += fmt::format("and {} more pairs of lines with races; --json has all\n",
                        check.races.size() - shown);
  }
  return text;
}

std::string finding_report(const std::vector<Finding>& findings,
                           const std::vector<std::string>& when) {
  ir::Diagnostics diagnostics;
  const std::size_t shown = std::min(findings.size(), kRacesShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const ir::Diagnostic& finding = findings[i].diagnostic;
    auto& entry = finding.severity == ir::Severity::error
                      ? diagnostics.error(finding.location, finding.message)
                      : diagnostics.warning(finding.location, finding.message);
    entry.notes = finding.notes;
    if (findings[i].count > 1) {
      const std::string ranks = interp::rank_list(findings[i].ranks);
      const bool named =
          findings[i].ranks.size() < 2 || finding.message.find(ranks) != std::string::npos;
      entry.notes.push_back(
          {fmt::format("{} times{}", findings[i].count, named ? "" : ", " + ranks), {}});
    }
    if (!when.empty()) entry.notes.push_back({when[i], {}});
  }
  std::string text = ir::format(diagnostics);
  if (findings.size() > shown)
    text += fmt::format("and {} more findings; --json has all\n", findings.size() - shown);
  return text;
}

}  // namespace a2a3::tools
