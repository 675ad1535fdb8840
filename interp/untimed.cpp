// SPDX-License-Identifier: Apache-2.0
#include "interp/untimed.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "interp/untimed_machine.hpp"

namespace a2a3::interp {
namespace {

std::uint32_t unfenced_index_of(const UntimedOptions& options) {
  return options.relaxed && !options.relaxed->fenced ? options.relaxed->unfenced_index
                                                     : RunEvents::kFenced;
}

}  // namespace

UntimedMachine::UntimedMachine(KernelRun& run, std::span<const std::span<std::byte>> gm,
                               std::uint64_t local_bytes, const UntimedOptions& options)
    : cores_(run.cores()),
      tasks_(run.tasks()),
      gm_(gm),
      options_(options),
      events_(cores_, options.observers, unfenced_index_of(options)),
      waiting_(gm.size()),
      idle_(gm.size()),
      conditions_(cores_.size(), gm.size()) {
  if (options.seed) random_.seed(*options.seed);
  if (options.relaxed) {
    relaxed_.emplace(cores_, *options.relaxed);
    held_.resize(cores_.size(), nullptr);
    fencing_.resize(cores_.size(), false);
    lines_.resize(cores_.size());
  }
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    local_.emplace_back(local_bytes);
    ready_.push_back(i);
  }
}

UntimedResult UntimedMachine::run() {
  for (;;) {
    if (relaxed_ && land_one()) continue;
    if (ready_.empty()) break;
    const std::size_t core = choose();
    const isa::Instruction* instruction = fetch(core);
    if (instruction == nullptr) {
      if (result_.outcome != UntimedResult::Outcome::finished) return std::move(result_);
      continue;
    }
    if (relaxed_ && must_wait_before(core, *instruction)) continue;
    if (!execute(core, *instruction)) continue;
    if (relaxed_ && must_wait_behind(core, instruction->operation)) continue;
    ready_.push_back(core);
  }
  list_blocked();
  return std::move(result_);
}

/// Takes the next core off the ready list: the one that waited longest, or any by the options.
std::size_t UntimedMachine::choose() {
  if (options_.choose) {
    const std::vector<std::size_t> ready(ready_.begin(), ready_.end());
    std::swap(ready_.front(), ready_.at(options_.choose(ready)));
  } else if (relaxed_) {
    std::swap(ready_.front(), ready_[relaxed_->choose(ready_)]);
  } else if (options_.seed) {
    std::swap(ready_.front(), ready_[random_() % ready_.size()]);
  }
  const std::size_t core = ready_.front();
  ready_.pop_front();
  return core;
}

/// The core's next instruction; null when there is none, and in the result why the run ends.
const isa::Instruction* UntimedMachine::fetch(std::size_t core) {
  if (relaxed_ && held_[core] != nullptr) return std::exchange(held_[core], nullptr);
  const isa::Fetch fetch = cores_[core].source->next();
  switch (fetch.status) {
    case isa::FetchStatus::done:
      return nullptr;
    case isa::FetchStatus::idle:
      idle_[cores_[core].device].insert(core);
      return nullptr;
    case isa::FetchStatus::fault:
      result_.outcome = UntimedResult::Outcome::fault;
      return nullptr;
    case isa::FetchStatus::instruction:
      break;
  }
  if (++result_.instructions > options_.max_instructions) {
    result_.outcome = UntimedResult::Outcome::limit;
    return nullptr;
  }
  return fetch.instruction;
}

/// False when the core has to wait.
bool UntimedMachine::execute(std::size_t core, const isa::Instruction& instruction) {
  const isa::Operation& operation = instruction.operation;
  if (relaxed_) zero_windows(cores_[core].device);
  const isa::RunEvent event = events_.place(core, instruction);
  current_ = core;
  events_.created(event, instruction.created);
  if (const auto* wait = std::get_if<isa::TWait>(&operation))
    return begin_wait({core, *wait, event});
  if (const auto* notify = std::get_if<isa::TNotify>(&operation)) {
    land_behind(notify->cell, sizeof(std::int32_t));
    if (relaxed_) tell_line(event, *notify);
    const std::int32_t before = value_of(notify->cell);
    events_.notify(event, *notify, {before, value_after(*notify)});
  } else {
    events_.operation(event, operation);
  }
  delays_writes_ = relaxed_ && RelaxedMemory::is_delayed(operation);
  if (relaxed_) write_back_line(core, operation);
  isa::execute(operation, local_[core].bytes(), *this);
  delays_writes_ = false;
  if (const auto* condition = std::get_if<isa::TDeferWait>(&operation))
    conditions_.add({event, core, *condition});
  if (const auto* end = std::get_if<isa::TaskEnd>(&operation)) end_task(core, end->task);
  return true;
}

