// SPDX-License-Identifier: Apache-2.0
#include "interp/run_events.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "interp/relaxed_memory.hpp"
#include "isa/order/operation_accesses.hpp"

namespace a2a3::interp {

RunEvents::RunEvents(const std::vector<KernelRun::Core>& cores,
                     std::vector<isa::RunObserver*> observers, std::uint32_t unfenced_index)
    : observers_(std::move(observers)), unfenced_index_(unfenced_index) {
  for (const KernelRun::Core& core : cores)
    positions_.push_back({core.device, 0, {}});
  std::ranges::copy_if(observers_, std::back_inserter(access_observers_),
                       [](const isa::RunObserver* one) { return one->sees_accesses(); });
}

isa::RunEvent RunEvents::place(std::size_t core, const isa::Instruction& instruction) {
  Position& at = positions_[core];
  if (const auto* begin = std::get_if<isa::TaskBegin>(&instruction.operation))
    at.task = begin->task;
  // Those from unfenced_index_ on are left to the writes.
  const std::uint32_t index = std::min(at.sync.of(instruction.operation), unfenced_index_ - 1);
  return {at.task, at.device, index, instruction.source};
}

void RunEvents::operation(const isa::RunEvent& event, const isa::Operation& operation) const {
  if (std::holds_alternative<isa::TaskBegin>(operation)) return begin(event);
  for (isa::RunObserver* observer : observers_)
    observer->on_operation(event, operation);
  if (access_observers_.empty()) return;
  isa::RunEvent writing = event;
  if (unfenced_index_ != kFenced && RelaxedMemory::is_delayed(operation))
    writing.sync_index = unfenced_index_;
  isa::for_each_access(operation, [&](isa::AccessKind kind, isa::GlobalAddress address,
                                      std::uint64_t bytes) {
    for (isa::RunObserver* observer : access_observers_)
      observer->on_access(kind == isa::AccessKind::read ? event : writing, kind, address, bytes);
  });
}

void RunEvents::created(const isa::RunEvent& event, std::span<const isa::Tile> tiles) const {
  for (const isa::Tile& tile : tiles) {
    for (isa::RunObserver* observer : observers_)
      observer->on_create(event, tile);
  }
}

void RunEvents::notify(const isa::RunEvent& event, const isa::TNotify& notify,
                       isa::CellChange cell) const {
  for (isa::RunObserver* observer : observers_)
    observer->on_notify(event, notify, cell);
}

void RunEvents::wait(const isa::RunEvent& event, const isa::TWait& wait, std::int32_t value) const {
  for (isa::RunObserver* observer : observers_)
    observer->on_wait(event, wait, value);
}

void RunEvents::meet(const isa::RunEvent& event, const isa::TDeferWait& condition,
                     std::int32_t value) const {
  for (isa::RunObserver* observer : observers_)
    observer->on_meet(event, condition, value);
}

void RunEvents::overwrite(const isa::RunEvent& event, isa::GlobalAddress address,
                          std::uint64_t bytes) const {
  for (isa::RunObserver* observer : observers_)
    observer->on_overwrite(event, address, bytes);
}

void RunEvents::begin(const isa::RunEvent& event) const {
  for (isa::RunObserver* observer : observers_)
    observer->on_begin(event);
}

void RunEvents::complete(std::uint32_t task) const {
  for (isa::RunObserver* observer : observers_)
    observer->on_complete(task);
}

}  // namespace a2a3::interp
