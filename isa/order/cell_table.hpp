// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "isa/operand.hpp"

namespace a2a3::isa {

/// Numbers the signal cells of all devices from 0, in the order in which they are met with, for
/// what is kept by cell in a vector. Cells are 4-byte words at a multiple of 4 bytes.
class CellTable {
 public:
  /// The cell's number, and whether it is a new one.
  std::pair<std::uint32_t, bool> enter(GlobalAddress cell) {
    if (cell.device >= devices_.size()) devices_.resize(cell.device + 1);
    const std::uint64_t word = cell.offset_bytes / kCellBytes;
    const auto page = devices_[cell.device].try_emplace(word / kPageCells).first;
    std::uint32_t& entry = page->second[word % kPageCells];
    const bool is_new = entry == 0;
    if (is_new) entry = ++size_;
    return {entry - 1, is_new};
  }

  /// nullopt when it was never entered.
  [[nodiscard]] std::optional<std::uint32_t> find(GlobalAddress cell) const {
    std::optional<std::uint32_t> found;
    for_each_in(cell, 1, [&](std::uint32_t number) { found = number; });
    return found;
  }

  /// Calls visit(number) for the cells that the bytes touch, by ascending address.
  template <class Visit>
  void for_each_in(GlobalAddress begin, std::uint64_t bytes, Visit&& visit) const {
    if (begin.device >= devices_.size() || bytes == 0) return;
    const std::uint64_t first = begin.offset_bytes / kCellBytes;
    const std::uint64_t last = (begin.offset_bytes + bytes - 1) / kCellBytes;
    const Pages& pages = devices_[begin.device];
    for (auto page = pages.lower_bound(first / kPageCells);
         page != pages.end() && page->first <= last / kPageCells; ++page) {
      const std::uint64_t base = page->first * kPageCells;
      const std::uint64_t end = std::min(last - base + 1, kPageCells);
      for (std::uint64_t i = std::max(first, base) - base; i < end; ++i) {
        if (page->second[i] != 0) visit(page->second[i] - 1);
      }
    }
  }
  /// The same for all cells of a device.
  template <class Visit>
  void for_each_of(std::uint32_t device, Visit&& visit) const {
    for_each_in({device, 0}, ~std::uint64_t{0}, visit);
  }

  [[nodiscard]] std::uint32_t devices() const {
    return static_cast<std::uint32_t>(devices_.size());
  }
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  static constexpr std::uint64_t kCellBytes = sizeof(std::int32_t);
  static constexpr std::uint64_t kPageCells = 128;
  using Page = std::array<std::uint32_t, kPageCells>;  ///< number + 1; 0: none
  using Pages = std::map<std::uint64_t, Page>;

  std::vector<Pages> devices_;
  std::uint32_t size_ = 0;
};

}  // namespace a2a3::isa
