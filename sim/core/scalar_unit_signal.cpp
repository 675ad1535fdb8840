// SPDX-License-Identifier: Apache-2.0
// What a scalar unit has to do with others: notifies, waits, requests to the DMA engine.
#include <algorithm>

#include "sim/core/scalar_unit.hpp"

namespace a2a3::sim {
namespace {

const ScalarStep kTransfers{.cause = StepCause::operations};

}  // namespace

/// Barrier, clean, the message and its acknowledgement, clean, dsb, barrier.
bool ScalarUnit::issue(const isa::TNotify& notify) {
  const auto drained = to_.pipes.drained(true);
  if (!drained) return false;
  begin_ = std::max(time_, *drained);
  step(TimeUse::notify, begin_, kTransfers);
  time_ = begin_ + barrier_ + clean_;
  state_ = State::notifying;
  InFlight& slot = to_.pipes.issue(Pipe::scalar, *operation_, {}, origin_, time_);
  slot.peer = notify.cell.device;
  slot.payload_bytes = to_.machine.signal.payload_bytes;
  step(TimeUse::notify, time_);
  message_ = slot.number;
  return true;
}

void ScalarUnit::acknowledged(Picoseconds end) {
  time_ = end + clean_ + dsb_ + barrier_;
  busy(begin_, time_);
  step(TimeUse::notify, end, {.cause = StepCause::acknowledged, .number = message_});
  step(TimeUse::notify, time_);
  state_ = State::issuing;
  operation_ = nullptr;
}

bool ScalarUnit::issue(const isa::TWait& wait) {
  begin_ = time_;
  state_ = State::waiting;
  poll_due_ = false;
  to_.cells->watch(wait.cell.offset_bytes, *this);
  if (holds(wait)) schedule_poll(begin_);
  return true;
}

/// What the cell holds now; in a run without data it must not be data.
bool ScalarUnit::holds(const isa::TWait& wait) {
  const std::int32_t value = to_.gm.peek(wait.cell);
  if (to_.gm.peeked_unknown()) to_.control.need_data(origin_);
  return isa::condition_holds(wait, value);
}

void ScalarUnit::cell_written() {
  if (!poll_due_ && holds(current_wait())) schedule_poll(sc_core::sc_time_stamp().value());
}

/// Polls end every `poll_interval_` from the wait's begin; only the first one at or after `landed`
/// is worth making.
void ScalarUnit::schedule_poll(Picoseconds landed) {
  const Picoseconds since_begin = landed > begin_ ? landed - begin_ : 0;
  const Picoseconds polls = (since_begin + poll_interval_ - 1) / poll_interval_;
  poll_due_ = true;
  landed_ = std::max(landed, begin_);
  to_.agenda.add(begin_ + std::max<Picoseconds>(polls, 1) * poll_interval_, Agenda::Kind::poll);
}

void ScalarUnit::poll(Picoseconds now) {
  poll_due_ = false;
  const isa::TWait wait = current_wait();
  const std::int32_t value = to_.gm.peek(wait.cell);
  if (!isa::condition_holds(wait, value)) return;  // overwritten since
  to_.cells->unwatch(*this);
  if (to_.probe.active()) {
    to_.probe.report(MemoryAccess{.origin = origin_,
                                  .address = wait.cell,
                                  .bytes = sizeof value,
                                  .kind = MemoryAccess::Kind::read,
                                  .time = now,
                                  .signal = true});
    to_.probe.report(WaitEnded{
        .origin = origin_, .wait = wait, .value = value, .begin = begin_, .end = now + acquire_});
  }
  time_ = now + acquire_;
  step(TimeUse::idle, landed_, {.cause = StepCause::signal, .cell = wait.cell});
  step(TimeUse::poll, now);
  step(TimeUse::acquire, time_);
  waited_ = true;
  state_ = State::issuing;
  operation_ = nullptr;
}

bool ScalarUnit::issue(const isa::TPutAsync& put) {
  return request_transfer(put.event);
}
bool ScalarUnit::issue(const isa::TGetAsync& get) {
  return request_transfer(get.event);
}

bool ScalarUnit::request_transfer(std::uint32_t event) {
  const auto clear = to_.pipes.clear_of(isa::operand_ranges(*operation_));
  if (!clear) return false;
  time_ = std::max(time_, *clear);
  step(TimeUse::scalar, time_, kTransfers);
  requests_.add(event, time_);
  state_ = State::requesting;
  to_.agenda.add(time_, Agenda::Kind::request);
  return true;
}

void ScalarUnit::submit(Picoseconds now) {
  busy(now, now);
  to_.sdma.request({.operation = *operation_, .origin = origin_, .client = this, .asked = now});
  state_ = State::issuing;
  operation_ = nullptr;
}

void ScalarUnit::transfer_complete(std::uint32_t event, Picoseconds end) {
  requests_.complete(event, end);
  to_.agenda.add(sc_core::sc_time_stamp().value(), Agenda::Kind::answer);
}

bool ScalarUnit::issue(const isa::TWaitEvent& wait) {
  const auto end = requests_.end_of(wait.event);
  if (!end) return false;
  const Picoseconds begin = time_;
  time_ = std::max(time_, *end);
  step(TimeUse::dma, time_, kTransfers);
  busy(begin, time_);
  return true;
}

}  // namespace a2a3::sim
