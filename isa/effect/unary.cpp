// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "isa/effect/effect.hpp"
#include "isa/effect/element.hpp"
#include "isa/effect/elementwise.hpp"

namespace a2a3::isa {
namespace {

float unary_value(UnaryOp op, float x) {
  switch (op) {
    case UnaryOp::exp:
      return std::exp(x);
    case UnaryOp::ln:
      return std::log(x);
    case UnaryOp::sqrt:
      return std::sqrt(x);
    case UnaryOp::relu:
      return x < 0 ? 0.0F : x;
  }
  return x;
}

}  // namespace

void apply(const TUnary& unary, LocalMemory local) {
  const bool by_rows = unary.src.layout == TileLayout::row_major;
  const SourceLines from = lines_of<const std::byte>(unary.src, local.data(), by_rows);
  const TargetLines to = lines_of(unary.dst, local.data(), by_rows);
  const LineCount count = valid_lines(unary.src, by_rows);
  with_element(unary.src.dtype, [&]<class T>(std::type_identity<T>) {
    const auto offset = [](std::int64_t elements) {
      return elements * static_cast<std::int64_t>(sizeof(T));
    };
    for (std::int64_t line = 0; line < count.lines; ++line) {
      for (std::int64_t i = 0; i < count.length; ++i) {
        const T x = read_element<T>(from.first + offset(line * from.line_stride + i * from.stride));
        T result{};
        if constexpr (std::is_integral_v<T>)
          result = x < T{0} ? T{0} : x;
        else
          result = static_cast<T>(unary_value(unary.op, static_cast<float>(x)));
        write_element(to.first + offset(line * to.line_stride + i * to.stride), result);
      }
    }
  });
}

}  // namespace a2a3::isa
