// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "a2a3/deadlock.hpp"

namespace a2a3 {

/// Which credit of a stuck run nobody waits for, and whose notifies belong to which cells.
class CreditSearch {
 public:
  explicit CreditSearch(const StuckRun& run);

  /// What may have been meant for the cell: credit without a wait, on other cells of its window on
  /// its device, and in the same place on other devices or in other windows. At most kMost.
  [[nodiscard]] std::vector<sim::CellCredit> meant_for(isa::GlobalAddress cell) const;

  /// When the notifies to a window go to cells one index of which is the rank of their sender: that
  /// dimension of the cells.
  [[nodiscard]] std::optional<std::size_t> sender_dimension(std::int32_t window) const;

  /// The devices that sent more than 0 to the window, by line.
  [[nodiscard]] std::map<isa::SourceId, std::vector<std::uint32_t>> senders_of(
      std::int32_t window) const;

  static constexpr std::size_t kMost = 64;

 private:
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  void note_waits(std::uint32_t device, const interp::RemainingWork& work);
  void note_credit(const sim::CellCredit& credit);
  void note_sender(const sim::CellCredit& credit, std::int32_t window);
  [[nodiscard]] bool has_wait(isa::GlobalAddress cell, std::int32_t window) const;

  /// Which dimensions of a window's cells are the sender's rank, as far as seen.
  struct Senders {
    std::size_t looked_at = 0;
    std::set<std::uint32_t> devices;
    std::vector<bool> is_rank;                           ///< by dimension
    std::map<isa::SourceId, std::vector<bool>> by_line;  ///< by device: it sent a notify
  };

  const StuckRun& run_;
  std::set<isa::GlobalAddress> waited_;
  /// Windows of devices on which any cell may be waited for; -1: all of the device's.
  std::set<std::pair<std::uint32_t, std::int32_t>> maybe_waited_;
  std::vector<sim::CellCredit> lost_;
  // Indices into lost_.
  std::map<Pair, std::vector<std::size_t>> by_window_;  ///< device and window
  std::map<Pair, std::vector<std::size_t>> by_place_;   ///< window and offset in it
  std::map<Pair, std::vector<std::size_t>> by_device_;  ///< device and offset in its window
  std::map<std::int32_t, Senders> senders_;             ///< by window
};

}  // namespace a2a3
