// SPDX-License-Identifier: Apache-2.0
#include "isa/hints/wait_check.hpp"

#include <utility>

namespace a2a3::isa {

WaitCheck::WaitCheck(TaskOrder order, std::uint64_t max_records, std::size_t max_lines,
                     WithoutWaits::LineOf line_of)
    : whole_(std::move(order), max_records, line_of),
      max_lines_(max_lines),
      line_of_(std::move(line_of)) {}

/// When the whole run is undecided so is it without any of its lines.
template <class Tell>
void WaitCheck::tell_all(const Tell& tell) {
  if (!whole_.is_complete()) return;
  tell(whole_);
  for (Followed& one : followed_) {
    if (!whole_.is_complete()) one.without.reset();
    if (one.without != nullptr) tell(*one.without);
  }
}

/// The line of a wait that has just ended. Until its first wait a run with and without it are one.
void WaitCheck::follow(const RunEvent& event) {
  const std::uint32_t line = line_of_(event.source);
  const auto [known, is_new] = index_of_line_.try_emplace(line, followed_.size());
  if (is_new) {
    Followed& added = followed_.emplace_back();
    added.line.line = line;
    if (known->second < max_lines_ && whole_.is_complete()) {
      added.without = std::make_unique<WithoutWaits>(whole_);
      added.without->leave_out(line);
    }
  }
  WaitLine& followed = followed_[known->second].line;
  followed.sources.insert(event.source);
  followed.devices.insert(event.device);
  ++followed.waits;
}

void WaitCheck::on_begin(const RunEvent& event) {
  tell_all([&](WithoutWaits& check) { check.on_begin(event); });
}

void WaitCheck::on_complete(std::uint32_t task) {
  tell_all([&](WithoutWaits& check) { check.on_complete(task); });
}

void WaitCheck::on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                          std::uint64_t bytes) {
  tell_all([&](WithoutWaits& check) { check.on_access(event, kind, address, bytes); });
}

void WaitCheck::on_overwrite(const RunEvent& event, GlobalAddress address, std::uint64_t bytes) {
  tell_all([&](WithoutWaits& check) { check.on_overwrite(event, address, bytes); });
}

void WaitCheck::on_notify(const RunEvent& event, const TNotify& notify, CellChange cell) {
  tell_all([&](WithoutWaits& check) { check.on_notify(event, notify, cell); });
}

void WaitCheck::on_wait(const RunEvent& event, const TWait& wait, std::int32_t value) {
  follow(event);
  tell_all([&](WithoutWaits& check) { check.on_wait(event, wait, value); });
}

void WaitCheck::on_meet(const RunEvent& event, const TDeferWait& condition, std::int32_t value) {
  follow(event);
  tell_all([&](WithoutWaits& check) { check.on_meet(event, condition, value); });
}

WaitLine::Use WaitCheck::use_of(std::size_t followed, bool whole_is_in_order) const {
  if (followed >= max_lines_) return WaitLine::Use::left_out;
  const WithoutWaits* const without = followed_[followed].without.get();
  if (!whole_is_in_order || without == nullptr) return WaitLine::Use::undecided;
  const std::optional<bool> lacks_order = without->lacks_order();
  if (!lacks_order) return WaitLine::Use::undecided;
  return *lacks_order ? WaitLine::Use::needed : WaitLine::Use::idle;
}

std::vector<WaitLine> WaitCheck::lines() const {
  const bool whole_is_in_order = whole_.lacks_order() == std::optional(false);
  std::vector<WaitLine> lines;
  for (std::size_t i = 0; i < followed_.size(); ++i) {
    lines.push_back(followed_[i].line);
    lines.back().use = use_of(i, whole_is_in_order);
  }
  return lines;
}

}  // namespace a2a3::isa
