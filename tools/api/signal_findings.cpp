// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "a2a3/blocked.hpp"
#include "a2a3/finding.hpp"
#include "interp/id_list.hpp"

namespace a2a3 {
namespace {

using Place = std::tuple<const void*, std::uint32_t, std::uint32_t>;

Place place_of(const ir::SourceLocation& at) {
  return {at.file, at.line, at.column};
}

class SignalText {
 public:
  SignalText(const isa::SignalFinding& found, const FindingSources& sources)
      : found_(found), sources_(sources) {
    finding_.ranks.assign(found.devices.begin(), found.devices.end());
    finding_.count = found.count;
    finding_.place = name_cell(sources.plan, found.cell).text();
    finding_.diagnostic.location = sources.locate(found.subject.source);
    finding_.diagnostic.severity = ir::Severity::warning;
  }

  Finding text() && {
    switch (found_.fault) {
      case isa::SignalFault::lost_credit:
        lost_credit();
        break;
      case isa::SignalFault::missed_value:
        missed_value();
        break;
      case isa::SignalFault::stale_credit:
        stale_credit();
        break;
      case isa::SignalFault::left_before:
        left_before();
        break;
      case isa::SignalFault::excess_credit:
        excess_credit();
        break;
      case isa::SignalFault::competing_sets:
        competing_sets();
        break;
      case isa::SignalFault::cleared_read:
        cleared_read();
        break;
      case isa::SignalFault::joint_hang:
        joint_hang();
        break;
    }
    return std::move(finding_);
  }

 private:
  void say(const char* kind, const std::string& message) {
    finding_.kind = kind;
    finding_.diagnostic.message = fmt::format("{}: {}", kind, message);
  }
  void note(std::string text, const ir::SourceLocation& at = {}) {
    finding_.diagnostic.notes.push_back({std::move(text), at});
  }
  /// "signal[2, 0] of rank 1".
  [[nodiscard]] std::string cell() const {
    return fmt::format("{} of rank {}", finding_.place, found_.cell.device);
  }
  [[nodiscard]] std::string condition() const {
    return fmt::format("{} {}", found_.exactly ? "exactly" : "at least", found_.subject.value);
  }

