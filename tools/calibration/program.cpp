// SPDX-License-Identifier: Apache-2.0
#include "tools/calibration/program.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "isa/instruction_source.hpp"
#include "isa/memory.hpp"
#include "isa/validate.hpp"
#include "sim/machine.hpp"

namespace a2a3::tools {
namespace {

/// Ends early, with an error, at the first operation that the machine cannot do.
class MadeSource final : public isa::InstructionSource {
 public:
  MadeSource(const MadeProgram& program, const isa::MemorySizes& memory)
      : program_(program), memory_(memory) {}

  isa::Fetch next() override {
    if (error_ || !program_.make(next_, instruction_.operation)) return {};
    error_ = isa::validate(instruction_.operation, memory_);
    if (error_) return {};
    ++next_;
    return {isa::FetchStatus::instruction, &instruction_};
  }

  [[nodiscard]] const std::optional<std::string>& error() const { return error_; }

 private:
  const MadeProgram& program_;
  const isa::MemorySizes& memory_;
  std::uint64_t next_ = 0;
  isa::Instruction instruction_;
  std::optional<std::string> error_;
};

/// The workload must fit the machine before it is built.
void check_size(const std::vector<MadeProgram>& programs,
                const std::vector<std::uint64_t>& gm_bytes,
                const models::MachineDescription& machine) {
  if (machine.devices != 0 && gm_bytes.size() > machine.devices)
    throw WorkloadError(fmt::format("the workload takes {} devices, the machine has {}",
                                    gm_bytes.size(), machine.devices));
  const std::uint64_t most = std::min(machine.memory.capacity_bytes, models::kMaxMemoryBytes);
  for (const std::uint64_t bytes : gm_bytes) {
    if (bytes > most)
      throw WorkloadError(fmt::format(
          "the workload takes {} bytes of a device's global memory, which has {}", bytes, most));
  }
  std::uint32_t cores = 0;
  for (const MadeProgram& program : programs)
    cores = std::max(cores, program.core + 1);
  if (cores > machine.vector_cores_per_device)
    throw WorkloadError(fmt::format("the workload takes {} cores of a device, which has {}", cores,
                                    machine.vector_cores_per_device));
}

}  // namespace

MadeProgram program_of(std::vector<isa::Operation> operations) {
  return {
      .make = [operations = std::move(operations)](std::uint64_t index, isa::Operation& operation) {
        if (index >= operations.size()) return false;
        operation = operations[index];
        return true;
      }};
}

sim::Picoseconds time_of(const std::vector<MadeProgram>& programs,
                         const std::vector<std::uint64_t>& gm_bytes,
                         const models::MachineDescription& machine) {
  check_size(programs, gm_bytes, machine);
  const models::CubeParameters& cube = machine.cube;
  const std::uint64_t ub_bytes = isa::local_bytes({machine.core.ub_bytes});
  const isa::MemorySizes memory{
      machine.core.ub_bytes,
      isa::local_bytes({ub_bytes, cube.l1_bytes, cube.l0a_bytes, cube.l0b_bytes, cube.l0c_bytes}) -
          ub_bytes,
      gm_bytes};
  std::deque<MadeSource> sources;
  std::vector<sim::CoreProgram> cores;
  for (const MadeProgram& program : programs)
    cores.push_back({.device = program.device,
                     .core = program.core,
                     .source = &sources.emplace_back(program, memory)});
  sim::Machine simulated(machine, gm_bytes, cores);
  const sim::RunReport report = simulated.run();
  for (const MadeSource& source : sources) {
    if (source.error()) throw WorkloadError(*source.error());
  }
  if (report.outcome != sim::Outcome::finished)
    throw std::logic_error("a workload of the calibration did not end");
  return report.end;
}

}  // namespace a2a3::tools
