// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <optional>

#include "sim/observer.hpp"

namespace a2a3::sim {

/// What ends a run before its time. Once `stopped`, no core does anything any more and the
/// simulation runs out of events.
struct RunControl {
  std::uint64_t max_instructions = 0;
  std::uint64_t instructions = 0;

  bool moves_data = true;  ///< false: payload takes its time, but only signals and scalars move
  bool stopped = false;
  bool program_fault = false;
  bool over_limit = false;
  std::optional<Origin> data_needed;  ///< who asked for a value that a run without data lacks
  std::exception_ptr internal_fault;

  void need_data(const Origin& origin) {
    if (!data_needed) data_needed = origin;
    stopped = true;
  }

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
