// SPDX-License-Identifier: Apache-2.0
#include "ir/elaborate/reach.hpp"

#include "ir/vocabulary.hpp"
#include "ir/walk.hpp"

namespace a2a3::ir {

std::set<std::string> called_names(const Function& function) {
  std::set<std::string> names;
  walk(function.body, [&](const Expr& expr) {
    const auto* call = std::get_if<Call>(&expr.node);
    if (call == nullptr) return;
    if (const auto* name = std::get_if<Name>(&call->callee->node)) names.insert(name->id);
    const auto* attribute = std::get_if<Attribute>(&call->callee->node);
    if (attribute != nullptr && dotted_name(*attribute->object) == "self") {
      names.insert(attribute->attribute);
    }
  });
  return names;
}

std::set<std::string> inline_dynamic_names(const Function& function) {
  std::set<std::string> names;
  const auto collect = [&](const std::optional<TypeExpr>& annotation) {
    if (!annotation || annotation->expr == nullptr) return;
    walk(*annotation->expr, [&](const Expr& expr) {
      const auto* call = std::get_if<Call>(&expr.node);
      if (call == nullptr || call->args.size() != 1) return;
      const auto* text = std::get_if<StringLiteral>(&call->args[0]->node);
      if (text != nullptr && dotted_name(*call->callee) == "pl.dynamic") names.insert(text->value);
    });
  };
  for (const Parameter& parameter : function.parameters)
    collect(parameter.annotation);
  collect(function.result_annotation);
  return names;
}

}  // namespace a2a3::ir
