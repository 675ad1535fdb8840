// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <type_traits>

#include "isa/effect/effect.hpp"
#include "isa/effect/element.hpp"

namespace a2a3::isa {
namespace {

/// What a row is added up in.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, float>;

template <class T>
T row_sum(const Tile& tile, const std::byte* from, std::int64_t row) {
  Sum<T> sum{};
  for (std::int64_t col = 0; col < tile.valid_cols; ++col) {
    const T value = read_element<T>(from + tile.element_index(row, col) * size_of(tile.dtype));
    sum = static_cast<Sum<T>>(sum + static_cast<Sum<T>>(value));
  }
  return static_cast<T>(sum);
}

}  // namespace

void apply(const TRowSum& sum, LocalMemory local) {
  const std::byte* const from = local.data() + sum.src.offset_bytes;
  std::byte* const to = local.data() + sum.dst.offset_bytes;
  with_element(sum.src.dtype, [&]<class T>(std::type_identity<T>) {
    for (std::int64_t row = 0; row < sum.src.valid_rows; ++row) {
      write_element(to + sum.dst.element_index(row, 0) * size_of(sum.dst.dtype),
                    row_sum<T>(sum.src, from, row));
    }
  });
}

}  // namespace a2a3::isa
