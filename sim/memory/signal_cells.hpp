// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

namespace a2a3::sim {

/// Told when the cell it watches was written.
class SignalWaiter {
 public:
  SignalWaiter() = default;
  SignalWaiter(const SignalWaiter&) = delete;
  SignalWaiter& operator=(const SignalWaiter&) = delete;
  virtual ~SignalWaiter() = default;

  /// Called after the write took effect, in the process of the writer; must not block, watch or
  /// unwatch.
  virtual void cell_written() = 0;
};

/// Lets a core sleep until one of its memory's int32 cells is written, in place of polling it.
class SignalCells : public sc_core::sc_interface {
 public:
  /// A waiter watches one cell at a time.
  virtual void watch(std::uint64_t offset_bytes, SignalWaiter& waiter) = 0;
  virtual void unwatch(SignalWaiter& waiter) = 0;
};

}  // namespace a2a3::sim