  void lost_credit() {
    finding_.diagnostic.severity = ir::Severity::error;
    say("lost credit",
        fmt::format("rank {} sets {} to {}, and nothing orders that with the {:+} of rank {}: the "
                    "Set may wipe it out",
                    found_.subject.device, cell(), found_.subject.value, found_.other.value,
                    found_.other.device));
    note(fmt::format("the notify that may be lost (rank {})", found_.other.device),
         sources_.locate(found_.other.source));
    note(
        "take credits out again with NotifyOp.AtomicAdd of a negative value, or let a wait put the "
        "two in order");
  }
  void missed_value() {
    finding_.diagnostic.severity = ir::Severity::error;
    if (found_.other.device == found_.subject.device && !found_.exactly) return missed_own();
    say("missed value",
        fmt::format("rank {} waits for {} to be {}, and a notify of rank {}, which nothing orders "
                    "behind the wait, makes it {}",
                    found_.subject.device, cell(), condition(), found_.other.device,
                    found_.cell_value));
    note(fmt::format("the notify (rank {})", found_.other.device),
         sources_.locate(found_.other.source));
    note(fmt::format("on a timing where it comes first the wait never ends: {}",
                     found_.exactly
                         ? "wait with WaitCmp.Ge"
                         : "let the waiting rank signal that it has gone on, or take the "
                           "credit out itself"));
  }
  /// What the waiting rank did itself took the value away: it comes before the wait as a rule.
  void missed_own() {
    say("missed value",
        fmt::format("rank {} waits for {} to be {}, and its own notify, which nothing orders with "
                    "those of the others, may come after them and makes it {}",
                    found_.subject.device, cell(), condition(), found_.cell_value));
    note(fmt::format("its own notify (rank {})", found_.other.device),
         sources_.locate(found_.other.source));
    note(
        "on such a timing the wait never ends: take credits out again with NotifyOp.AtomicAdd of a "
        "negative value, or before anybody can send the next one");
  }
  void stale_credit() {
    say("stale credit",
        fmt::format(
            "{} cannot block here: what it takes for {} to be {}, an earlier wait has asked "
            "for already",
            interp::rank_list(finding_.ranks), finding_.place, condition()));
    const ir::SourceLocation earlier = sources_.locate(found_.other.source);
    const bool same = place_of(earlier) == place_of(finding_.diagnostic.location);
    note(same ? "the earlier wait is this one, one time before" : "the earlier wait",
         same ? ir::SourceLocation{} : earlier);
    note(
        "counters only grow: expect one more each time, while the notify adds 1 as before, or take "
        "the credit out again");
  }
  void left_before() {
    say("stale credit",
        fmt::format("{} cannot block here: {} was {} before this launch began",
                    interp::rank_list(finding_.ranks), finding_.place, condition()));
    note(
        "windows keep their contents with --persistent: take all credits out again at the end of "
        "the kernel");
  }
  void excess_credit() {
    say("excess credit", fmt::format("{} ends at {}, and no wait asks for more than {}", cell(),
                                     found_.cell_value, found_.other.value));
    const ir::SourceLocation first = sources_.locate(found_.other.source);
    const bool same = place_of(first) == place_of(finding_.diagnostic.location);
    note(fmt::format("rank {} sends {} with nothing in between: do two cores or two calls send the "
                     "same one? A credit too many lets a later wait pass early",
                     found_.subject.device, same ? "this notify twice" : "this one and that above"),
         same ? ir::SourceLocation{} : first);
  }
  void competing_sets() {
    say("competing Sets",
        fmt::format(
            "{} is set to {} by rank {} and to {} by rank {}, and nothing orders the two: a "
            "Set wipes out what came before it",
            cell(), found_.subject.value, found_.subject.device, found_.other.value,
            found_.other.device));
    note(fmt::format("the other Set (rank {})", found_.other.device),
         sources_.locate(found_.other.source));
    note("use NotifyOp.AtomicAdd, or a cell for each rank");
  }
  void cleared_read() {
    say(kClearedRead,
        fmt::format("{}: {} is read after all its credits were taken out again, it counts nothing "
                    "any more",
                    interp::rank_list(finding_.ranks), cell()));
    note(fmt::format("the collective that takes its credits out again (rank {})",
                     found_.other.device),
         sources_.locate(found_.other.source));
    note("to count arrivals, notify and wait by hand on cells of their own");
  }

  /// "rank 1 waits for signal[2, 0] of rank 1 to be at least 1, and it is 0".
  [[nodiscard]] std::string stuck(const isa::SignalFinding::Stuck& one) const {
    return fmt::format("rank {} waits for {} of rank {} to be {} {}, and it is {}", one.wait.device,
                       name_cell(sources_.plan, one.cell).text(), one.cell.device,
                       one.exactly ? "exactly" : "at least", one.wait.value, one.cell_value);
  }
  void joint_hang() {
    constexpr std::size_t kListed = 6;
    finding_.diagnostic.severity = ir::Severity::error;
    say("possible deadlock",
        fmt::format("on another timing {} for good", stuck(found_.stuck.front())));
    for (std::size_t i = 1; i < std::min(kListed, found_.stuck.size()); ++i) {
      const bool is_here = found_.stuck[i].wait.source == found_.subject.source;
      note(stuck(found_.stuck[i]),
           is_here ? ir::SourceLocation{} : sources_.locate(found_.stuck[i].wait.source));
    }
    if (found_.stuck.size() > kListed)
      note(fmt::format("and {} more wait", found_.stuck.size() - kListed));
    note(found_.stuck.size() == 1
             ? "give each one that takes credits out a cell of its own"
             : "each lives from credit that another one gives behind its own wait: take the "
               "credits in the same order everywhere, or give each taker cells of its own");
  }

