// SPDX-License-Identifier: Apache-2.0
#include "sim/observers/cause_log.hpp"

#include <algorithm>

namespace a2a3::sim {
namespace {

CauseLog::CoreKey core_key(const Origin& origin) {
  return {origin.device, origin.core};
}

}  // namespace

bool CauseLog::count(std::uint64_t records) {
  records_ += records;
  return complete();
}

void CauseLog::on_operation_ended(const OperationEnded& event) {
  if (!count(1 + (event.parts.size() + event.issue.size()) / 3)) return;
  Core& core = cores_[core_key(event.origin)];
  if (core.operations.size() <= event.number) core.operations.resize(event.number + 1);
  auto& order = core.order[static_cast<std::size_t>(event.pipe)];
  core.operations[event.number] = {.begin = event.begin,
                                   .end = event.end,
                                   .cause_number = event.cause_number,
                                   .first_part = parts_.size(),
                                   .source = event.origin.source,
                                   .place = static_cast<std::uint32_t>(order.size()),
                                   .part_count = static_cast<std::uint8_t>(event.parts.size()),
                                   .issue_count = static_cast<std::uint8_t>(event.issue.size()),
                                   .pipe = event.pipe,
                                   .cause = event.cause};
  order.push_back(event.number);
  parts_.insert(parts_.end(), event.parts.begin(), event.parts.end());
  parts_.insert(parts_.end(), event.issue.begin(), event.issue.end());
}

void CauseLog::on_scalar_step(const ScalarStep& event) {
  if (event.from == event.to) return;
  std::vector<ScalarStep>& steps = cores_[core_key(event.origin)].steps;
  if (!steps.empty()) {
    // Work on one line adds up.
    ScalarStep& last = steps.back();
    if (event.cause == StepCause::none && last.cause == StepCause::none && last.use == event.use &&
        last.origin.source == event.origin.source) {
      last.to = event.to;
      return;
    }
  }
  if (count()) steps.push_back(event);
}

void CauseLog::on_async_transfer_ended(const AsyncTransferEnded& event) {
  if (count()) cores_[core_key(event.origin)].transfers.push_back(event);
}

void CauseLog::on_task_ended(const TaskEnded& event) {
  if (count()) task_ends_.insert({{event.origin.device, event.time}, core_key(event.origin)});
}

void CauseLog::on_message_landed(const SignalLanded& event, std::uint64_t number) {
  if (!count()) return;
  const isa::GlobalAddress cell = event.notify.cell;
  const Landing landing{core_key(event.origin), number, event.time};
  landings_[{cell.device, cell.offset_bytes}].push_back(landing);
  device_landings_[cell.device].push_back(landing);
}

const CauseLog::Core* CauseLog::core(const CoreKey& key) const {
  const auto found = cores_.find(key);
  return found == cores_.end() ? nullptr : &found->second;
}

std::optional<std::uint64_t> CauseLog::Core::begun_at(Pipe pipe, Picoseconds time) const {
  const auto& numbers = order[static_cast<std::size_t>(pipe)];
  const auto at = std::ranges::lower_bound(
      numbers, time, {}, [this](std::uint64_t number) { return operations[number].begin; });
  if (at == numbers.end() || operations[*at].begin != time) return std::nullopt;
  return *at;
}

std::optional<std::uint64_t> CauseLog::Core::ended_at(Picoseconds time) const {
  std::optional<std::uint64_t> first;
  for (const auto& numbers : order) {
    const auto at = std::ranges::lower_bound(
        numbers, time, {}, [this](std::uint64_t number) { return operations[number].end; });
    if (at == numbers.end() || operations[*at].end != time) continue;
    first = std::min(first.value_or(*at), *at);
  }
  return first;
}

std::optional<CauseLog::Landing> CauseLog::landed_at(isa::GlobalAddress cell,
                                                     Picoseconds time) const {
  const auto found = landings_.find({cell.device, cell.offset_bytes});
  if (found == landings_.end()) return std::nullopt;
  const auto at = std::ranges::lower_bound(found->second, time, {}, &Landing::time);
  if (at == found->second.end() || at->time != time) return std::nullopt;
  return *at;
}

std::optional<CauseLog::Landing> CauseLog::last_landed(std::uint32_t device,
                                                       Picoseconds time) const {
  const auto found = device_landings_.find(device);
  if (found == device_landings_.end()) return std::nullopt;
  const auto behind = std::ranges::upper_bound(found->second, time, {}, &Landing::time);
  if (behind == found->second.begin()) return std::nullopt;
  return *std::prev(behind);
}

std::optional<CauseLog::CoreKey> CauseLog::task_ended_at(std::uint32_t device,
                                                         Picoseconds time) const {
  const auto found = task_ends_.find({device, time});
  if (found == task_ends_.end()) return std::nullopt;
  return found->second;
}

}  // namespace a2a3::sim