/// False when the cell does not compare true yet.
bool UntimedMachine::begin_wait(const WaitingCore& waiting) {
  land_behind(waiting.wait.cell, sizeof(std::int32_t));
  const std::int32_t value = value_of(waiting.wait.cell);
  if (!isa::condition_holds(waiting.wait, value)) {
    waiting_[waiting.wait.cell.device].push_back(waiting);
    return false;
  }
  events_.wait(waiting.event, waiting.wait, value);
  return true;
}

void UntimedMachine::read(isa::GlobalAddress address, std::span<std::byte> destination) {
  land_behind(address, destination.size());
  std::memcpy(destination.data(), bytes_at(address), destination.size());
}

void UntimedMachine::write(isa::GlobalAddress address, std::span<const std::byte> source) {
  if (delays_writes_) return relaxed_->add(current_, address, source, std::nullopt);
  land_behind(address, source.size());
  std::memcpy(bytes_at(address), source.data(), source.size());
  wake(address, source.size());
}

void UntimedMachine::atomic_add(isa::GlobalAddress address, isa::DType dtype,
                                std::span<const std::byte> source) {
  if (delays_writes_) return relaxed_->add(current_, address, source, dtype);
  land_behind(address, source.size());
  isa::accumulate(dtype, {bytes_at(address), source.size()}, source);
  wake(address, source.size());
}

std::byte* UntimedMachine::bytes_at(isa::GlobalAddress address) {
  return gm_[address.device].data() + address.offset_bytes;
}

std::int32_t UntimedMachine::value_of(isa::GlobalAddress cell) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes_at(cell), sizeof(value));
  return value;
}

std::int32_t UntimedMachine::value_after(const isa::TNotify& notify) {
  const std::int32_t before = notify.op == isa::NotifyOp::set ? 0 : value_of(notify.cell);
  return isa::cell_sum(before, notify.value);
}

/// Lets the cores go on whose cell lies in the bytes just written and now compares true.
void UntimedMachine::wake(isa::GlobalAddress address, std::size_t bytes) {
  std::erase_if(waiting_[address.device], [&](const WaitingCore& one) {
    const isa::GlobalAddress cell = one.wait.cell;
    if (cell.offset_bytes + sizeof(std::int32_t) <= address.offset_bytes ||
        address.offset_bytes + bytes <= cell.offset_bytes)
      return false;
    const std::int32_t value = value_of(cell);
    if (!isa::condition_holds(one.wait, value)) return false;
    events_.wait(one.event, one.wait, value);
    ready_.push_back(one.core);
    return true;
  });
  if (conditions_.has_pending(address.device)) settle(address.device);
}

void UntimedMachine::end_task(std::size_t core, std::uint32_t task) {
  const std::uint32_t device = cores_[core].device;
  tasks_.ended(task);
  if (!conditions_.end_task(core, device)) complete(task);
  ask_again(device);
  settle(device);
}

/// Completes the ended tasks whose conditions hold now.
void UntimedMachine::settle(std::uint32_t device) {
  const TaskConditions::Settled settled =
      conditions_.settle(device, [&](const TaskConditions::Condition& one) {
        const std::int32_t value = value_of(one.condition.cell);
        const bool holds = isa::condition_holds(one.condition, value);
        if (holds) events_.meet(one.event, one.condition, value);
        return holds;
      });
  for (const std::uint32_t task : settled.complete)
    complete(task);
  if (settled.any) ask_again(device);
}

void UntimedMachine::complete(std::uint32_t task) {
  events_.complete(task);
  tasks_.complete(task);
}

void UntimedMachine::ask_again(std::uint32_t device) {
  ready_.insert(ready_.end(), idle_[device].begin(), idle_[device].end());
  idle_[device].clear();
}

void UntimedMachine::list_blocked() {
  const auto add = [&](std::size_t core, const isa::RunEvent& event, const isa::TWait& wait,
                       bool deferred) {
    result_.blocked.push_back({cores_[core].device, cores_[core].core, event.source, wait,
                               value_of(wait.cell), deferred});
  };
  for (const auto& waiting : waiting_) {
    for (const WaitingCore& one : waiting)
      add(one.core, one.event, one.wait, false);
  }
  for (const auto& pending : conditions_.pending()) {
    for (const TaskConditions::Condition& one : pending)
      add(one.core, one.event, {one.condition.cell, one.condition.expected}, true);
  }
  std::stable_sort(result_.blocked.begin(), result_.blocked.end(),
                   [](const BlockedWait& a, const BlockedWait& b) {
                     return std::pair(a.device, a.core) < std::pair(b.device, b.core);
                   });
  if (!result_.blocked.empty()) result_.outcome = UntimedResult::Outcome::deadlock;
}

UntimedResult run_untimed(KernelRun& run, std::span<const std::span<std::byte>> gm,
                          std::uint64_t local_bytes, const UntimedOptions& options) {
  return UntimedMachine(run, gm, local_bytes, options).run();
}

}  // namespace a2a3::interp
