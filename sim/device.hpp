// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "isa/instruction_source.hpp"
#include "models/machine_description.hpp"
#include "sim/core/sdma.hpp"
#include "sim/core/task_board.hpp"
#include "sim/core/vector_core.hpp"
#include "sim/memory/device_bus.hpp"
#include "sim/memory/global_memory.hpp"

namespace a2a3::sim {

/// One die: global memory, bus, DMA engine, and the vector cores that have work. Outwards it has
/// its links (`bus.to_fabric`, `bus.from_fabric`, those of `sdma` and of each core), which the
/// machine's builder binds.
class Device : public sc_core::sc_module {
 public:
  DeviceBus bus;
  GlobalMemory memory;
  Sdma sdma;

  /// `tasks` deals the tasks to the cores; null: every core runs its source alone.
  Device(const sc_core::sc_module_name& name, std::uint32_t number, std::uint64_t gm_bytes,
         const models::MachineDescription& machine, isa::TaskQueue* tasks, const Probe& probe,
         RunControl& control);

  /// Adds a core and binds it to this device.
  VectorCore& add_core(const VectorCoreParams& params, const models::MachineDescription& machine,
                       isa::InstructionSource& source, const Probe& probe, RunControl& control);

  [[nodiscard]] const TaskBoard& tasks() const { return tasks_; }

 private:
  TaskBoard tasks_;
  std::vector<std::unique_ptr<VectorCore>> cores_;
};

}  // namespace a2a3::sim
