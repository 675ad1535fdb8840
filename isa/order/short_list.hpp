// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace a2a3::isa {

/// A list that mostly has one entry, which takes no memory of its own.
template <class Entry>
class ShortList {
 public:
  [[nodiscard]] Entry* begin() { return one_ ? &*one_ : more_.data() + dropped_; }
  [[nodiscard]] Entry* end() { return begin() + size(); }
  [[nodiscard]] const Entry* begin() const { return one_ ? &*one_ : more_.data() + dropped_; }
  [[nodiscard]] const Entry* end() const { return begin() + size(); }
  [[nodiscard]] std::size_t size() const { return one_ ? 1 : more_.size() - dropped_; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] Entry& operator[](std::size_t i) { return begin()[i]; }
  [[nodiscard]] const Entry& operator[](std::size_t i) const { return begin()[i]; }
  [[nodiscard]] const Entry& front() const { return *begin(); }
  [[nodiscard]] const Entry& back() const { return *(end() - 1); }

  Entry& push_back(Entry entry) {
    if (!one_ && more_.empty()) return one_.emplace(std::move(entry));
    if (one_) {
      more_.push_back(std::move(*one_));
      one_.reset();
    }
    return more_.emplace_back(std::move(entry));
  }
  /// Before `at`; gives its place.
  Entry* insert(const Entry* at, Entry entry) {
    const std::ptrdiff_t place = at - begin();
    push_back(std::move(entry));
    std::rotate(begin() + place, end() - 1, end());
    return begin() + place;
  }
  /// Drops all but the first `count` entries.
  void truncate(std::size_t count) {
    if (count == 0) return clear();
    if (count < size())
      more_.erase(more_.begin() + static_cast<std::ptrdiff_t>(dropped_ + count), more_.end());
  }
  /// Drops the first `count` entries, in a time that does not grow with how many are left.
  void drop_front(std::size_t count) {
    if (count >= size()) return clear();
    dropped_ += count;
    if (dropped_ <= more_.size() / 2) return;
    more_.erase(more_.begin(), more_.begin() + static_cast<std::ptrdiff_t>(dropped_));
    dropped_ = 0;
  }
  void clear() {
    one_.reset();
    more_.clear();
    dropped_ = 0;
  }

 private:
  std::optional<Entry> one_;  ///< all that there is
  std::vector<Entry> more_;
  std::size_t dropped_ = 0;  ///< entries at the front of `more_`, which are no more
};

}  // namespace a2a3::isa
