// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace a2a3::isa {

/// A list that mostly has one entry, which takes no memory of its own.
template <class Entry>
class ShortList {
 public:
  [[nodiscard]] Entry* begin() { return one_ ? &*one_ : more_.data(); }
  [[nodiscard]] Entry* end() { return begin() + size(); }
  [[nodiscard]] const Entry* begin() const { return one_ ? &*one_ : more_.data(); }
  [[nodiscard]] const Entry* end() const { return begin() + size(); }
  [[nodiscard]] std::size_t size() const { return one_ ? 1 : more_.size(); }
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
  /// Drops all but the first `count` entries.
  void truncate(std::size_t count) {
    if (count == 0) one_.reset();
    if (count < more_.size())
      more_.erase(more_.begin() + static_cast<std::ptrdiff_t>(count), more_.end());
  }
  void clear() { truncate(0); }

 private:
  std::optional<Entry> one_;  ///< all that there is
  std::vector<Entry> more_;
};

}  // namespace a2a3::isa
