// SPDX-License-Identifier: Apache-2.0
#include "ir/launch_scope.hpp"

#include <algorithm>

namespace a2a3::ir {

const ExprPtr* keyword_value(const Call& call, std::string_view name) {
  const auto found = std::find_if(call.keywords.begin(), call.keywords.end(),
                                  [&](const Keyword& keyword) { return keyword.name == name; });
  return found == call.keywords.end() ? nullptr : &found->value;
}

const Expr* spmd_count(const Call& call) {
  if (!call.args.empty()) return call.args[0].get();
  const ExprPtr* count = keyword_value(call, "core_num");
  return count == nullptr ? nullptr : count->get();
}

const Call* called_by(const Stmt& stmt) {
  if (const auto* assign = std::get_if<Assign>(&stmt.node)) {
    return std::get_if<Call>(&assign->value->node);
  }
  const auto* statement = std::get_if<ExprStmt>(&stmt.node);
  return statement == nullptr ? nullptr : std::get_if<Call>(&statement->value->node);
}

}  // namespace a2a3::ir
