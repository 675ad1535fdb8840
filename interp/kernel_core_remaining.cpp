// SPDX-License-Identifier: Apache-2.0
// What a core would still do if its waits ended.
#include <algorithm>
#include <utility>

#include "interp/kernel_core.hpp"

namespace a2a3::interp {
namespace {

RemainingSignal remaining(const isa::TNotify& notify, isa::SourceId source) {
  return {notify.cell, notify.value,
          notify.op == isa::NotifyOp::set ? RemainingSignal::Kind::set : RemainingSignal::Kind::add,
          source};
}

RemainingSignal remaining(const isa::TWait& wait, isa::SourceId source) {
  return {wait.cell, wait.expected,
          wait.cmp == isa::WaitCmp::eq ? RemainingSignal::Kind::wait_eq
                                       : RemainingSignal::Kind::wait_ge,
          source};
}

/// Where an op may lead to besides the next one; true when not to the next one.
std::pair<bool, std::int64_t> successors(const Op& op) {
  switch (op.code) {
    case OpCode::jump:
      return {true, op.target};
    case OpCode::branch_false:
    case OpCode::loop_begin:
    case OpCode::loop_next:
      return {false, op.target};
    case OpCode::finish:
      return {true, -1};
    default:
      return {false, -1};
  }
}

}  // namespace

std::vector<PossibleSignal> KernelCore::reachable_signals() const {
  const Program& program = *frame_.program;
  std::vector<bool> seen(program.ops.size(), false);
  std::vector<std::uint32_t> open;
  const auto reach = [&](std::uint32_t at) {
    if (at >= seen.size() || seen[at]) return;
    seen[at] = true;
    open.push_back(at);
  };
  reach(frame_.pc);
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    const auto [leaves, target] = successors(program.ops[at]);
    if (!leaves) reach(at + 1);
    if (target >= 0) reach(static_cast<std::uint32_t>(target));
  }
  // A reference register that is set on the way may be any window by then.
  std::vector<bool> changes(frame_.references.size(), false);
  for (std::size_t at = 0; at < program.ops.size(); ++at) {
    const Op& op = program.ops[at];
    const bool sets =
        op.code == OpCode::move_reference || op.code == OpCode::view || op.code == OpCode::reshape;
    if (seen[at] && sets) changes[static_cast<std::size_t>(op.dst)] = true;
  }
  std::vector<PossibleSignal> found;
  for (std::size_t at = 0; at < program.ops.size(); ++at) {
    const Op& op = program.ops[at];
    const bool is_notify = op.code == OpCode::notify;
    if (!seen[at] || (!is_notify && op.code != OpCode::wait)) continue;
    const auto cells = static_cast<std::size_t>(program.signals[op.site].tensor);
    const bool known = !changes[cells] && frame_.references[cells] >= 0;
    found.push_back(
        {is_notify, op.source,
         known ? tensor(static_cast<Register>(cells)).argument->window : std::int32_t{-1}});
  }
  return found;
}

RemainingWork KernelCore::finish_task(std::size_t max_signals, std::uint64_t max_steps) {
  RemainingWork work;
  const std::uint64_t last_step = frame_.steps + max_steps;
  const std::uint64_t limit =
      std::exchange(context_.limits.max_steps, std::min(context_.limits.max_steps, last_step));
  while (in_task_) {
    work.cut = work.signals.size() >= max_signals || frame_.steps >= last_step;
    if (work.cut) break;
    const isa::Fetch fetch = next();
    // A fault: the task ends there, or has taken too many steps.
    if (fetch.status != isa::FetchStatus::instruction) {
      work.cut = frame_.steps >= last_step;
      break;
    }
    const isa::Operation& operation = fetch.instruction->operation;
    const isa::SourceId source = fetch.instruction->source;
    if (const auto* notify = std::get_if<isa::TNotify>(&operation)) {
      work.signals.push_back(remaining(*notify, source));
    } else if (const auto* wait = std::get_if<isa::TWait>(&operation)) {
      work.signals.push_back(remaining(*wait, source));
    } else if (std::holds_alternative<isa::ScalarRead>(operation)) {
      // What memory holds by then is not known.
      work.possible = reachable_signals();
      break;
    }
  }
  context_.limits.max_steps = limit;
  return work;
}

void KernelCore::begin(std::uint32_t task) {
  task_ = task;
  start_task();
}

}  // namespace a2a3::interp
