// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "isa/order/vector_clock.hpp"

namespace a2a3::isa {

/// The thread of a record, or of what was done `by` one.
struct ThreadOf {
  template <class Entry>
  Thread operator()(const Entry& entry) const {
    if constexpr (requires { entry.by; }) {
      return entry.by.thread;
    } else {
      return entry.thread;
    }
  }
};

/// One entry for each thread, ascending by KeyOf, which tells threads apart. List is a vector or a
/// ShortList.
template <class Entry, class List = std::vector<Entry>, class KeyOf = ThreadOf>
class PerThread {
 public:
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }

  /// The first entry whose key is not below this one; end() when there is none.
  template <class Key>
  [[nodiscard]] auto from(const Key& key) const {
    return std::ranges::lower_bound(entries_, key, {}, KeyOf{});
  }

  /// The entry of its thread, and whether it is this one: it had none before.
  std::pair<Entry&, bool> enter(Entry entry) {
    const auto key = KeyOf{}(entry);
    const bool is_last = entries_.empty() || KeyOf{}(*std::prev(entries_.end())) < key;
    auto at = is_last ? entries_.end() : std::ranges::lower_bound(entries_, key, {}, KeyOf{});
    if (!is_last && KeyOf{}(*at) == key) return {*at, false};
    return {*entries_.insert(at, std::move(entry)), true};
  }
  /// Replaces the entry of its thread. True when that had none.
  bool put(Entry entry) {
    const auto key = KeyOf{}(entry);
    const auto at = std::ranges::lower_bound(entries_, key, {}, KeyOf{});
    if (at != entries_.end() && KeyOf{}(*at) == key) {
      *at = std::move(entry);
      return false;
    }
    entries_.insert(at, std::move(entry));
    return true;
  }

 private:
  List entries_;
};

}  // namespace a2a3::isa
