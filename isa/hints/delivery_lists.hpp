// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <ranges>
#include <utility>
#include <vector>

#include "isa/hints/tile_contents.hpp"

namespace a2a3::isa {

/// Lists of deliveries. Equal lists are one, so that stretches of memory share them.
class DeliveryLists {
 public:
  using List = std::uint32_t;
  static constexpr List kEmpty = 0;

  /// The list with one more at its end.
  [[nodiscard]] List with(List list, DeliveryId last) {
    const auto [known, is_new] =
        numbers_.try_emplace({list, last}, static_cast<List>(entries_.size() + 1));
    if (is_new) entries_.push_back({list, last});
    return known->second;
  }

  /// Calls visit(delivery) for all of the list, from its first on.
  template <class Visit>
  void for_each(List list, Visit&& visit) const {
    std::vector<DeliveryId> all;
    for (; list != kEmpty; list = entries_[list - 1].first)
      all.push_back(entries_[list - 1].second);
    for (const DeliveryId one : std::views::reverse(all))
      visit(one);
  }

  /// How many there are.
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  void clear() {
    numbers_.clear();
    entries_.clear();
  }

 private:
  using Entry = std::pair<List, DeliveryId>;  ///< those before it and the last one
  std::map<Entry, List> numbers_;
  std::vector<Entry> entries_;  ///< by number less one
};

}  // namespace a2a3::isa
