// SPDX-License-Identifier: Apache-2.0
#include "ir/collective_call.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace a2a3::ir {

bool is_ring(const Call& call) {
  const Expr* mode = named_operand(call, "mode");
  const auto* text = mode != nullptr && mode->constant
                         ? std::get_if<std::string>(&mode->constant->value)
                         : nullptr;
  return text != nullptr && *text == "ring";
}

std::int64_t lane_count(const Call& call) {
  const Expr* expr = named_operand(call, "core_num");
  const auto* count = expr != nullptr && expr->constant
                          ? std::get_if<std::int64_t>(&expr->constant->value)
                          : nullptr;
  return count == nullptr ? 1 : *count;
}

std::int64_t ValidRectangle::bytes() const {
  std::int64_t bytes = 0;
  const bool overflows = __builtin_mul_overflow(rows, cols, &bytes) ||
                         __builtin_mul_overflow(bytes, isa::size_of(dtype), &bytes);
  return overflows ? kMostBytes : bytes;
}

std::optional<ValidRectangle> valid_rectangle(const Type& slice) {
  std::array<std::int64_t, 2> extents{};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto valid = slice.valid_shape.at(i).constant();
    const auto most = valid ? valid : slice.shape.at(i).constant();
    if (!most) return std::nullopt;
    extents[i] = std::max(*most, std::int64_t{1});
  }
  const std::int64_t block = isa::kBlockBytes / isa::size_of(slice.dtype);
  return ValidRectangle{extents[0], (extents[1] + block - 1) / block * block, slice.dtype};
}

}  // namespace a2a3::ir
