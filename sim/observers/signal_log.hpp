// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
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
  struct Key {
    std::uint32_t device = 0;
    std::uint64_t offset_bytes = 0;
    std::uint32_t from_device = 0;
    isa::SourceId source = 0;
    isa::NotifyOp op = isa::NotifyOp::atomic_add;

    friend auto operator<=>(const Key&, const Key&) = default;
  };
  std::map<Key, CellCredit> credits_;
};

}  // namespace a2a3::sim
