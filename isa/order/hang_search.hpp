// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "isa/order/sync_trace.hpp"
#include "isa/order/task_order.hpp"

namespace a2a3::isa {

/// Whether the operations of a run get stuck in some order, and where.
struct HangSearch {
  enum class Outcome : std::uint8_t {
    none,        ///< every order comes to its end
    found,       ///< one gets stuck
    undecided,   ///< too many orders
    overwritten  ///< something else than a signal wrote a cell: no order was tried
  };
  /// A wait, or the condition of a task, that has not ended in the order that gets stuck.
  struct Stuck {
    Thread thread = 0;
    SourceId source = 0;
    std::uint32_t cell = 0;  ///< number in the trace
    SignalHistory::Condition condition;
    std::int32_t value = 0;  ///< of the cell
  };
  Outcome outcome = Outcome::none;
  /// In the first order that gets stuck: on cells that can lose what a wait needs, else all.
  std::vector<Stuck> stuck;
  /// Found, and all orders were tried: the waits that do not end in some of them.
  struct Place {
    Thread thread = 0;
    SourceId source = 0;
    std::uint32_t cell = 0;
    auto operator<=>(const Place&) const = default;
  };
  std::optional<std::set<Place>> all_stuck;
};

/// Tries the orders in which the signals and waits of a finished run can come. What each task does
/// is taken from the run: it must not depend on the order.
///
/// Not all orders are tried, but of the next operations in each state those of a stubborn set only,
/// which reaches every stuck state (Valmari, Stubborn Sets for Reduced State Space Generation,
/// 1991): two adds of a cell commute, and so do a wait for at least a value and what raises its
/// cell. A run whose cells only grow is followed once.
///
/// Each state takes 4 bytes for each task, condition, cell and launch; together they must fit into
/// a fortieth of `max_records` of kBytesPerRecord, less 4 bytes for each look at an operation.
[[nodiscard]] HangSearch search_hang(const SyncTrace& trace, const TaskOrder& order,
                                     std::uint64_t max_records);

}  // namespace a2a3::isa
