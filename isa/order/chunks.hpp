// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace a2a3::isa {

/// A list that grows at its end and whose entries stay where they are: many of them share a piece
/// of memory, which a deque does not do for large ones.
template <class Entry>
class Chunks {
 public:
  Chunks() = default;
  Chunks(const Chunks& other) : size_(other.size_) {
    for (const auto& chunk : other.chunks_)
      chunks_.push_back(std::make_unique<Chunk>(*chunk));
  }
  Chunks(Chunks&& other) noexcept
      : chunks_(std::move(other.chunks_)), size_(std::exchange(other.size_, 0)) {}
  Chunks& operator=(Chunks other) noexcept {
    chunks_.swap(other.chunks_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Chunks() = default;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Entry& operator[](std::size_t i) { return (*chunks_[i / kChunk])[i % kChunk]; }
  [[nodiscard]] const Entry& operator[](std::size_t i) const {
    return (*chunks_[i / kChunk])[i % kChunk];
  }
  /// Adds entries until there are so many; gives the number of new ones.
  std::size_t grow(std::size_t size) {
    if (size <= size_) return 0;
    while (chunks_.size() * kChunk < size)
      chunks_.push_back(std::make_unique<Chunk>());
    return size - std::exchange(size_, size);
  }
  Entry& add() {
    grow(size_ + 1);
    return (*this)[size_ - 1];
  }

  template <class Of>
  class Iterator {
   public:
    Iterator(Of& of, std::size_t at) : of_(&of), at_(at) {}
    [[nodiscard]] auto& operator*() const { return (*of_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    Of* of_;
    std::size_t at_;
  };
  [[nodiscard]] auto begin() { return Iterator<Chunks>(*this, 0); }
  [[nodiscard]] auto end() { return Iterator<Chunks>(*this, size_); }
  [[nodiscard]] auto begin() const { return Iterator<const Chunks>(*this, 0); }
  [[nodiscard]] auto end() const { return Iterator<const Chunks>(*this, size_); }

 private:
  static constexpr std::size_t kChunk = 64;
  using Chunk = std::array<Entry, kChunk>;

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace a2a3::isa
