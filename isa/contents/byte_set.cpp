// SPDX-License-Identifier: Apache-2.0
#include "isa/contents/byte_set.hpp"

#include <algorithm>
#include <bit>

namespace a2a3::isa {
namespace {

constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

std::uint64_t count_of(std::uint64_t bits) {
  if (bits == 0) return 0;
  return bits == kAllBits ? 64 : static_cast<std::uint64_t>(std::popcount(bits));
}

}  // namespace

void ByteSet::Page::assign(std::uint64_t begin, std::uint64_t end, bool value) {
  if (end - begin == kPageBytes) {
    words.reset();
    count = value ? kPageBytes : 0;
    return;
  }
  if (words == nullptr) {
    if (value == (count != 0)) return;
    words = std::make_unique<Words>();
    words->fill(count == 0 ? 0 : kAllBits);
  }
  const auto change = [&](std::uint64_t word, std::uint64_t mask) {
    std::uint64_t& bits = (*words)[word];
    const std::uint64_t before = count_of(bits);
    bits = value ? bits | mask : bits & ~mask;
    count += count_of(bits) - before;
  };
  const std::uint64_t first = begin / kWordBits;
  const std::uint64_t last = (end - 1) / kWordBits;
  const std::uint64_t from = kAllBits << (begin % kWordBits);
  const std::uint64_t until = kAllBits >> (kWordBits - 1 - (end - 1) % kWordBits);
  if (first == last) {
    change(first, from & until);
  } else {
    change(first, from);
    for (std::uint64_t word = first + 1; word < last; ++word)
      change(word, kAllBits);
    change(last, until);
  }
  if (count == 0 || count == kPageBytes) words.reset();
}

std::uint64_t ByteSet::Page::find(bool value, std::uint64_t begin, std::uint64_t end) const {
  if (words == nullptr) return value == (count != 0) ? begin : end;
  std::uint64_t mask = kAllBits << (begin % kWordBits);
  for (std::uint64_t word = begin / kWordBits; word * kWordBits < end; ++word) {
    const std::uint64_t bits = mask & (value ? (*words)[word] : ~(*words)[word]);
    if (bits != 0)
      return std::min(end, word * kWordBits + static_cast<std::uint64_t>(std::countr_zero(bits)));
    mask = kAllBits;
  }
  return end;
}

void ByteSet::assign(std::uint64_t begin, std::uint64_t end, bool value) {
  if (!value) end = std::min(end, pages_.size() * kPageBytes);
  if (begin >= end) return;
  const std::uint64_t pages = (end + kPageBytes - 1) / kPageBytes;
  if (pages > pages_.size()) pages_.resize(pages);
  for (std::uint64_t number = begin / kPageBytes; number < pages; ++number) {
    const std::uint64_t base = number * kPageBytes;
    Page& page = pages_[number];
    mixed_pages_ -= page.words != nullptr ? 1 : 0;
    page.assign(std::max(begin, base) - base, std::min(end - base, kPageBytes), value);
    mixed_pages_ += page.words != nullptr ? 1 : 0;
  }
}

std::uint64_t ByteSet::find(bool value, std::uint64_t begin, std::uint64_t end) const {
  while (begin < end) {
    const std::uint64_t number = begin / kPageBytes;
    if (number >= pages_.size()) return value ? end : begin;
    const std::uint64_t base = number * kPageBytes;
    const std::uint64_t until = std::min(end - base, kPageBytes);
    const std::uint64_t found = pages_[number].find(value, begin - base, until);
    if (found < until) return base + found;
    begin = base + until;
  }
  return end;
}

}  // namespace a2a3::isa
