// SPDX-License-Identifier: Apache-2.0
#include "isa/effect/elementwise.hpp"
#include "isa/memory.hpp"

namespace a2a3::isa {

void accumulate(DType dtype, std::span<std::byte> memory, std::span<const std::byte> source) {
  const LineCount count{1, static_cast<std::int64_t>(source.size()) / size_of(dtype)};
  apply_elementwise(BinaryOp::add, dtype, {memory.data(), 0, 1}, {source.data(), 0, 1},
                    {memory.data(), 0, 1}, count);
}

}  // namespace a2a3::isa
