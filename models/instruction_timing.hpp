// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.hpp"
#include "models/machine_description.hpp"

namespace a2a3::models {

/// Time of one operation on its pipe, in picoseconds, memory and links not included.
struct InstructionTime {
  std::uint64_t startup_ps =
      0;  ///< from start to the first byte (loads, stores) or all of it (others)
  std::uint64_t transfer_ps = 0;  ///< bytes at the core's own rate
  std::uint64_t issue_ps =
      0;  ///< the pipe can start its next operation this long after this one's start
  std::uint64_t issue_startup_ps = 0;  ///< of that, startups of all commands but the last one
  std::uint64_t issue_bytes_ps = 0;    ///< and bytes; the rest is the issue cost
};

/// TLoad, TStore, TBinary, TBinaryScalar, TUnary, TCast, TFill, TMove, TRowSum, TMatmul,
/// ScalarRead, ScalarWrite, PipeBarrier. TPut and TGet are expanded by isa::TransferPlan; TNotify
/// and TWait follow SignalParameters, asynchronous transfers SdmaParameters. Formula: startup +
/// bytes / rate for transfers, slope * repeats + bias for vector operations (hardware figures in
/// the machine's YAML).
[[nodiscard]] InstructionTime instruction_time(const isa::Operation& operation,
                                               const MachineDescription& machine);

/// Wire time of a payload on a link that gives it this rate, in picoseconds.
[[nodiscard]] std::uint64_t link_time_ps(std::uint64_t payload_bytes, double bytes_per_second);

/// Header bytes of a payload cut into packets.
[[nodiscard]] std::uint64_t header_bytes(std::uint64_t payload_bytes, const LinkParameters& link);

}  // namespace a2a3::models
