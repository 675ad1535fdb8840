// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "isa/instruction.hpp"
#include "isa/transfer_plan.hpp"

namespace a2a3::isa {

/// Loads and stores of a line by a task, counted from 0 over all its executions: a transfer is one
/// of each for every piece that goes through its stage.
struct PieceRange {
  std::uint64_t first_load = 0;
  std::uint64_t loads = 0;
  std::uint64_t first_store = 0;
  std::uint64_t stores = 0;
};

/// Counts them.
class PieceCounter {
 public:
  using TaskLine = std::pair<std::uint32_t, std::uint32_t>;

  /// Those of the operation, which the task executes at the line now.
  PieceRange count(const TaskLine& at, const Operation& operation) {
    const TransferCounts counts = pieces_of(operation);
    if (counts.loads == 0 && counts.stores == 0) return {};
    auto& [loads, stores] = so_far_[at];
    const PieceRange pieces{loads, static_cast<std::uint64_t>(counts.loads), stores,
                            static_cast<std::uint64_t>(counts.stores)};
    loads += pieces.loads;
    stores += pieces.stores;
    return pieces;
  }

 private:
  static TransferCounts pieces_of(const Operation& operation) {
    TransferCounts counts;
    if (std::holds_alternative<TLoad>(operation)) counts.loads = 1;
    if (std::holds_alternative<TStore>(operation)) counts.stores = 1;
    if (const auto* put = std::get_if<TPut>(&operation)) return TransferPlan(*put).counts();
    if (const auto* get = std::get_if<TGet>(&operation)) return TransferPlan(*get).counts();
    return counts;
  }

  std::map<TaskLine, std::pair<std::uint64_t, std::uint64_t>> so_far_;  ///< loads and stores
};

}  // namespace a2a3::isa
