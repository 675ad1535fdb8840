// SPDX-License-Identifier: Apache-2.0
#include "sim/core/scalar_unit.hpp"

#include <algorithm>
#include <cmath>

#include "models/instruction_timing.hpp"
#include "sim/time.hpp"

namespace a2a3::sim {
namespace {

bool is_wait(const isa::Operation& operation) {
  return std::holds_alternative<isa::TWait>(operation);
}

const ScalarStep kOperations{.cause = StepCause::operations};

}  // namespace

ScalarUnit::ScalarUnit(const Wiring& wiring, std::uint32_t device, std::uint32_t core,
                       isa::InstructionSource& source)
    : to_(wiring),
      source_(source),
      scalar_op_ps_(wiring.machine.core.scalar_op_cycles * 1e12 / wiring.machine.core.clock_hz),
      poll_interval_(std::max<Picoseconds>(to_picoseconds(wiring.machine.signal.poll_seconds), 1)),
      acquire_(to_picoseconds(wiring.machine.signal.acquire_seconds)),
      barrier_(models::instruction_time(isa::PipeBarrier{}, wiring.machine).startup_ps),
      clean_(to_picoseconds(wiring.machine.signal.clean_seconds)),
      dsb_(to_picoseconds(wiring.machine.signal.dsb_seconds)),
      origin_{.device = device, .core = core} {}

bool ScalarUnit::advance() {
  bool progress = false;
  while (!to_.control.stopped) {
    if (state_ == State::ending) return end_program() || progress;
    if (state_ != State::issuing) return progress;
    if (operation_ == nullptr) {
      if (!fetch()) continue;
    }
    if (!issue()) return progress;
    if (state_ == State::issuing) operation_ = nullptr;
    progress = true;
  }
  return false;
}

/// False when there was no instruction and the state says why.
bool ScalarUnit::fetch() {
  if (transfer_ && next_of_transfer()) return to_.control.count_instruction();
  const isa::Fetch fetched = source_.next();
  if (fetched.status == isa::FetchStatus::done) {
    state_ = State::ending;
    return false;
  }
  if (fetched.status == isa::FetchStatus::idle) {
    state_ = State::idle;
    to_.tasks.wait(origin_.core, *this);
    return false;
  }
  if (fetched.status == isa::FetchStatus::fault) {
    state_ = State::faulty;
    to_.agenda.add(time_, Agenda::Kind::fault);
    return false;
  }
  if (!to_.control.count_instruction()) return false;
  const isa::Instruction& instruction = *fetched.instruction;
  operation_ = &instruction.operation;
  origin_.source = instruction.source;
  if (waited_ && !is_wait(*operation_) && !std::holds_alternative<isa::TaskEnd>(*operation_)) {
    waited_ = false;
    origin_.phase = std::min(origin_.phase + 1, kLastPhase);
  }
  if (instruction.scalar_ops > 0) {
    const Picoseconds begin = time_;
    time_ += static_cast<Picoseconds>(std::llround(instruction.scalar_ops * scalar_op_ps_));
    busy(begin, time_);
    step(TimeUse::scalar, time_);
  }
  return true;
}

/// Takes the next step of the put or get; false when it is over.
bool ScalarUnit::next_of_transfer() {
  if (!transfer_->next(step_)) {
    transfer_.reset();
    return false;
  }
  operation_ = &step_;
  return true;
}

bool ScalarUnit::issue() {
  return std::visit([this](const auto& operation) { return issue(operation); }, *operation_);
}

bool ScalarUnit::issue_to(Pipe pipe, std::uint32_t peer, std::int64_t payload_bytes) {
  const auto room = to_.pipes.room(pipe);
  if (!room) return false;
  time_ = std::max(time_, *room);
  step(TimeUse::scalar, time_, {.cause = StepCause::queue, .pipe = pipe});
  InFlight& slot = to_.pipes.issue(
      pipe, *operation_, models::instruction_time(*operation_, to_.machine), origin_, time_);
  slot.peer = peer;
  slot.payload_bytes = static_cast<std::uint64_t>(payload_bytes);
  return true;
}

bool ScalarUnit::issue(const isa::TLoad& load) {
  return issue_to(Pipe::mte2, load.src.base.device, load.src.payload_bytes());
}
bool ScalarUnit::issue(const isa::TStore& store) {
  return issue_to(Pipe::mte3, store.dst.base.device, store.dst.payload_bytes());
}
bool ScalarUnit::issue(const isa::TBinary& /*binary*/) {
  return issue_to(Pipe::vector, origin_.device, 0);
}
bool ScalarUnit::issue(const isa::TBinaryScalar& /*binary*/) {
  return issue_to(Pipe::vector, origin_.device, 0);
}
bool ScalarUnit::issue(const isa::TUnary& /*unary*/) {
  return issue_to(Pipe::vector, origin_.device, 0);
}
bool ScalarUnit::issue(const isa::TCast& /*cast*/) {
  return issue_to(Pipe::vector, origin_.device, 0);
}
bool ScalarUnit::issue(const isa::TFill& /*fill*/) {
  return issue_to(Pipe::vector, origin_.device, 0);
}

bool ScalarUnit::issue(const isa::TMove& move) {
  const bool feeds_cube = move.dst.space != isa::MemorySpace::ub;
  return issue_to(feeds_cube ? Pipe::mte1 : Pipe::vector, origin_.device, 0);
}
bool ScalarUnit::issue(const isa::TRowSum& /*sum*/) {
  return issue_to(Pipe::vector, origin_.device, 0);
}
bool ScalarUnit::issue(const isa::TMatmul& /*product*/) {
  return issue_to(Pipe::cube, origin_.device, 0);
}

bool ScalarUnit::issue(const isa::TPut& put) {
  transfer_.emplace(put);
  return true;
}
bool ScalarUnit::issue(const isa::TGet& get) {
  transfer_.emplace(get);
  return true;
}

bool ScalarUnit::issue(const isa::PipeBarrier& /*barrier*/) {
  const auto drained = to_.pipes.drained(false);
  if (!drained) return false;
  const Picoseconds begin = std::max(time_, *drained);
  step(TimeUse::barrier, begin, kOperations);
  time_ = begin + models::instruction_time(*operation_, to_.machine).startup_ps;
  busy(begin, time_);
  step(TimeUse::barrier, time_);
  return true;
}

/// When the pipes are empty and all that was asked for is complete; nothing while not known.
std::optional<Picoseconds> ScalarUnit::everything_done() const {
  const auto drained = to_.pipes.drained(true);
  const auto requests = requests_.end();
  if (!drained || !requests) return std::nullopt;
  return std::max({*drained, *requests, to_.late.end()});
}

bool ScalarUnit::issue(const isa::TaskBegin& begin) {
  origin_.task = begin.task;
  return true;
}
bool ScalarUnit::issue(const isa::TaskEnd& /*end*/) {
  const auto done = everything_done();
  if (!done) return false;
  time_ = std::max(time_, *done);
  step(TimeUse::idle, time_, kOperations);
  if (to_.tasks.has_queue()) {
    state_ = State::ending_task;
    to_.agenda.add(time_, Agenda::Kind::task_end);
  }
  return true;
}

void ScalarUnit::end_task(Picoseconds now) {
  state_ = State::issuing;
  operation_ = nullptr;
  if (auto* causes = to_.probe.causes()) causes->on_task_ended({origin_, now});
  to_.tasks.ended(origin_.task, now);
}

void ScalarUnit::look_again(Picoseconds now) {
  to_.agenda.add(now, Agenda::Kind::work);
}

void ScalarUnit::resume(Picoseconds now) {
  time_ = std::max(time_, now);
  step(TimeUse::idle, time_, {.cause = StepCause::task});
  state_ = State::issuing;
}

bool ScalarUnit::end_program() {
  const auto done = everything_done();
  if (!done) return false;
  time_ = std::max(time_, *done);
  step(TimeUse::idle, time_, kOperations);
  state_ = State::finished;
  return true;
}

bool ScalarUnit::issue(const isa::ScalarRead& read) {
  return issue_access(read.gm.has_value());
}
bool ScalarUnit::issue(const isa::ScalarWrite& write) {
  return issue_access(write.gm.has_value());
}

bool ScalarUnit::issue_access(bool global) {
  const auto clear = to_.pipes.clear_of(isa::operand_ranges(*operation_));
  if (!clear) return false;
  begin_ = std::max(time_, *clear);
  step(TimeUse::scalar, begin_, kOperations);
  time_ = begin_ + models::instruction_time(*operation_, to_.machine).startup_ps;
  if (global) {
    state_ = State::accessing;
    to_.agenda.add(time_, Agenda::Kind::access);
  } else {
    if (to_.control.moves_data) {
      isa::execute(*operation_, to_.local, to_.gm);
    } else if (std::holds_alternative<isa::ScalarRead>(*operation_)) {
      to_.control.need_data(origin_);
    }
    busy(begin_, time_);
    step(TimeUse::scalar, time_);
  }
  return true;
}

void ScalarUnit::finish_access(Picoseconds now) {
  to_.gm.begin({.origin = origin_, .now = now});
  isa::execute(*operation_, to_.local, to_.gm);
  if (to_.gm.read_unknown()) to_.control.need_data(origin_);
  // The access time covers the memory unless others keep it busy.
  time_ = std::max(time_, now + to_.gm.delay());
  busy(begin_, time_);
  step(TimeUse::scalar, now);
  step(TimeUse::memory, time_);
  state_ = State::issuing;
  operation_ = nullptr;
}

bool ScalarUnit::issue(const isa::TDeferWait& condition) {
  to_.tasks.add_condition(origin_, condition);
  return true;
}

std::optional<ScalarUnit::Blocked> ScalarUnit::blocked() {
  if (state_ != State::waiting) return std::nullopt;
  const isa::TWait& wait = current_wait();
  return Blocked{origin_.source, wait, to_.gm.peek(wait.cell), begin_};
}

void ScalarUnit::give_up(Picoseconds end) {
  const auto wait = blocked();
  time_ = std::max(time_, end);
  if (wait && to_.probe.active())
    to_.probe.report_stuck({.origin = origin_,
                            .wait = wait->wait,
                            .value = wait->value,
                            .begin = wait->since,
                            .end = time_});
}

void ScalarUnit::report_step(TimeUse use, Picoseconds to, ScalarStep why) {
  why.origin = origin_;
  why.use = use;
  why.from = stepped_;
  why.to = to;
  stepped_ = to;
  to_.probe.causes()->on_scalar_step(why);
}

void ScalarUnit::busy(Picoseconds begin, Picoseconds end) const {
  if (!to_.probe.active()) return;
  to_.probe.report(PipeActivity{.origin = origin_,
                                .pipe = Pipe::scalar,
                                .operation = operation_,
                                .begin = begin,
                                .end = end});
}

}  // namespace a2a3::sim
