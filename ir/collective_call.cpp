// SPDX-License-Identifier: Apache-2.0
#include "ir/collective_call.hpp"

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

}  // namespace a2a3::ir
