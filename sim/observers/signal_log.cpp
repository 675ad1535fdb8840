// SPDX-License-Identifier: Apache-2.0
#include "sim/observers/signal_log.hpp"

#include <algorithm>

namespace a2a3::sim {

void SignalLog::on_signal_landed(const SignalLanded& event) {
  const isa::TNotify& notify = event.notify;
  const Key key{notify.cell.device, notify.cell.offset_bytes, event.origin.device,
                event.origin.source, notify.op};
  CellCredit& credit = credits_[key];
  credit.cell = notify.cell;
  credit.from_device = event.origin.device;
  credit.source = event.origin.source;
  credit.op = notify.op;
  ++credit.count;
  credit.sum += notify.value;
  credit.last_landed = event.time;

  Cell& cell = cells_[{notify.cell.device, notify.cell.offset_bytes}];
  if (notify.op == isa::NotifyOp::atomic_add) {
    cell.last_add = event;
  } else {
    if (cell.last_add && cell.value > std::max(cell.asked, notify.value)) {
      const SignalLanded& add = *cell.last_add;
      cell.wiped_out =
          WipedOut{cell.value,        event.origin.device, event.origin.source, notify.value,
                   add.origin.device, add.origin.source,   add.notify.value};
    }
    cell.last_add.reset();
    cell.asked = notify.value;
  }
  cell.value = event.value;
  if (cell.values.size() < kMostValues) cell.values.insert(event.value);
}

std::vector<CellCredit> SignalLog::credits_of(const isa::GlobalAddress& cell) const {
  std::vector<CellCredit> landed;
  const Key first{cell.device, cell.offset_bytes, 0, 0, isa::NotifyOp::atomic_add};
  for (auto at = credits_.lower_bound(first); at != credits_.end() && at->second.cell == cell; ++at)
    landed.push_back(at->second);
  return landed;
}

void SignalLog::on_wait_ended(const WaitEnded& event) {
  Cell& cell = cells_[{event.wait.cell.device, event.wait.cell.offset_bytes}];
  cell.was_asked_for = true;
  cell.asked = std::max(cell.asked, event.wait.expected);
}

const SignalLog::Cell* SignalLog::find(const isa::GlobalAddress& cell) const {
  const auto known = cells_.find({cell.device, cell.offset_bytes});
  return known == cells_.end() ? nullptr : &known->second;
}

bool SignalLog::was_asked_for(const isa::GlobalAddress& cell) const {
  const Cell* known = find(cell);
  return known != nullptr && known->was_asked_for;
}

bool SignalLog::has_held(const isa::GlobalAddress& cell, std::int32_t value) const {
  const Cell* known = find(cell);
  return known != nullptr && known->values.contains(value);
}

std::optional<WipedOut> SignalLog::wiped_out(const isa::GlobalAddress& cell) const {
  const Cell* known = find(cell);
  return known == nullptr ? std::nullopt : known->wiped_out;
}

std::vector<CellCredit> SignalLog::credits(std::uint32_t device) const {
  std::vector<CellCredit> landed;
  for (auto at = credits_.lower_bound({device, 0, 0, 0, isa::NotifyOp::atomic_add});
       at != credits_.end() && at->second.cell.device == device; ++at)
    landed.push_back(at->second);
  return landed;
}

}  // namespace a2a3::sim
