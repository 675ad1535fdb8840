// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "isa/effect/convert.hpp"
#include "isa/effect/effect.hpp"

namespace a2a3::isa {

void apply(const TFill& fill, LocalMemory local) {
  std::array<std::byte, sizeof(std::uint64_t)> element;
  store_scalar(fill.value, fill.dst.dtype, element.data());
  const auto size = static_cast<std::size_t>(size_of(fill.dst.dtype));
  const auto bytes = static_cast<std::size_t>(fill.dst.bytes());
  if (bytes == 0) return;
  std::byte* const to = local.data() + fill.dst.offset_bytes;
  std::memcpy(to, element.data(), size);
  // Doubles what is filled.
  for (std::size_t filled = size; filled < bytes; filled *= 2)
    std::memcpy(to + filled, to, std::min(filled, bytes - filled));
}

}  // namespace a2a3::isa
