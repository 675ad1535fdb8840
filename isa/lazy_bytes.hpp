// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace a2a3::isa {

/// Zero-filled bytes from the operating system that cost physical memory only where they were
/// touched.
class LazyBytes {
 public:
  /// Throws std::bad_alloc when the address space does not hold `size` bytes more.
  explicit LazyBytes(std::uint64_t size);
  ~LazyBytes();
  LazyBytes(const LazyBytes&) = delete;
  LazyBytes& operator=(const LazyBytes&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() { return {data_, size_}; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace a2a3::isa
