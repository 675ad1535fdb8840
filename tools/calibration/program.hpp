// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "isa/instruction.hpp"
#include "models/machine_description.hpp"
#include "sim/observer.hpp"

namespace a2a3::tools {

/// The operations of one core, made when they are fetched, so that a program of millions needs no
/// memory.
struct MadeProgram {
  std::uint32_t device = 0;
  std::uint32_t core = 0;
  /// Makes operation number `index` (from 0); false when the program is over.
  std::function<bool(std::uint64_t index, isa::Operation& operation)> make;
};

/// A workload asks for what the machine does not have; what() says what.
class WorkloadError : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

/// A program of these operations on core 0 of device 0.
[[nodiscard]] MadeProgram program_of(std::vector<isa::Operation> operations);

/// When the last of the programs has ended, on a machine whose devices have `gm_bytes` of global
/// memory in use. Throws WorkloadError when an operation, a core or the memory is not there, and
/// std::logic_error when the programs do not end.
[[nodiscard]] sim::Picoseconds time_of(const std::vector<MadeProgram>& programs,
                                       const std::vector<std::uint64_t>& gm_bytes,
                                       const models::MachineDescription& machine);

}  // namespace a2a3::tools
