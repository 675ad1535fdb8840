// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "isa/operand.hpp"
#include "sim/observer.hpp"

namespace a2a3::sim {

/// What a stretch of time goes to.
enum class TimeUse : std::uint8_t {
  launch_skew,    ///< until the launch reached the core
  scalar,         ///< operations and accesses of the scalar unit
  barrier,        ///< full barriers of the pipes
  flag,           ///< from the end of an operation to its flag at another pipe
  startup,        ///< of loads and stores
  issue,          ///< from a load or store to the next one of its pipe, when bytes take less
  stream,         ///< bytes of a load or store at the rate of its pipe
  vector,         ///< the vector pipe
  cube,           ///< the pipes of the cube core
  memory,         ///< bytes at the rate of a device's memory
  memory_wait,    ///< for a memory that others use
  link_wait,      ///< for a link, egress or uplink that others use
  link,           ///< bytes at the rate of a link
  core_egress,    ///< remote stores at the rate that one core sends at
  device_egress,  ///< the same of all cores of a device
  uplink,         ///< bytes at the rate of a switch's uplink
  hop,            ///< latency of links
  notify,         ///< barrier, clean and dsb around a signal
  atomic_turn,    ///< of a signal or store behind others added to the same lines
  poll,           ///< from a signal's landing to the poll that sees it
  acquire,        ///< after a wait
  dma,            ///< an asynchronous transfer of the DMA engine
  idle,           ///< a core without a task
};
inline constexpr int kTimeUses = static_cast<int>(TimeUse::idle) + 1;

/// What bytes pass at a rate: a use and where it is. `from` and `to` are the ends of a link as in
/// LinkTransfer, the device of a memory, egress or uplink, and for the egress of a core that core.
struct Resource {
  TimeUse use = TimeUse::scalar;
  std::uint32_t from = 0;
  std::uint32_t to = 0;

  friend bool operator==(const Resource&, const Resource&) = default;
};

/// A piece of an operation's time, which begins where the piece before ends.
struct TimePart {
  Resource resource{};
  bool waited = false;  ///< for the resource: it was not free
  Picoseconds until = 0;

  /// The use of a wait for others.
  [[nodiscard]] TimeUse use() const {
    if (!waited) return resource.use;
    return resource.use == TimeUse::memory ? TimeUse::memory_wait : TimeUse::link_wait;
  }
};

/// Why an operation began when it did.
enum class BeginCause : std::uint8_t {
  issued,    ///< the scalar unit had come to it
  pipe,      ///< the operation before it on its pipe let it in
  operation  ///< it needed the bytes of another one
};

/// An operation of a pipe is complete. On the scalar pipe: the message of a notify.
struct OperationEnded {
  Origin origin{};
  std::uint64_t number = 0;  ///< of the core's operations, in program order from 0
  Pipe pipe = Pipe::scalar;
  Picoseconds begin = 0;
  Picoseconds end = 0;  ///< after the last of `parts` when it ended behind the one before it
  BeginCause cause = BeginCause::issued;
  std::uint64_t cause_number = 0;     ///< BeginCause::operation
  std::span<const TimePart> parts{};  ///< from `begin` on; gone after the call
  /// Of a load or store: what the time until its pipe could begin the next one went to.
  std::span<const TimePart> issue{};
};

/// What the scalar unit was held up by.
enum class StepCause : std::uint8_t {
  none,          ///< it worked
  queue,         ///< the queue of `pipe` was full: until an operation of it began
  operations,    ///< operations or asynchronous transfers had to be complete
  acknowledged,  ///< the message of operation `number`
  signal,        ///< until a signal in `cell` landed
  task,          ///< until a task of the device was complete
};

/// The scalar unit of a core from `from`, where its last step ended, to `to`.
struct ScalarStep {
  Origin origin{};
  Picoseconds from = 0;
  Picoseconds to = 0;
  TimeUse use = TimeUse::scalar;
  StepCause cause = StepCause::none;
  Pipe pipe = Pipe::scalar;
  std::uint64_t number = 0;
  isa::GlobalAddress cell{};
};

/// A transfer that the DMA engine was asked for.
struct AsyncTransferEnded {
  Origin origin{};
  Picoseconds asked = 0;
  Picoseconds end = 0;
};

/// A task's last effect is in memory.
struct TaskEnded {
  Origin origin{};
  Picoseconds time = 0;
};

/// Hears why everything happened when it did. Gathering that costs time, which a run without such
/// an observer does not take. Simulated time is the same. Steps come in the order of time per core,
/// operations in that of their pipe, with numbers that follow each other without gaps once all are
/// complete.
class CauseObserver {
 public:
  CauseObserver() = default;
  CauseObserver(const CauseObserver&) = delete;
  CauseObserver& operator=(const CauseObserver&) = delete;
  virtual ~CauseObserver() = default;

  virtual void on_operation_ended(const OperationEnded& event) = 0;
  virtual void on_scalar_step(const ScalarStep& event) = 0;
  virtual void on_async_transfer_ended(const AsyncTransferEnded& event) = 0;
  virtual void on_task_ended(const TaskEnded& event) = 0;
  /// The message of operation `number` of the event's origin took effect.
  virtual void on_message_landed(const SignalLanded& event, std::uint64_t number) = 0;
};

}  // namespace a2a3::sim
