// SPDX-License-Identifier: Apache-2.0
#include "sim/device.hpp"

#include <string>

#include "sim/time.hpp"

namespace a2a3::sim {

Device::Device(const sc_core::sc_module_name& name, std::uint32_t number, std::uint64_t gm_bytes,
               const models::MachineDescription& machine, isa::TaskQueue* tasks, const Probe& probe,
               RunControl& control)
    : sc_module(name),
      bus("bus", number),
      memory("memory", {.size_bytes = gm_bytes,
                        .read_bytes_per_second = machine.memory.read_bytes_per_second,
                        .write_bytes_per_second = machine.memory.write_bytes_per_second,
                        .atomic_line_bytes = machine.signal.atomic_line_bytes,
                        .atomic_distance = to_picoseconds(machine.signal.atomic_serial_seconds)}),
      sdma("sdma", machine.sdma, probe, control),
      tasks_("tasks", tasks, memory, to_picoseconds(machine.signal.poll_seconds), control) {
  bus.memory.bind(memory.port);
  sdma.gm.bind(bus.cores);
}

VectorCore& Device::add_core(const VectorCoreParams& params,
                             const models::MachineDescription& machine,
                             isa::InstructionSource& source, const Probe& probe,
                             RunControl& control) {
  const std::string name = std::string(this->name()) + "_aiv" + std::to_string(params.core);
  VectorCore& core = *cores_.emplace_back(std::make_unique<VectorCore>(
      name.c_str(), params, machine, source, probe, control, tasks_, sdma));
  core.gm.bind(bus.cores);
  core.cells.bind(memory.signals);
  return core;
}

}  // namespace a2a3::sim
