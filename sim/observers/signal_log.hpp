// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "isa/order/cell_table.hpp"
#include "isa/order/short_list.hpp"
#include "sim/observer.hpp"

namespace a2a3::sim {

/// All signals of one source line of one rank to one cell.
struct CellCredit {
  isa::GlobalAddress cell;
  std::uint32_t from_device = 0;
  isa::SourceId source = 0;
  isa::NotifyOp op = isa::NotifyOp::atomic_add;
  std::uint64_t count = 0;
  std::int64_t sum = 0;         ///< of the values added; the value that was set last
  Picoseconds last_landed = 0;  ///< the latest of them
};

/// A Set that replaced more than the waits on its cell had asked for since the Set before.
struct WipedOut {
  std::int32_t before = 0;   ///< what the cell held
  std::uint32_t set_by = 0;  ///< device
  isa::SourceId set_source = 0;
  std::int32_t set_to = 0;
  std::uint32_t added_by = 0;  ///< device of the last add that was in it
  isa::SourceId added_source = 0;
  std::int32_t added = 0;
};

/// Remembers which cells got signals and from where, so that a deadlock report can name the cell
/// that got the credit a blocked wait is missing. Its memory grows with the number of cells and
/// source lines, not with the number of signals.
class SignalLog final : public Observer {
 public:
  /// What landed on a device's cells, ordered by cell, sender and source line.
  [[nodiscard]] std::vector<CellCredit> credits(std::uint32_t device) const;

  /// What landed on one cell, ordered by sender and source line.
  [[nodiscard]] std::vector<CellCredit> credits_of(const isa::GlobalAddress& cell) const;
  /// How many devices signalled the cell, its own left out.
  [[nodiscard]] std::size_t other_senders(const isa::GlobalAddress& cell) const;
  /// A wait on the cell has ended.
  [[nodiscard]] bool was_asked_for(const isa::GlobalAddress& cell) const;
  /// Signals gave the cell this value at some time. Of a cell with more than kMostValues only those
  /// that came first are known.
  [[nodiscard]] bool has_held(const isa::GlobalAddress& cell, std::int32_t value) const;
  /// What the last signal made of the cell; nullopt when there was none.
  [[nodiscard]] std::optional<std::int32_t> signalled(const isa::GlobalAddress& cell) const;
  /// The last time that a Set of the cell wiped out credit.
  [[nodiscard]] std::optional<WipedOut> wiped_out(const isa::GlobalAddress& cell) const;

  void on_signal_landed(const SignalLanded& event) override;
  void on_wait_ended(const WaitEnded& event) override;

 private:
  static constexpr std::size_t kMostValues = 1000;
  struct Cell {
    std::int32_t value = 0;
    std::int32_t asked = 0;  ///< since the last Set: its value, or the most that a wait asked for
    bool was_asked_for = false;
    std::optional<WipedOut> wiped_out;
    struct Add {
      std::uint32_t device = 0;
      isa::SourceId source = 0;
      std::int32_t value = 0;
    };
    std::optional<Add> last_add;         ///< since the last Set
    std::vector<std::int32_t> values;    ///< ascending
    isa::ShortList<CellCredit> credits;  ///< in the order in which their first signal came
  };
  Cell& enter(const isa::GlobalAddress& cell);
  /// Adds a cell's credits, by sender and source line.
  static void append(std::vector<CellCredit>& landed, const Cell& cell);
  [[nodiscard]] const Cell* find(const isa::GlobalAddress& cell) const;

  isa::CellTable numbers_;
  std::deque<Cell> cells_;  ///< by number
};

}  // namespace a2a3::sim
