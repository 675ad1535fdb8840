// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "isa/order/sync_trace.hpp"
#include "isa/order/task_order.hpp"
#include "isa/order/vector_clock.hpp"

namespace a2a3::isa {

/// What must have happened before each wait of a run ends. It says nothing of the order in which
/// the run happened to go, so that it holds for every run of the same operations.
struct SolvedOrder {
  std::vector<std::vector<VectorClock>> waits;    ///< by thread, in program order
  std::map<std::uint32_t, VectorClock> complete;  ///< by task: of those with conditions

  /// Of the thread's n-th wait, from 0; null when it has fewer.
  [[nodiscard]] const VectorClock* behind_wait(Thread thread, std::size_t n) const {
    return n < waits[thread].size() ? &waits[thread][n] : nullptr;
  }
};

/// Finds for each wait the operations without which it cannot end: those of which one, if its
/// thread stopped before it, would keep the wait from ending in every run of these threads.
///
/// A wait knows what its thread knew before it. Beyond that, operation i of thread t comes before
/// it when the cell cannot satisfy it with the signals alone that do not come after (t, i)
/// themselves (WaitRule). Signals that landed later in this run count as much as those that landed
/// before. This states each clock by the others; the greatest clocks that agree with it are the
/// answer, because signals that wait for each other must not stand in for each other. They are
/// reached from above: from what had landed in this run, which some run needs, the clocks are
/// lowered until nothing changes.
///
/// For waits for at least a value and adds of values above 0 the answer is exact; with Sets, exact
/// values and negative adds it leaves out some orders (WaitRule), but claims none that is not.
///
/// nullopt when it would take more memory than `max_records` (about 100 bytes each) or more than
/// 500 steps for each of them.
[[nodiscard]] std::optional<SolvedOrder> solve_order(const SyncTrace& trace, const TaskOrder& order,
                                                     std::uint64_t max_records);

}  // namespace a2a3::isa
