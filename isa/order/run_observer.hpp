// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.hpp"
#include "isa/order/access.hpp"

namespace a2a3::isa {

/// An operation of a task, as an observer of a run is told of it.
struct RunEvent {
  std::uint32_t task = 0;
  std::uint32_t device = 0;      ///< on which the task runs
  std::uint32_t sync_index = 0;  ///< of the task's operations, see SyncIndex
  SourceId source = 0;
};

/// What a notify makes of its cell.
struct CellChange {
  std::int32_t before = 0;
  std::int32_t after = 0;
};

/// Sees a run of the reference executor: every operation of every task, in the order in which they
/// take effect. Whoever wants to know something of such a run is one of these.
class RunObserver {
 public:
  RunObserver() = default;
  virtual ~RunObserver() = default;

  /// The first operation of a task.
  virtual void on_begin(const RunEvent& /*event*/) {}
  /// All effects of the task are there and all its conditions met.
  virtual void on_complete(std::uint32_t /*task*/) {}
  /// A tile that nothing has given a value begins to exist.
  virtual void on_create(const RunEvent& /*event*/, const Tile& /*tile*/) {}
  /// Anything but notifies and waits, before it takes effect.
  virtual void on_operation(const RunEvent& /*event*/, const Operation& /*operation*/) {}
  /// Behind its on_operation, for each piece of global memory that the operation reads or writes as
  /// data (for_each_access). A write that no fence follows has the unfenced_index().
  virtual void on_access(const RunEvent& /*event*/, AccessKind /*kind*/, GlobalAddress /*address*/,
                         std::uint64_t /*bytes*/) {}
  /// Something overwrites bytes that no program means to write: the late zeroing of a window, or a
  /// Set that writes the whole line of its cell.
  virtual void on_overwrite(const RunEvent& /*event*/, GlobalAddress /*address*/,
                            std::uint64_t /*bytes*/) {}
  /// The notify takes effect.
  virtual void on_notify(const RunEvent& /*event*/, const TNotify& /*notify*/,
                         CellChange /*cell*/) {}
  /// The wait ended, with the cell at `value`.
  virtual void on_wait(const RunEvent& /*event*/, const TWait& /*wait*/, std::int32_t /*value*/) {}
  /// The condition of a task that has ended was met.
  virtual void on_meet(const RunEvent& /*event*/, const TDeferWait& /*condition*/,
                       std::int32_t /*value*/) {}

  /// Whether on_access does something: asked once before the run, to spare it the work.
  [[nodiscard]] virtual bool sees_accesses() const { return true; }

 protected:
  RunObserver(const RunObserver&) = default;
  RunObserver& operator=(const RunObserver&) = default;
};

}  // namespace a2a3::isa
