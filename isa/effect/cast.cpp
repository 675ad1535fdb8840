// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "isa/effect/convert.hpp"
#include "isa/effect/effect.hpp"
#include "isa/effect/element.hpp"
#include "isa/effect/elementwise.hpp"
#include "isa/effect/saturate.hpp"

namespace a2a3::isa {
namespace {

/// Elements converted at a time through a buffer on the stack.
constexpr std::int64_t kBlock = 64;
template <class T>
using Block = std::array<T, kBlock>;

/// Reads `n` elements as doubles (exact; 64-bit integers as sticky doubles).
void load(DType dtype, const std::byte* from, std::int64_t stride_bytes, std::int64_t n,
          Block<double>& block) {
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    for (std::int64_t i = 0; i < n; ++i) {
      const T element = read_element<T>(from + i * stride_bytes);
      if constexpr (std::is_same_v<T, std::uint64_t> || std::is_same_v<T, std::int64_t>) {
        block[i] = sticky_double(element);
      } else if constexpr (std::is_integral_v<T>) {
        block[i] = element;
      } else {
        block[i] = static_cast<float>(element);
      }
    }
  });
  if (dtype == DType::boolean)
    for (std::int64_t i = 0; i < n; ++i)
      block[i] = block[i] != 0.0 ? 1.0 : 0.0;
}

/// Reads `n` integers; uint64 past the largest int64 saturates, as every other target would.
void load(DType dtype, const std::byte* from, std::int64_t stride_bytes, std::int64_t n,
          Block<std::int64_t>& block) {
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>)
      for (std::int64_t i = 0; i < n; ++i)
        block[i] = saturate<std::int64_t>(read_element<T>(from + i * stride_bytes));
  });
  if (dtype == DType::boolean)
    for (std::int64_t i = 0; i < n; ++i)
      block[i] = block[i] != 0;
}

template <class Bits>
void store_floats(const FloatFormat& format, RoundMode mode, const Block<double>& block,
                  std::byte* to, std::int64_t stride_bytes, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    write_element(to + i * stride_bytes,
                  static_cast<Bits>(round_to_format(block[i], format, mode)));
}

void store(const TCast& cast, const Block<double>& block, std::byte* to, std::int64_t stride_bytes,
           std::int64_t n) {
  switch (cast.dst.dtype) {
    case DType::fp32:
      return store_floats<std::uint32_t>(kFp32, cast.mode, block, to, stride_bytes, n);
    case DType::fp16:
      return store_floats<std::uint16_t>(kFp16, cast.mode, block, to, stride_bytes, n);
    case DType::bf16:
      return store_floats<std::uint16_t>(kBf16, cast.mode, block, to, stride_bytes, n);
    case DType::boolean:
      for (std::int64_t i = 0; i < n; ++i)
        write_element(to + i * stride_bytes, static_cast<std::uint8_t>(block[i] != 0.0));
      return;
    default:
      break;
  }
  with_element(cast.dst.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>)
      for (std::int64_t i = 0; i < n; ++i)
        write_element(to + i * stride_bytes, saturate<T>(round_to_integral(block[i], cast.mode)));
  });
}

void store(const TCast& cast, const Block<std::int64_t>& block, std::byte* to,
           std::int64_t stride_bytes, std::int64_t n) {
  const bool to_boolean = cast.dst.dtype == DType::boolean;
  with_element(cast.dst.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>)
      for (std::int64_t i = 0; i < n; ++i)
        write_element(to + i * stride_bytes,
                      to_boolean ? static_cast<T>(block[i] != 0) : saturate<T>(block[i]));
  });
}

/// Converts one line by way of blocks of Middle.
template <class Middle>
void convert(const TCast& cast, const std::byte* from, std::int64_t from_stride, std::byte* to,
             std::int64_t to_stride, std::int64_t n) {
  Block<Middle> block;
  for (std::int64_t done = 0; done < n; done += kBlock) {
    const std::int64_t now = std::min(kBlock, n - done);
    load(cast.src.dtype, from + done * from_stride, from_stride, now, block);
    store(cast, block, to + done * to_stride, to_stride, now);
  }
}

}  // namespace

// From float to float the mode rounds at the target's precision. To an integer the value is rounded
// to an integral one and saturated; NaN becomes 0. From integer to integer the value saturates
// (TCVT's default on the device). A cast to the own type changes nothing.
void apply(const TCast& cast, LocalMemory local) {
  const bool by_rows = cast.src.layout == TileLayout::row_major;
  const auto src = lines_of<const std::byte>(cast.src, local.data(), by_rows);
  const auto dst = lines_of(cast.dst, local.data(), by_rows);
  const LineCount count = valid_lines(cast.src, by_rows);
  const std::int64_t src_bytes = size_of(cast.src.dtype);
  const std::int64_t dst_bytes = size_of(cast.dst.dtype);
  const bool integers = !is_float(cast.src.dtype) && !is_float(cast.dst.dtype);
  for (std::int64_t line = 0; line < count.lines; ++line) {
    const std::byte* const from = src.first + line * src.line_stride * src_bytes;
    std::byte* const to = dst.first + line * dst.line_stride * dst_bytes;
    if (cast.src.dtype == cast.dst.dtype) {
      for (std::int64_t i = 0; i < count.length; ++i)
        std::memmove(to + i * dst.stride * dst_bytes, from + i * src.stride * src_bytes,
                     static_cast<std::size_t>(src_bytes));
    } else if (integers) {
      convert<std::int64_t>(cast, from, src.stride * src_bytes, to, dst.stride * dst_bytes,
                            count.length);
    } else {
      convert<double>(cast, from, src.stride * src_bytes, to, dst.stride * dst_bytes, count.length);
    }
  }
}

}  // namespace a2a3::isa
