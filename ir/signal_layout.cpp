// SPDX-License-Identifier: Apache-2.0
#include "ir/signal_layout.hpp"

#include <fmt/format.h>

namespace a2a3::ir {

std::optional<std::string> signal_problem(SignalLayout layout, const std::string& collective,
                                          std::optional<std::int64_t> rows,
                                          std::optional<std::int64_t> cols) {
  if (layout == SignalLayout::mesh) {
    if (!cols || *cols == 1) return std::nullopt;
    return fmt::format(
        "{} signal shape[1] must be 1 (one cell per rank), got {} — a signal shaped for "
        "mode=\"ring\" allreduce ([2*(NR-1), NR]) cannot be shared with this collective; give it "
        "its own [NR, 1] signal window",
        collective, *cols);
  }
  if (!rows || !cols || *rows == 2 * (*cols - 1)) return std::nullopt;
  // One rank needs no cell, and no window is empty.
  if (*cols == 1 && *rows == 1) return std::nullopt;
  return fmt::format(
      "{} mode=ring signal shape[0] ({}) must equal 2*(NR-1) = {} for NR = {}{}", collective, *rows,
      2 * (*cols - 1), *cols,
      *cols == 1 ? " — a signal shaped for mesh-layout collectives ([NR, 1]) cannot be shared with "
                   "the ring; give it its own [2*(NR-1), NR] signal window"
                 : "");
}

}  // namespace a2a3::ir
