// SPDX-License-Identifier: Apache-2.0
#include "a2a3/hint_check.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "a2a3/blocked.hpp"
#include "a2a3/range_name.hpp"
#include "interp/id_list.hpp"

namespace a2a3 {
namespace {

constexpr std::uint64_t kSignalBytes = sizeof(std::int32_t);

/// Executions whose times are looked for; beyond them a hint's time is that of the first ones.
constexpr std::size_t kMostPieces = 1'000'000;

/// "receives" of one rank, "receive" of several.
std::string does(const std::set<std::uint32_t>& ranks, const std::string& verb) {
  return fmt::format("{} {}{}", interp::rank_list({ranks.begin(), ranks.end()}), verb,
                     ranks.size() == 1 ? "s" : "");
}

Hint make_hint(const char* kind, const ir::SourceLocation& at, const std::string& message,
               const std::set<std::uint32_t>& ranks) {
  Hint hint;
  hint.kind = kind;
  hint.diagnostic = {ir::Severity::hint, at, fmt::format("{}: {}", kind, message), {}};
  hint.ranks.assign(ranks.begin(), ranks.end());
  return hint;
}

/// Deliveries of one line that were for nothing in the same way.
struct DeliveryGroup {
  isa::WastedDelivery first;
  std::set<std::uint32_t> receivers;
  std::uint64_t bytes = 0;
  std::vector<isa::WastedDelivery> all;
};

Hint describe(const DeliveryGroup& group, const interp::LaunchPlan& plan,
              const ir::SourceLocation& at, const ir::SourceLocation& other) {
  using Kind = isa::WastedDelivery::Kind;
  const isa::WastedDelivery& first = group.first;
  const std::string place = name_range(plan, first.address, first.stretch_bytes).text;
  const std::string where = fmt::format("{} of rank {}{}", place, first.address.device,
                                        group.all.size() == 1 ? "" : ", for one");
  const bool twice = first.kind == Kind::twice;
  std::string message = does(group.receivers, "receive");
  std::string advice = "send only what is read";
  switch (first.kind) {
    case Kind::twice:
      message += " once more what nobody has read since it came the first time: " + where;
      advice = "leave one of the two out";
      break;
    case Kind::overwritten:
      message += " bytes that are overwritten before anybody reads them: " + where;
      break;
    case Kind::unread:
      message += " bytes that nobody reads: " + where;
      break;
    case Kind::unused_tile:
      message += " bytes in a tile that nothing uses: " + where;
      advice = "load only what is used";
      break;
  }
  Hint hint = make_hint(twice ? kDeliveredTwice : kNotRead, at, message, group.receivers);
  hint.place = place;
  hint.count = group.all.size();
  hint.bytes = group.bytes;
  if (first.other) {
    hint.diagnostic.notes.push_back({twice ? "they came here first" : "they are overwritten here",
                                     twice && other.line == at.line && other.column == at.column
                                         ? ir::SourceLocation{}
                                         : other});
    if (!hint.diagnostic.notes.back().location.known())
      hint.diagnostic.notes.back().message = "the first time was by the same line";
  }
  hint.diagnostic.notes.push_back({advice, {}});
  return hint;
}

class HintList {
 public:
  HintList(const interp::LaunchPlan& plan, LineTable& lines) : plan_(plan), lines_(lines) {}

  void add(const std::vector<isa::WastedDelivery>& wasted) {
    using Key = std::tuple<std::uint32_t, isa::WastedDelivery::Kind, std::optional<std::uint32_t>>;
    std::map<Key, DeliveryGroup> groups;
    for (const isa::WastedDelivery& one : wasted) {
      std::optional<std::uint32_t> other;
      if (one.other) other = lines_.line_of(*one.other);
      DeliveryGroup& group = groups[{lines_.line_of(one.at.source), one.kind, other}];
      if (group.all.empty()) group.first = one;
      group.receivers.insert(one.receiver);
      group.bytes += one.bytes;
      group.all.push_back(one);
    }
    for (const auto& [key, group] : groups) {
      const auto& [line, kind, other] = key;
      const ir::SourceLocation at = lines_.place(line);
      for (const isa::WastedDelivery& one : group.all) {
        if (one.is_all && hints_.pieces.size() < kMostPieces)
          hints_.pieces.push_back({hints_.all.size(), one.at.task, at, one.pieces});
      }
      hints_.all.push_back(
          describe(group, plan_, at, other ? lines_.place(*other) : ir::SourceLocation{}));
    }
  }

