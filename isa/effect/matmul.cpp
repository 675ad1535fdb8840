// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <type_traits>

#include <Eigen/Core>

#include "isa/effect/effect.hpp"
#include "isa/effect/element.hpp"

namespace a2a3::isa {
namespace {

/// `In` is what the operands hold, `Sum` what is multiplied and added up. Every element of the
/// result gets its terms in the order of the inner index.
template <class In, class Sum>
void multiply(const TMatmul& product, LocalMemory local) {
  const auto element = [&](const Tile& tile, std::int64_t row, std::int64_t col) {
    return local.data() + tile.offset_bytes + tile.element_index(row, col) * size_of(tile.dtype);
  };
  using Wide = std::conditional_t<std::is_integral_v<Sum>, std::uint32_t, Sum>;
  const std::int64_t inner = product.lhs.valid_cols;
  for (std::int64_t m = 0; m < product.lhs.valid_rows; ++m) {
    for (std::int64_t n = 0; n < product.rhs.valid_cols; ++n) {
      Wide sum{};
      for (std::int64_t k = 0; k < inner; ++k) {
        const auto a = static_cast<Sum>(read_element<In>(element(product.lhs, m, k)));
        const auto b = static_cast<Sum>(read_element<In>(element(product.rhs, k, n)));
        sum += static_cast<Wide>(a) * static_cast<Wide>(b);
      }
      write_element(element(product.dst, m, n), static_cast<Sum>(sum));
    }
  }
}

}  // namespace

void apply(const TMatmul& product, LocalMemory local) {
  switch (product.lhs.dtype) {
    case DType::fp32:
      return multiply<float, float>(product, local);
    case DType::fp16:
      return multiply<Eigen::half, float>(product, local);
    case DType::bf16:
      return multiply<Eigen::bfloat16, float>(product, local);
    case DType::int8:
      return multiply<std::int8_t, std::int32_t>(product, local);
    default:
      return;  // accumulator_of() has none: validate() refuses it
  }
}

}  // namespace a2a3::isa
