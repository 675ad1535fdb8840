// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace a2a3::isa {

/// Some of the bytes of a memory, one bit for each. Pages that are in it as a whole, or not at all,
/// need no bits.
class ByteSet {
 public:
  /// Puts the bytes [begin, end) in, or takes them out.
  void assign(std::uint64_t begin, std::uint64_t end, bool value);

  /// The first byte of [begin, end) that is in the set, or that is not when `value` is false; `end`
  /// when there is none.
  [[nodiscard]] std::uint64_t find(bool value, std::uint64_t begin, std::uint64_t end) const;
  [[nodiscard]] bool contains(std::uint64_t begin, std::uint64_t end) const {
    return find(false, begin, end) == end;
  }

  /// What it takes itself, in bytes: at most an eighth of the memory, and 16 for each 4 KiB.
  [[nodiscard]] std::size_t size_bytes() const {
    return pages_.size() * sizeof(Page) + mixed_pages_ * sizeof(Words);
  }

 private:
  static constexpr std::uint64_t kWordBits = 64;
  static constexpr std::uint64_t kPageBytes = 4096;
  using Words = std::array<std::uint64_t, kPageBytes / kWordBits>;
  struct Page {
    std::unique_ptr<Words> words;  ///< of a mixed page
    std::uint64_t count = 0;       ///< of its bytes that are in the set

    void assign(std::uint64_t begin, std::uint64_t end, bool value);
    [[nodiscard]] std::uint64_t find(bool value, std::uint64_t begin, std::uint64_t end) const;
  };

  std::vector<Page> pages_;
  std::size_t mixed_pages_ = 0;
};

}  // namespace a2a3::isa
