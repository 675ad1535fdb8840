// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.hpp"

namespace a2a3::isa {

/// An operation of a task, as an observer of a run is told of it.
struct RunEvent {
  std::uint32_t task = 0;
  std::uint32_t device = 0;      ///< on which the task runs
  std::uint32_t sync_index = 0;  ///< of the task's operations, see SyncIndex
  SourceId source = 0;
};

/// Sees a run of the reference executor: every operation of every task, in the order in which they
/// take effect.
class RunObserver {
 public:
  RunObserver() = default;
  RunObserver(const RunObserver&) = delete;
  RunObserver& operator=(const RunObserver&) = delete;
  virtual ~RunObserver() = default;

  virtual void on_begin(std::uint32_t /*task*/) {}
  /// All effects of the task are there and all its conditions met.
  virtual void on_complete(std::uint32_t /*task*/) {}
  /// Anything but notifies and waits, before it takes effect.
  virtual void on_operation(const RunEvent& /*event*/, const Operation& /*operation*/) {}
  /// The notify takes effect; its cell is `after` then.
  virtual void on_notify(const RunEvent& /*event*/, const TNotify& /*notify*/,
                         std::int32_t /*after*/) {}
  /// The wait ended, with the cell at `value`.
  virtual void on_wait(const RunEvent& /*event*/, const TWait& /*wait*/, std::int32_t /*value*/) {}
  /// The condition of a task that has ended was met.
  virtual void on_meet(const RunEvent& /*event*/, const TDeferWait& /*condition*/,
                       std::int32_t /*value*/) {}
};

}  // namespace a2a3::isa
