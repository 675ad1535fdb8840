// SPDX-License-Identifier: Apache-2.0
#include "ir/collective_call.hpp"

#include <algorithm>
#include <string>

namespace a2a3::ir {
namespace {

const Expr* named_operand(const Call& call, std::string_view name) {
  const std::size_t index = operand_index(*call.op, name);
  return index < call.op->parameters.size() ? call.operand(index) : nullptr;
}

}  // namespace

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

std::size_t operand_index(const OpInfo& op, std::string_view name) {
  const auto found = std::find_if(op.parameters.begin(), op.parameters.end(),
                                  [&](const OpParameter& p) { return p.name == name; });
  return static_cast<std::size_t>(found - op.parameters.begin());
}

}  // namespace a2a3::ir
