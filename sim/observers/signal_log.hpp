// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "sim/observer.hpp"

namespace a2a3::sim {

/// All signals of one source line of one rank to one cell.
struct CellCredit {
  isa::GlobalAddress cell;
  std::uint32_t from_device = 0;
  isa::SourceId source = 0;
  isa::NotifyOp op = isa::NotifyOp::atomic_add;
  std::uint64_t count = 0;
  std::int64_t sum = 0;         ///< of the values added or set
  Picoseconds last_landed = 0;  ///< the latest of them
};

/// Remembers which cells got signals and from where, so that a deadlock report can name the cell
/// that got the credit a blocked wait is missing. Its memory grows with the number of cells and
/// source lines, not with the number of signals.
class SignalLog final : public Observer {
 public:
  /// What landed on a device's cells, ordered by cell, sender and source line.
  [[nodiscard]] std::vector<CellCredit> credits(std::uint32_t device) const;

  void on_signal_landed(const SignalLanded& event) override;

 private:
  /// Device, cell, sender, source line, operation.
  using Key = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, isa::SourceId, isa::NotifyOp>;
  std::map<Key, CellCredit> credits_;
};

}  // namespace a2a3::sim
