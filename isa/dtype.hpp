// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace a2a3::isa {

/// Element types of tensors, windows, tiles and run-time scalars.
/// `index` is the type of loop variables and shape arithmetic; it is 8 bytes wide and never stored
/// in memory.
enum class DType : std::uint8_t {
  fp32,
  fp16,
  bf16,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  boolean,
  index,
};

/// Size of one element in bytes.
[[nodiscard]] constexpr std::int64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::int8:
    case DType::uint8:
    case DType::boolean:
      return 1;
    case DType::fp16:
    case DType::bf16:
    case DType::int16:
    case DType::uint16:
      return 2;
    case DType::fp32:
    case DType::int32:
    case DType::uint32:
      return 4;
    case DType::int64:
    case DType::uint64:
    case DType::index:
      return 8;
  }
  return 0;
}

/// Rows of tiles are whole blocks of this many bytes.
inline constexpr std::int64_t kBlockBytes = 32;

[[nodiscard]] constexpr bool is_float(DType dtype) {
  return dtype == DType::fp32 || dtype == DType::fp16 || dtype == DType::bf16;
}

/// True for every integer type, `index` included; `boolean` is neither integer nor float.
[[nodiscard]] constexpr bool is_integer(DType dtype) {
  return !is_float(dtype) && dtype != DType::boolean;
}

/// dtypes that memory-side atomic add supports (TSTORE, TPUT with AtomicType.Add).
[[nodiscard]] constexpr bool supports_atomic_add(DType dtype) {
  return is_float(dtype) || dtype == DType::int32 || dtype == DType::int16 || dtype == DType::int8;
}

/// What the cube accumulates products of this dtype in; nothing when it does not multiply them.
[[nodiscard]] constexpr std::optional<DType> accumulator_of(DType dtype) {
  if (is_float(dtype)) return DType::fp32;
  if (dtype == DType::int8) return DType::int32;
  return std::nullopt;
}

/// The kernel language's name without its `pl.` prefix, for example "FP32".
[[nodiscard]] std::string_view name(DType dtype);

/// Inverse of name(); nothing for an unknown name.
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view name);

}  // namespace a2a3::isa