  void add(const std::vector<isa::WaitLine>& waits, const std::optional<WaitCover>& cover) {
    for (const isa::WaitLine& one : waits) {
      ++hints_.wait_lines;
      if (one.use == isa::WaitLine::Use::left_out) continue;
      ++hints_.wait_lines_looked_at;
      if (one.use == isa::WaitLine::Use::undecided) ++hints_.wait_lines_undecided;
      if (one.use != isa::WaitLine::Use::idle) continue;
      Hint& hint = hints_.all.emplace_back(make_hint(
          kIdleWait, lines_.place(one.line),
          does(one.devices, "wait") +
              " here, and without it everything that must come in order would still do so",
          one.devices));
      hint.count = one.waits;
      hint.bytes = one.waits * kSignalBytes;
      if (cover) add_cover(hint, *cover, one.line);
      hint.diagnostic.notes.push_back(
          {"in this run, and as long as all other waits stay: leave it out together with its "
           "notifies, or keep it for what comes after the run",
           {}});
    }
  }

  void add(const std::vector<isa::UncountedSignal>& signals,
           const std::map<isa::SourceId, std::uint64_t>& sent) {
    struct Group {
      isa::UncountedSignal first;
      std::set<std::uint32_t> senders;
      std::uint64_t count = 0;
    };
    std::map<std::uint32_t, std::uint64_t> sent_by_line;
    for (const auto& [source, count] : sent)
      sent_by_line[lines_.line_of(source)] += count;
    std::map<std::uint32_t, Group> groups;
    for (const isa::UncountedSignal& one : signals) {
      Group& group = groups[lines_.line_of(one.at.source)];
      if (group.count++ == 0) group.first = one;
      group.senders.insert(one.at.device);
    }
    for (const auto& [line, group] : groups) {
      const std::string cell = name_cell(plan_, group.first.cell).text();
      Hint& hint = hints_.all.emplace_back(make_hint(
          kIdleNotify, lines_.place(line),
          fmt::format("{} a signal that no wait needs and nobody reads: {:+} to {} of rank {}{}",
                      does(group.senders, "send"), group.first.value, cell, group.first.cell.device,
                      group.count == 1 ? "" : ", for one"),
          group.senders));
      hint.place = cell;
      hint.count = group.count;
      hint.bytes = group.count * kSignalBytes;
      hint.of_count = sent_by_line.at(line);
      const std::uint64_t needed = *hint.of_count - group.count;
      hint.diagnostic.notes.push_back(
          {needed == 0
               ? "wait for it, or do not send it"
               : fmt::format("keep the line: its other {} {} needed; send only those that a "
                             "wait needs, or wait for these too",
                             needed, needed == 1 ? "notify is" : "notifies are"),
           {}});
    }
  }

  Hints take(bool complete) {
    hints_.complete = complete;
    return std::move(hints_);
  }

 private:
  /// What has to stay when the wait goes.
  void add_cover(Hint& hint, const WaitCover& cover, std::uint32_t line) const {
    const std::vector<std::uint32_t> partners = cover.partners(line);
    for (const std::uint32_t partner : partners) {
      hint.diagnostic.notes.push_back(
          {"the wait here orders the same: each alone is without use, but one of them must stay",
           lines_.place(partner)});
    }
    if (partners.empty() && cover.not_all_at_once()) {
      hint.diagnostic.notes.push_back(
          {"of the waits that order nothing not all can be left out at once", {}});
    }
  }

  const interp::LaunchPlan& plan_;
  LineTable& lines_;
  Hints hints_;
};

}  // namespace

HintCheck::HintCheck(const isa::TaskOrder& order, const isa::SignalRecord& signals,
                     std::uint64_t max_records,
                     std::function<ir::SourceLocation(isa::SourceId)> locate)
    : order_(order),
      signals_(signals),
      max_records_(max_records),
      lines_(std::move(locate)),
      deliveries_(max_records, [this](isa::SourceId source) { return lines_.line_of(source); }),
      waits_(order, max_records / kMostWaitLines, kMostWaitLines,
             [this](isa::SourceId source) { return lines_.line_of(source); }) {}

std::vector<isa::RunObserver*> HintCheck::second_look() {
  std::vector<std::uint32_t> idle;
  for (const isa::WaitLine& one : waits_.lines()) {
    if (one.use == isa::WaitLine::Use::idle) idle.push_back(one.line);
  }
  cover_.emplace(order_, max_records_, idle,
                 [this](isa::SourceId source) { return lines_.line_of(source); });
  return cover_->observers();
}

Hints HintCheck::hints(const interp::LaunchPlan& plan,
                       const std::function<bool(std::size_t window)>& is_read) {
  for (const interp::HostCopy& copy : plan.copies) {
    if (copy.copy_out) deliveries_.read(copy.device, copy.bytes);
  }
  for (std::size_t w = 0; w < plan.windows.size(); ++w) {
    if (!is_read(w)) continue;
    for (const auto& [device, offset] : plan.windows[w].offset_bytes)
      deliveries_.read({device, offset}, plan.windows[w].bytes);
  }
  HintList list(plan, lines_);
  list.add(deliveries_.wasted());
  list.add(waits_.lines(), cover_);
  list.add(signals_.uncounted(), signals_.sent());
  return list.take(deliveries_.is_complete() && signals_.is_complete());
}

}  // namespace a2a3
