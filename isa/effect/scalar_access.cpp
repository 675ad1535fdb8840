// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "isa/effect/convert.hpp"
#include "isa/effect/effect.hpp"

namespace a2a3::isa {

void apply(const ScalarRead& read, LocalMemory local, GlobalPort& global) {
  std::array<std::byte, sizeof(std::uint64_t)> element;
  const std::byte* from = element.data();
  if (read.gm) {
    global.read(*read.gm, std::span(element.data(), static_cast<std::size_t>(size_of(read.dtype))));
  } else {
    from = local.data() + read.tile->offset_bytes;
  }
  *read.result = load_scalar(read.dtype, from);
}

void apply(const ScalarWrite& write, LocalMemory local, GlobalPort& global) {
  if (write.tile) {
    store_scalar(write.value, write.tile->dtype, local.data() + write.tile->offset_bytes);
    return;
  }
  std::array<std::byte, sizeof(std::uint64_t)> element;
  const DType dtype = write.value.dtype;
  store_scalar(write.value, dtype, element.data());
  global.write(*write.gm, std::span(element.data(), static_cast<std::size_t>(size_of(dtype))));
}

}  // namespace a2a3::isa
