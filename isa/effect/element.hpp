// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <Eigen/Core>

#include "isa/dtype.hpp"

namespace a2a3::isa {

/// Calls `f` with std::type_identity of the C++ type that holds one element. `boolean` is one byte,
/// zero or not; `index` is int64.
template <class F>
decltype(auto) with_element(DType dtype, F&& f) {
  switch (dtype) {
    case DType::fp32:
      return f(std::type_identity<float>{});
    case DType::fp16:
      return f(std::type_identity<Eigen::half>{});
    case DType::bf16:
      return f(std::type_identity<Eigen::bfloat16>{});
    case DType::int8:
      return f(std::type_identity<std::int8_t>{});
    case DType::int16:
      return f(std::type_identity<std::int16_t>{});
    case DType::int32:
      return f(std::type_identity<std::int32_t>{});
    case DType::uint8:
    case DType::boolean:
      return f(std::type_identity<std::uint8_t>{});
    case DType::uint16:
      return f(std::type_identity<std::uint16_t>{});
    case DType::uint32:
      return f(std::type_identity<std::uint32_t>{});
    case DType::uint64:
      return f(std::type_identity<std::uint64_t>{});
    case DType::int64:
    case DType::index:
      break;
  }
  return f(std::type_identity<std::int64_t>{});
}

template <class T>
[[nodiscard]] T read_element(const std::byte* from) {
  T value;
  std::memcpy(static_cast<void*>(&value), from, sizeof(T));
  return value;
}

template <class T>
void write_element(std::byte* to, const T& value) {
  std::memcpy(to, static_cast<const void*>(&value), sizeof(T));
}

}  // namespace a2a3::isa
