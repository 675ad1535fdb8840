// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace a2a3::sim {

/// Something for each peer that a device has to do with, found by the peer's number without
/// hashing: a few peers are searched, for many there is an index. Costs nothing for peers never met
/// as long as there are few.
template <typename T>
class PeerTable {
 public:
  struct Entry {
    std::uint32_t peer = 0;
    T value;
  };

  /// The peer's value, made with these arguments when it is the first time. Valid until the next
  /// peer is met.
  template <typename... Arguments>
  T& at(std::uint32_t peer, const Arguments&... arguments) {
    if (const std::size_t known = find(peer); known < entries_.size()) return entries_[known].value;
    entries_.push_back({peer, T{arguments...}});
    if (entries_.size() > kSearched) index_new();
    return entries_.back().value;
  }

  /// In the order in which the peers were met.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  /// Ordered by peer.
  [[nodiscard]] std::vector<Entry> sorted() const {
    std::vector<Entry> all = entries_;
    std::sort(all.begin(), all.end(),
              [](const Entry& a, const Entry& b) { return a.peer < b.peer; });
    return all;
  }

 private:
  static constexpr std::size_t kSearched = 8;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  [[nodiscard]] std::size_t find(std::uint32_t peer) const {
    if (!index_.empty()) return peer < index_.size() ? index_[peer] : kNone;
    std::size_t i = 0;
    while (i < entries_.size() && entries_[i].peer != peer)
      ++i;
    return i;
  }

  void index_new() {
    const std::size_t first = index_.empty() ? 0 : entries_.size() - 1;
    for (std::size_t i = first; i < entries_.size(); ++i) {
      const std::uint32_t peer = entries_[i].peer;
      if (peer >= index_.size())
        index_.resize(std::max<std::size_t>(peer + 1, 2 * index_.size()), kNone);
      index_[peer] = static_cast<std::uint32_t>(i);
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> index_;  ///< position in `entries_` by peer; empty for a few
};

}  // namespace a2a3::sim
