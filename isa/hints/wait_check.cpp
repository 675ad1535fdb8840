// SPDX-License-Identifier: Apache-2.0
#include "isa/hints/wait_check.hpp"

#include <tuple>
#include <utility>

namespace a2a3::isa {
namespace {

std::uint64_t count_races(const HappensBefore& check) {
  std::uint64_t count = 0;
  for (const RaceFinding& finding : check.findings())
    count += finding.count;
  return count;
}

using SignalKey = std::tuple<SignalFault, SourceId, SourceId>;

/// What may go wrong with signals on another timing; leftovers are no question of order.
std::map<SignalKey, std::uint64_t> signal_faults(const HappensBefore& check) {
  std::map<SignalKey, std::uint64_t> faults;
  for (const SignalFinding& finding : check.signal_findings(true)) {
    if (finding.fault == SignalFault::lost_credit || finding.fault == SignalFault::missed_value)
      faults[{finding.fault, finding.subject.source, finding.other.source}] += finding.count;
  }
  return faults;
}

}  // namespace

WaitCheck::WaitCheck(TaskOrder order, std::uint64_t max_records, std::size_t max_lines,
                     std::function<std::uint32_t(SourceId)> line_of)
    : whole_(std::move(order), max_records), max_lines_(max_lines), line_of_(std::move(line_of)) {}

template <class Tell>
void WaitCheck::tell_all(const Tell& tell) {
  tell(whole_);
  for (const Followed& one : followed_) {
    if (one.without != nullptr) tell(*one.without);
  }
}

template <class Tell>
void WaitCheck::tell_others(const Followed& except, const Tell& tell) {
  tell(whole_);
  for (const Followed& one : followed_) {
    if (&one != &except && one.without != nullptr) tell(*one.without);
  }
}

/// The line of a wait that has just ended. Until its first wait a run with and without it are one.
WaitCheck::Followed& WaitCheck::follow(const RunEvent& event) {
  const std::uint32_t line = line_of_(event.source);
  const auto [known, is_new] = index_of_line_.try_emplace(line, followed_.size());
  if (is_new) {
    Followed& added = followed_.emplace_back();
    added.line.line = line;
    if (followed_.size() <= max_lines_) added.without = std::make_unique<HappensBefore>(whole_);
  }
  Followed& followed = followed_[known->second];
  followed.line.sources.insert(event.source);
  followed.line.devices.insert(event.device);
  ++followed.line.waits;
  return followed;
}

void WaitCheck::on_begin(const RunEvent& event) {
  tell_all([&](HappensBefore& check) { check.on_begin(event); });
}

void WaitCheck::on_complete(std::uint32_t task) {
  tell_all([&](HappensBefore& check) { check.on_complete(task); });
}

void WaitCheck::on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                          std::uint64_t bytes) {
  tell_all([&](HappensBefore& check) { check.on_access(event, kind, address, bytes); });
}

void WaitCheck::on_overwrite(const RunEvent& event, GlobalAddress address, std::uint64_t bytes) {
  tell_all([&](HappensBefore& check) { check.on_overwrite(event, address, bytes); });
}

void WaitCheck::on_notify(const RunEvent& event, const TNotify& notify, std::int32_t after) {
  tell_all([&](HappensBefore& check) { check.on_notify(event, notify, after); });
}

void WaitCheck::on_wait(const RunEvent& event, const TWait& wait, std::int32_t value) {
  tell_others(follow(event), [&](HappensBefore& check) { check.on_wait(event, wait, value); });
}

void WaitCheck::on_meet(const RunEvent& event, const TDeferWait& condition, std::int32_t value) {
  tell_others(follow(event), [&](HappensBefore& check) { check.on_meet(event, condition, value); });
}

WaitLine::Use WaitCheck::use_of(const Followed& followed) const {
  if (followed.without == nullptr) return WaitLine::Use::left_out;
  const HappensBefore& without = *followed.without;
  if (!whole_.is_complete() || !without.is_complete()) return WaitLine::Use::undecided;
  const std::uint64_t races = count_races(whole_);
  if (count_races(without) > races) return WaitLine::Use::needed;
  const auto before = signal_faults(whole_);
  for (const auto& [key, count] : signal_faults(without)) {
    const auto known = before.find(key);
    if (known == before.end() || known->second < count) return WaitLine::Use::needed;
  }
  return races > 0 ? WaitLine::Use::undecided : WaitLine::Use::idle;
}

std::vector<WaitLine> WaitCheck::lines() const {
  std::vector<WaitLine> lines;
  for (const Followed& followed : followed_) {
    lines.push_back(followed.line);
    lines.back().use = use_of(followed);
  }
  return lines;
}

}  // namespace a2a3::isa
