// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>

#include "isa/memory.hpp"

namespace a2a3::interp {

/// Zeroed bytes whose pages are touched only when used: most kernels use a small part of a
/// core's memories.
class LazyBuffer {
 public:
  explicit LazyBuffer(std::size_t bytes)
      : bytes_(static_cast<std::byte*>(std::calloc(std::max<std::size_t>(bytes, 1), 1))),
        size_(bytes_ ? bytes : 0) {}
  [[nodiscard]] isa::LocalMemory span() { return {bytes_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t size_;
};

}  // namespace a2a3::interp
