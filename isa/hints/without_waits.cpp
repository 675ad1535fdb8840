// SPDX-License-Identifier: Apache-2.0
#include "isa/hints/without_waits.hpp"

#include <algorithm>

namespace a2a3::isa {

template <class Tell>
void WithoutWaits::tell(const Tell& tell) {
  if (!check_) return;
  tell(*check_);
  if (!check_->is_complete()) check_.reset();
}

void WithoutWaits::on_begin(const RunEvent& event) {
  tell([&](HappensBefore& check) { check.on_begin(event); });
}

void WithoutWaits::on_complete(std::uint32_t task) {
  tell([&](HappensBefore& check) { check.on_complete(task); });
}

void WithoutWaits::on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                             std::uint64_t bytes) {
  tell([&](HappensBefore& check) { check.on_access(event, kind, address, bytes); });
}

void WithoutWaits::on_overwrite(const RunEvent& event, GlobalAddress address, std::uint64_t bytes) {
  tell([&](HappensBefore& check) { check.on_overwrite(event, address, bytes); });
}

void WithoutWaits::on_notify(const RunEvent& event, const TNotify& notify, CellChange cell) {
  tell([&](HappensBefore& check) { check.on_notify(event, notify, cell); });
}

void WithoutWaits::on_wait(const RunEvent& event, const TWait& wait, std::int32_t value) {
  if (lines_.contains(line_of_(event.source))) return;
  tell([&](HappensBefore& check) { check.on_wait(event, wait, value); });
}

void WithoutWaits::on_meet(const RunEvent& event, const TDeferWait& condition, std::int32_t value) {
  if (lines_.contains(line_of_(event.source))) return;
  tell([&](HappensBefore& check) { check.on_meet(event, condition, value); });
}

std::optional<bool> WithoutWaits::lacks_order() const {
  if (!check_) return std::nullopt;
  // Leftovers are no question of order.
  const auto is_of_order = [](const SignalFinding& one) {
    return one.fault == SignalFault::lost_credit || one.fault == SignalFault::missed_value;
  };
  return !check_->findings().empty() ||
         std::ranges::any_of(check_->signal_findings(true), is_of_order);
}

}  // namespace a2a3::isa
