// SPDX-License-Identifier: Apache-2.0
#include "sim/core/vector_core.hpp"

#include <algorithm>
#include <utility>

#include "sim/time.hpp"

namespace a2a3::sim {
namespace {

/// Pipe time of an operation that is alone on its pipe.
Picoseconds own_end(const InFlight& operation) {
  return operation.begin + operation.time.startup_ps + operation.time.transfer_ps;
}

bool peer_addressed(const isa::Operation& operation) {
  if (const auto* load = std::get_if<isa::TLoad>(&operation)) return load->peer_addressed;
  if (const auto* store = std::get_if<isa::TStore>(&operation)) return store->peer_addressed;
  return false;
}

bool is_added(const isa::Operation& operation) {
  if (const auto* store = std::get_if<isa::TStore>(&operation)) return store->atomic_add;
  const auto* notify = std::get_if<isa::TNotify>(&operation);
  return notify != nullptr && notify->op == isa::NotifyOp::atomic_add;
}

}  // namespace

VectorCore::VectorCore(const sc_core::sc_module_name& name, const VectorCoreParams& params,
                       const models::MachineDescription& machine, isa::InstructionSource& source,
                       const Probe& probe, RunControl& control, TaskBoard& tasks, Sdma& sdma)
    : sc_module(name),
      gm("gm"),
      cells("cells"),
      links("links"),
      params_(params),
      relaxed_(machine.relaxed),
      fenced_(machine.hazards.fences == models::Fences::automatic),
      probe_(probe),
      control_(control),
      local_(isa::local_bytes({machine.core.ub_bytes, machine.cube.l1_bytes, machine.cube.l0a_bytes,
                               machine.cube.l0b_bytes, machine.cube.l0c_bytes})),
      pipes_(std::max(machine.core.pipe_queue_depth, 1U),
             to_picoseconds(machine.core.flag_cycles / machine.core.clock_hz)),
      port_(gm, probe),
      late_(port_),
      set_line_bytes_(machine.relaxed.order == models::MemoryOrder::relaxed
                          ? machine.hazards.set_line_bytes
                          : 0),
      scalar_({.machine = machine,
               .probe = probe,
               .control = control,
               .pipes = pipes_,
               .agenda = agenda_,
               .gm = port_,
               .late = late_,
               .local = local_.bytes(),
               .cells = cells,
               .tasks = tasks,
               .sdma = sdma},
              params.device, params.core, source) {
  SC_HAS_PROCESS(VectorCore);
  SC_METHOD(turn);
  sensitive << agenda_.wake;
  dont_initialize();
  if (relaxed_.order == models::MemoryOrder::relaxed && !fenced_) port_.settle_first(late_);
}

void VectorCore::start_of_simulation() {
  agenda_.add(params_.start, Agenda::Kind::start);
  agenda_.arm();
}

void VectorCore::turn() {
  if (control_.stopped) return;
  try {
    const Picoseconds now = sc_core::sc_time_stamp().value();
    while (const auto entry = agenda_.take(now)) {
      happen(*entry, now);
      run_ahead();
      if (control_.stopped) return;
    }
    agenda_.arm();
  } catch (...) {
    control_.internal_fault = std::current_exception();
    control_.stopped = true;
  }
}

void VectorCore::happen(const Agenda::Entry& entry, Picoseconds now) {
  switch (entry.kind) {
    case Agenda::Kind::start:
      for (const auto& [address, bytes] : zeroed_)
        port_.clear(address, bytes);
      return scalar_.start(now);
    case Agenda::Kind::depart:
      return depart(entry.operation, now);
    case Agenda::Kind::memory:
      return at_memory(entry.operation, now);
    case Agenda::Kind::landing:
      return late_.land(entry.operation, now);
    case Agenda::Kind::reply:
      return load_arrives(entry.operation, now);
    case Agenda::Kind::access:
      return scalar_.finish_access(now);
    case Agenda::Kind::request:
      return scalar_.submit(now);
    case Agenda::Kind::answer:
      return;  // a wait for it, or the end of the task, goes on by itself
    case Agenda::Kind::poll:
      return scalar_.poll(now);
    case Agenda::Kind::task_end:
      return scalar_.end_task(now);
    case Agenda::Kind::work:
      return scalar_.resume(now);
    case Agenda::Kind::fault:
      control_.program_fault = true;
      control_.stopped = true;
      return;
  }
}

/// Does everything whose time is known by now.
void VectorCore::run_ahead() {
  for (;;) {
    while (const InFlight* operation = pipes_.complete_next())
      complete(*operation);
    if (const auto handle = pipes_.start_next()) {
      begin(*handle);
      continue;
    }
    if (!scalar_.advance()) return;
  }
}

void VectorCore::begin(Handle handle) {
  InFlight& operation = pipes_.at(handle);
  const Picoseconds begin = operation.begin;
  const Picoseconds ready = begin + operation.time.startup_ps;
  if (probe_.causes() != nullptr) begin_cause(handle);
  switch (operation.pipe) {
    case Pipe::vector:
    case Pipe::mte1:
    case Pipe::cube:
      if (control_.moves_data) isa::execute(operation.operation, local_.bytes(), port_);
      return pipes_.executed(handle, own_end(operation));
    case Pipe::scalar:
      fetch_line(operation);
      return agenda_.add(begin, remote(operation) ? Agenda::Kind::depart : Agenda::Kind::memory,
                         handle);
    case Pipe::mte2:
    case Pipe::mte3:
      if (operation.payload_bytes == 0) return pipes_.executed(handle, own_end(operation));
      if (remote(operation)) return agenda_.add(ready, Agenda::Kind::depart, handle);
      operation.streamed = operation.time.transfer_ps;
      return agenda_.add(operation.pipe == Pipe::mte2 ? ready : own_end(operation),
                         Agenda::Kind::memory, handle);
  }
}

/// What is known of an operation's time when it begins.
void VectorCore::begin_cause(Handle handle) {
  const InFlight& operation = pipes_.at(handle);
  TimeParts& parts = spent_.of(handle);
  parts.clear(operation.begin);
  switch (operation.pipe) {
    case Pipe::scalar:
      return;
    case Pipe::vector:
      return parts.add(TimeUse::vector, own_end(operation));
    case Pipe::mte1:
    case Pipe::cube:
      return parts.add(TimeUse::cube, own_end(operation));
    case Pipe::mte2:
    case Pipe::mte3:
      parts.add(TimeUse::startup, operation.begin + operation.time.startup_ps);
  }
}

/// A message has arrived that was ready when the operation's parts so far end.
void VectorCore::spend_on_way(Handle handle, const Progress& progress, Picoseconds arrived) {
  if (probe_.causes() == nullptr) return;
  TimeParts& parts = spent_.of(handle);
  const Picoseconds ready = parts.end();
  parts.wait(progress.bound, ready + progress.waited);
  parts.pass(progress.bound, ready + progress.waited + progress.passed);
  parts.add(TimeUse::hop, arrived);
}

/// A store has come to its memory, where it has to wait.
void VectorCore::spend_until_memory(Handle handle, const Progress& progress, Picoseconds now) {
  if (remote(pipes_.at(handle))) return spend_on_way(handle, progress, now);
  spend(handle, TimeUse::stream, now);
}

/// The bytes of a local load, or of a store that has come to its memory at `now`, are through
/// there. They flow at one pace from end to end: the slowest one, of the pipe, the way or the
/// memory, is what their time went to.
void VectorCore::spend_on_bytes(Handle handle, const Progress& progress, Picoseconds now) {
  if (probe_.causes() == nullptr) return;
  const InFlight& operation = pipes_.at(handle);
  TimeParts& parts = spent_.of(handle);
  const Picoseconds through = now + port_.delay();
  const bool far = remote(operation);
  if (through <= (far ? now : own_end(operation)))
    return far ? spend_on_way(handle, progress, now)
               : parts.add(TimeUse::stream, own_end(operation));
  if (far) {
    parts.wait(progress.bound, parts.end() + progress.waited);
    parts.add(TimeUse::hop, now - std::min(progress.streaming, now));
  }
  const Resource memory{.use = TimeUse::memory, .from = operation.peer};
  parts.wait(memory, through - std::min(port_.served(), through));
  parts.pass(memory, through);
}

void VectorCore::depart(Handle handle, Picoseconds now) {
  InFlight& operation = pipes_.at(handle);
  Message message{.from = params_.device,
                  .to = operation.peer,
                  .payload_bytes = operation.payload_bytes,
                  .ready = now};
  if (operation.pipe == Pipe::mte2) {
    message.kind = LinkTransfer::Kind::read_request;
    message.payload_bytes = 0;
  } else if (operation.pipe == Pipe::mte3) {
    message.kind = LinkTransfer::Kind::write;
    message.source_end = own_end(operation);
  } else {
    message.kind = LinkTransfer::Kind::signal;
  }
  const Transit transit = links->send(message, operation.origin);
  operation.transit = transit.id;
  agenda_.add(transit.look, Agenda::Kind::memory, handle);
}

void VectorCore::at_memory(Handle handle, Picoseconds now) {
  InFlight& operation = pipes_.at(handle);
  const bool store = operation.pipe == Pipe::mte3;
  Progress progress;
  if (!operation.has_turn && !operation.was_late) {
    if (remote(operation)) {
      progress = links->follow(operation.transit, now);
      if (!progress.arrived) return agenda_.add(progress.time, Agenda::Kind::memory, handle);
      operation.streamed = progress.streaming;
      if (!store) spend_on_way(handle, progress, now);
    }
    if (relaxed_.order == models::MemoryOrder::relaxed && store)
      spend_until_memory(handle, progress, now);
  }
  if (relaxed_.order == models::MemoryOrder::relaxed && operation.pipe != Pipe::mte2) {
    if (store && !fenced_) return store_late(handle, now);
    if (is_late(handle, now)) return;
  }
  const bool waited = operation.has_turn || operation.was_late;
  if (is_added(operation.operation) && !std::exchange(operation.has_turn, true)) {
    const Picoseconds wait = atomic_turn(operation.operation);
    if (wait > 0) {
      if (store && !waited) spend_until_memory(handle, progress, now);
      return agenda_.add(now + wait, Agenda::Kind::memory, handle);
    }
  }
  spend(handle, TimeUse::atomic_turn, waited ? now : 0);
  port_.begin({.origin = operation.origin,
               .now = now,
               .streamed = operation.pipe == Pipe::mte2 ? 0 : operation.streamed,
               .without_data = !control_.moves_data && operation.pipe != Pipe::scalar,
               .signal = operation.pipe == Pipe::scalar});
  if (!line_.empty()) write_line_back(operation);
  isa::execute(operation.operation, local_.bytes(), port_);
  report_local_transfer(operation);
  if (operation.pipe == Pipe::scalar) report_landing(operation, now);
  const bool load = operation.pipe == Pipe::mte2;
  if (!waited && (store || (load && !remote(operation)))) spend_on_bytes(handle, progress, now);
  if (!load) {
    spend(handle, TimeUse::memory, now + port_.delay());
    const Picoseconds end = end_of_store(operation, now);
    spend(handle, TimeUse::hop, end);
    return pipes_.executed(handle, end);
  }
  if (remote(operation)) return ask_for_reply(handle, now);
  pipes_.executed(handle, std::max(own_end(operation), now + port_.delay()));
}

/// How long an add waits for others to the lines of its cell or rows.
Picoseconds VectorCore::atomic_turn(const isa::Operation& operation) {
  if (const auto* notify = std::get_if<isa::TNotify>(&operation))
    return port_.take_atomic_turn(notify->cell, sizeof(std::int32_t));
  const isa::GmBox& box = std::get<isa::TStore>(operation).dst;
  const std::int64_t size = isa::size_of(box.dtype);
  Picoseconds wait = 0;
  for (std::int64_t row = 0; row < box.rows(); ++row) {
    const isa::GlobalAddress address{box.base.device,
                                     box.base.offset_bytes + box.row_offset(row) * size};
    wait = std::max(wait, port_.take_atomic_turn(address, box.cols() * size));
  }
  return wait;
}

void VectorCore::ask_for_reply(Handle handle, Picoseconds now) {
  InFlight& load = pipes_.at(handle);
  load.served = port_.served();
  const Transit transit = links->send({.kind = LinkTransfer::Kind::read_reply,
                                       .from = load.peer,
                                       .to = params_.device,
                                       .payload_bytes = load.payload_bytes,
                                       .ready = now,
                                       .source_end = now + port_.delay()},
                                      load.origin);
  load.transit = transit.id;
  agenda_.add(transit.look, Agenda::Kind::reply, handle);
}

void VectorCore::load_arrives(Handle handle, Picoseconds now) {
  const InFlight& load = pipes_.at(handle);
  Progress progress = links->follow(load.transit, now);
  if (!progress.arrived) return agenda_.add(progress.time, Agenda::Kind::reply, handle);
  if (probe_.causes() != nullptr && own_end(load) > progress.time) {
    begin_cause(handle);  // all of the way is hidden behind the pipe
    spend(handle, TimeUse::stream, own_end(load));
  } else {
    if (progress.bound.use == TimeUse::memory && load.served < progress.passed) {
      progress.waited += progress.passed - load.served;
      progress.passed = load.served;
    }
    spend_on_way(handle, progress, progress.time);
  }
  pipes_.executed(handle, std::max(own_end(load), progress.time));
}

Picoseconds VectorCore::end_of_store(const InFlight& store, Picoseconds now) {
  const Picoseconds memory_end = now + port_.delay();
  if (!remote(store)) return memory_end;
  return memory_end + links->latency(store.peer, params_.device);
}

void VectorCore::complete(const InFlight& operation) {
  if (probe_.causes() != nullptr) report_cause(operation);
  if (operation.pipe == Pipe::scalar) return scalar_.acknowledged(operation.end);
  if (probe_.active())
    probe_.report(PipeActivity{.origin = operation.origin,
                               .pipe = operation.pipe,
                               .operation = &operation.operation,
                               .begin = operation.begin,
                               .end = operation.end});
}

void VectorCore::report_cause(const InFlight& operation) {
  OperationEnded ended{.origin = operation.origin,
                       .number = operation.number,
                       .pipe = operation.pipe,
                       .begin = operation.begin,
                       .end = operation.end,
                       .parts = spent_.of(pipes_.handle_of(operation)).all()};
  TimeParts issue;
  if (operation.pipe == Pipe::mte2 || operation.pipe == Pipe::mte3) {
    const models::InstructionTime& time = operation.time;
    const Picoseconds next = operation.begin + time.issue_ps;
    const Picoseconds last = operation.begin + time.issue_startup_ps;
    issue.clear(operation.begin);
    issue.add(TimeUse::startup, std::min(last, next));
    issue.add(TimeUse::stream, std::min(last + time.issue_bytes_ps, next));
    issue.add(TimeUse::issue, next);
    ended.issue = issue.all();
  }
  if (operation.cause == InFlight::kPipeFree) ended.cause = BeginCause::pipe;
  if (operation.cause >= InFlight::kAfter) {
    ended.cause = BeginCause::operation;
    ended.cause_number = operation.cause - InFlight::kAfter;
  }
  probe_.causes()->on_operation_ended(ended);
}

void VectorCore::report_local_transfer(const InFlight& operation) const {
  if (probe_.active() && !remote(operation) && peer_addressed(operation.operation))
    probe_.report(LocalTransfer{operation.origin, operation.payload_bytes});
}

void VectorCore::report_landing(const InFlight& signal, Picoseconds now) {
  if (!probe_.active() && probe_.causes() == nullptr) return;
  const auto& notify = std::get<isa::TNotify>(signal.operation);
  const SignalLanded landed{
      .origin = signal.origin, .notify = notify, .value = port_.peek(notify.cell), .time = now};
  probe_.report(landed);
  if (auto* causes = probe_.causes()) causes->on_message_landed(landed, signal.number);
}

}  // namespace a2a3::sim
