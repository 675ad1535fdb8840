// SPDX-License-Identifier: Apache-2.0
#include "isa/lazy_bytes.hpp"

#include <new>

#include <sys/mman.h>

namespace a2a3::isa {
namespace {

/// From this size on, a page fault per 4 KiB costs more than zeroing whole huge pages.
constexpr std::uint64_t kHugePageThresholdBytes = std::uint64_t{8} << 20;

}  // namespace

LazyBytes::LazyBytes(std::uint64_t size) : size_(size) {
  if (size == 0) return;
  void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(address);
  // Advice only: without huge pages the memory works too.
  madvise(address, size, size >= kHugePageThresholdBytes ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

LazyBytes::~LazyBytes() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace a2a3::isa
