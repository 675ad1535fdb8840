// SPDX-License-Identifier: Apache-2.0
#include "models/traffic/claim_call.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/parser.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3::models {
namespace {

// One line; the bound keeps the expression's tree shallow enough to walk.
constexpr std::size_t kMaxClaimLength = 4096;

/// "allreduce.ring" of the expression; empty for anything but names joined by dots.
std::string dotted(const ir::Expr& expr) {
  if (const auto* name = std::get_if<ir::Name>(&expr.node)) return name->id;
  const auto* attribute = std::get_if<ir::Attribute>(&expr.node);
  if (attribute == nullptr) return "";
  const std::string object = dotted(*attribute->object);
  return object.empty() ? "" : object + "." + attribute->attribute;
}

}  // namespace

std::optional<ClaimFormula> parse_claim_formula(const ClaimText& text,
                                                ir::Diagnostics& diagnostics) {
  ClaimFormula formula;
  formula.source = std::make_shared<const ir::SourceFile>(text.shown_as, text.text);
  diagnostics.keep(formula.source);
  if (text.text.size() > kMaxClaimLength) {
    diagnostics.error(text.location,
                      fmt::format("{}: longer than {} characters", text.shown_as, kMaxClaimLength));
    return std::nullopt;
  }
  ir::ParsedExpression parsed = ir::parse_expression(formula.source);
  diagnostics.append(std::move(parsed.diagnostics));
  if (parsed.expr == nullptr) return std::nullopt;
  formula.expr = std::move(parsed.expr);
  return formula;
}

const ir::Expr* ClaimCall::find(const std::string& parameter) const {
  if (call == nullptr) return nullptr;
  const auto found = std::ranges::find_if(
      call->keywords, [&](const ir::Keyword& keyword) { return keyword.name == parameter; });
  return found == call->keywords.end() ? nullptr : found->value.get();
}

bool ClaimCall::check(const std::vector<std::string>& parameters,
                      ir::Diagnostics& diagnostics) const {
  if (call == nullptr) return true;
  bool right = true;
  const auto wrong = [&](const ir::SourceLocation& where, std::string message) {
    diagnostics.error(where, std::move(message))
        .notes.push_back({parameters.empty()
                              ? fmt::format("{} has no parameters", function)
                              : fmt::format("parameters: {}", fmt::join(parameters, ", ")),
                          {}});
    right = false;
  };
  for (const ir::ExprPtr& argument : call->args)
    wrong(argument->location, fmt::format("{} takes its parameters by name", function));
  for (const ir::Keyword& keyword : call->keywords) {
    if (std::ranges::find(parameters, keyword.name) == parameters.end()) {
      wrong(keyword.location, fmt::format("{} has no parameter '{}'{}", function, keyword.name,
                                          ir::suggestion(keyword.name, parameters)));
    }
  }
  return right;
}

std::optional<ClaimCall> parse_claim_call(const ClaimText& text, ir::Diagnostics& diagnostics) {
  auto parsed = parse_claim_formula(text, diagnostics);
  if (!parsed) return std::nullopt;
  ClaimCall result;
  result.parsed = *std::move(parsed);
  const ir::Expr& expr = *result.parsed.expr;
  result.call = std::get_if<ir::Call>(&expr.node);
  const ir::Expr& name = result.call == nullptr ? expr : *result.call->callee;
  result.function = dotted(name);
  result.location = name.location;
  if (!result.function.empty()) return result;
  diagnostics.error(name.location,
                    "expected the name of a schedule, as in allreduce.ring or broadcast(root=0)");
  return std::nullopt;
}

}  // namespace a2a3::models
