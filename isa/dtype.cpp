// SPDX-License-Identifier: Apache-2.0
#include "isa/dtype.hpp"

#include <array>
#include <utility>

namespace a2a3::isa {
namespace {

constexpr std::array<std::pair<DType, std::string_view>, 13> kNames{{
    {DType::fp32, "FP32"},
    {DType::fp16, "FP16"},
    {DType::bf16, "BF16"},
    {DType::int8, "INT8"},
    {DType::int16, "INT16"},
    {DType::int32, "INT32"},
    {DType::int64, "INT64"},
    {DType::uint8, "UINT8"},
    {DType::uint16, "UINT16"},
    {DType::uint32, "UINT32"},
    {DType::uint64, "UINT64"},
    {DType::boolean, "BOOL"},
    {DType::index, "INDEX"},
}};

}  // namespace

std::string_view name(DType dtype) {
  for (const auto& [known, text] : kNames)
    if (known == dtype) return text;
  return "?";
}

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const auto& [known, text] : kNames)
    if (text == name) return known;
  return std::nullopt;
}

}  // namespace a2a3::isa
