// SPDX-License-Identifier: Apache-2.0
#include "tools/calibration/program.hpp"

#include <deque>
#include <stdexcept>
#include <utility>

#include "isa/instruction_source.hpp"
#include "sim/machine.hpp"

namespace a2a3::tools {
namespace {

class MadeSource final : public isa::InstructionSource {
 public:
  explicit MadeSource(const MadeProgram& program) : program_(program) {}

  isa::Fetch next() override {
    if (!program_.make(next_, instruction_.operation)) return {};
    ++next_;
    return {isa::FetchStatus::instruction, &instruction_};
  }

 private:
  const MadeProgram& program_;
  std::uint64_t next_ = 0;
  isa::Instruction instruction_;
};

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
  std::deque<MadeSource> sources;
  std::vector<sim::CoreProgram> cores;
  for (const MadeProgram& program : programs)
    cores.push_back(
        {.device = program.device, .core = program.core, .source = &sources.emplace_back(program)});
  sim::Machine simulated(machine, gm_bytes, cores);
  const sim::RunReport report = simulated.run();
  if (report.outcome != sim::Outcome::finished)
    throw std::logic_error("a workload of the calibration did not end");
  return report.end;
}

}  // namespace a2a3::tools
