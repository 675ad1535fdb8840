// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>

namespace a2a3::sim {

/// What ends a run before its time. Once `stopped`, no core does anything any more and the
/// simulation runs out of events.
struct RunControl {
  std::uint64_t max_instructions = 0;
  std::uint64_t instructions = 0;

  bool stopped = false;
  bool program_fault = false;
  bool over_limit = false;
  std::exception_ptr internal_fault;

  /// False, and the run stopped, when the limit is reached.
  bool count_instruction() {
    if (instructions == max_instructions) {
      over_limit = true;
      stopped = true;
      return false;
    }
    ++instructions;
    return true;
  }
};

}  // namespace a2a3::sim
