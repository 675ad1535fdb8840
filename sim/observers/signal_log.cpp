// SPDX-License-Identifier: Apache-2.0
#include "sim/observers/signal_log.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace a2a3::sim {

SignalLog::Cell& SignalLog::enter(const isa::GlobalAddress& cell) {
  const auto [number, is_new] = numbers_.enter(cell);
  return is_new ? cells_.emplace_back() : cells_[number];
}

void SignalLog::on_signal_landed(const SignalLanded& event) {
  const isa::TNotify& notify = event.notify;
  const std::uint32_t from = event.origin.device;
  const isa::SourceId source = event.origin.source;
  Cell& cell = enter(notify.cell);
  auto credit = std::ranges::find_if(cell.credits, [&](const CellCredit& one) {
    return one.from_device == from && one.source == source && one.op == notify.op;
  });
  if (credit == cell.credits.end())
    credit = &cell.credits.push_back({notify.cell, from, source, notify.op, 0, 0, 0});
  ++credit->count;
  if (notify.op == isa::NotifyOp::set) credit->sum = 0;
  credit->sum += notify.value;
  credit->last_landed = event.time;

  if (notify.op == isa::NotifyOp::atomic_add) {
    cell.last_add = {from, source, notify.value};
  } else {
    if (cell.last_add && cell.value > std::max(cell.asked, notify.value)) {
      cell.wiped_out = WipedOut{cell.value,
                                from,
                                source,
                                notify.value,
                                cell.last_add->device,
                                cell.last_add->source,
                                cell.last_add->value};
    }
    cell.last_add.reset();
    cell.asked = notify.value;
  }
  cell.value = event.value;
  const auto place = std::ranges::lower_bound(cell.values, event.value);
  const bool is_known = place != cell.values.end() && *place == event.value;
  if (!is_known && cell.values.size() < kMostValues) cell.values.insert(place, event.value);
}

void SignalLog::append(std::vector<CellCredit>& landed, const Cell& cell) {
  const auto before = static_cast<std::ptrdiff_t>(landed.size());
  landed.insert(landed.end(), cell.credits.begin(), cell.credits.end());
  std::ranges::sort(landed.begin() + before, landed.end(), {}, [](const CellCredit& one) {
    return std::tuple(one.from_device, one.source, one.op);
  });
}

std::vector<CellCredit> SignalLog::credits_of(const isa::GlobalAddress& cell) const {
  std::vector<CellCredit> landed;
  if (const Cell* known = find(cell)) append(landed, *known);
  return landed;
}

std::size_t SignalLog::other_senders(const isa::GlobalAddress& cell) const {
  const Cell* const known = find(cell);
  if (known == nullptr) return 0;
  std::vector<std::uint32_t> devices;
  for (const CellCredit& one : known->credits) {
    if (one.from_device != cell.device) devices.push_back(one.from_device);
  }
  std::ranges::sort(devices);
  return static_cast<std::size_t>(std::unique(devices.begin(), devices.end()) - devices.begin());
}

void SignalLog::on_wait_ended(const WaitEnded& event) {
  Cell& cell = enter(event.wait.cell);
  cell.was_asked_for = true;
  cell.asked = std::max(cell.asked, event.wait.expected);
}

const SignalLog::Cell* SignalLog::find(const isa::GlobalAddress& cell) const {
  const auto number = numbers_.find(cell);
  return number ? &cells_[*number] : nullptr;
}

bool SignalLog::was_asked_for(const isa::GlobalAddress& cell) const {
  const Cell* known = find(cell);
  return known != nullptr && known->was_asked_for;
}

bool SignalLog::has_held(const isa::GlobalAddress& cell, std::int32_t value) const {
  const Cell* known = find(cell);
  return known != nullptr && std::ranges::binary_search(known->values, value);
}

std::optional<std::int32_t> SignalLog::signalled(const isa::GlobalAddress& cell) const {
  const Cell* const known = find(cell);
  return known == nullptr || known->credits.empty() ? std::nullopt : std::optional(known->value);
}

std::optional<WipedOut> SignalLog::wiped_out(const isa::GlobalAddress& cell) const {
  const Cell* known = find(cell);
  return known == nullptr ? std::nullopt : known->wiped_out;
}

std::vector<CellCredit> SignalLog::credits(std::uint32_t device) const {
  std::vector<CellCredit> landed;
  numbers_.for_each_of(device, [&](std::uint32_t number) { append(landed, cells_[number]); });
  return landed;
}

}  // namespace a2a3::sim