  const isa::SignalFinding& found_;
  const FindingSources& sources_;
  Finding finding_;
};

/// The calls of builtin collectives by the lines of their signals.
class CollectiveCalls {
 public:
  explicit CollectiveCalls(const FindingSources& sources) : sources_(sources) {
    for (const auto& [call, count] : sources.collectives)
      calls_.emplace(place_of(sources.locate(call.source)), call.note.schedule);
  }

  [[nodiscard]] bool empty() const { return calls_.empty(); }
  /// Place and schedule of the call; null when the signal is none of a collective.
  [[nodiscard]] const std::pair<const Place, std::string>* of(isa::SourceId source) {
    const auto [known, is_new] = call_of_.try_emplace(source, nullptr);  // few lines, many cells
    if (is_new) {
      const auto call = calls_.find(place_of(sources_.locate(source)));
      if (call != calls_.end()) known->second = &*call;
    }
    return known->second;
  }

 private:
  const FindingSources& sources_;
  std::map<Place, std::string> calls_;
  std::map<isa::SourceId, const std::pair<const Place, std::string>*> call_of_;
};

/// Cells that a builtin collective has added to and that did not come back to 0. Gives all that one
/// has added to as well, ascending.
std::vector<Finding> leftovers(const FindingSources& sources, CollectiveCalls& calls,
                               std::vector<isa::GlobalAddress>& builtin_cells) {
  std::map<Place, Finding> found;
  if (calls.empty()) return {};
  for (std::uint32_t device = 0; device < sources.plan.gm_bytes.size(); ++device) {
    for (const sim::CellCredit& credit : sources.signals.credits(device)) {
      const auto* call = calls.of(credit.source);
      if (call == nullptr || credit.op == isa::NotifyOp::set) continue;
      if (!builtin_cells.empty() && builtin_cells.back() == credit.cell) continue;
      builtin_cells.push_back(credit.cell);
      const std::int32_t value = sources.value_of(credit.cell);
      if (!sources.finished || value == 0) continue;
      Finding& finding = found[call->first];
      const bool is_first = finding.ranks.empty();
      finding.ranks.push_back(device);
      finding.count += is_first ? 0 : 1;
      if (!is_first) continue;
      finding.kind = "leftover credit";
      finding.place = name_cell(sources.plan, credit.cell).text();
      finding.diagnostic = {
          ir::Severity::error,
          sources.locate(credit.source),
          fmt::format("leftover credit: {} of rank {} ends at {}; {} takes all of "
                      "its credits out again and needs cells that are 0",
                      finding.place, device, value, call->second.substr(0, call->second.find('.'))),
          {}};
      for (const sim::CellCredit& other : sources.signals.credits(device)) {
        if (other.cell != credit.cell || calls.of(other.source) != nullptr) continue;
        finding.diagnostic.notes.push_back(
            {fmt::format("rank {} signals the cell too", other.from_device),
             sources.locate(other.source)});
        break;
      }
      finding.diagnostic.notes.push_back({"give the collective a window of its own", {}});
    }
  }
  std::vector<Finding> list;
  for (auto& [place, finding] : found) {
    finding.ranks.erase(std::unique(finding.ranks.begin(), finding.ranks.end()),
                        finding.ranks.end());
    list.push_back(std::move(finding));
  }
  return list;
}

}  // namespace

std::vector<Finding> signal_findings(const std::vector<isa::SignalFinding>& found,
                                     const FindingSources& sources) {
  std::vector<isa::GlobalAddress> builtin_cells;
  CollectiveCalls calls(sources);
  std::vector<Finding> all = leftovers(sources, calls, builtin_cells);
  for (const isa::SignalFinding& one : found) {
    if (one.fault == isa::SignalFault::left_before && !sources.windows_kept) continue;
    if (one.fault == isa::SignalFault::excess_credit &&
        std::ranges::binary_search(builtin_cells, one.cell))
      continue;
    // Who clears by hand knows what the cell is.
    if (one.fault == isa::SignalFault::cleared_read && calls.of(one.other.source) == nullptr)
      continue;
    all.push_back(SignalText(one, sources).text());
  }
  return all;
}

}  // namespace a2a3
