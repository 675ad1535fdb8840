// SPDX-License-Identifier: Apache-2.0
#include "models/golden/call_text.hpp"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "ir/parser.hpp"
#include "ir/vocabulary.hpp"
#include "models/golden/evaluator.hpp"

namespace a2a3::models {
namespace {

// One line; the bound keeps the expression's tree shallow enough to walk.
constexpr std::size_t kMaxLength = 4096;

std::optional<CallArgument> read_argument(const ir::Expr& expr, Evaluator& evaluator,
                                          CallNames names, ir::Diagnostics& diagnostics) {
  CallArgument argument;
  argument.location = expr.location;
  if (const auto* text = std::get_if<ir::StringLiteral>(&expr.node)) {
    argument.text = text->value;
    return argument;
  }
  if (names == CallNames::texts && (argument.text = ir::dotted_name(expr))) return argument;
  const Evaluator::Value value = evaluator.evaluate(expr, 0);
  if (!value) return std::nullopt;
  if (value->elements() != 1) {
    diagnostics.error(expr.location, "expected one number");
    return std::nullopt;
  }
  argument.number = value->data[0];
  return argument;
}

}  // namespace

bool CallText::take(std::initializer_list<std::pair<const char*, double*>> parameters,
                    ir::Diagnostics& diagnostics) const {
  std::vector<std::string> names;
  for (const auto& parameter : parameters)
    names.emplace_back(parameter.first);
  std::vector<bool> given(names.size(), false);
  std::size_t position = 0;
  bool right = true;
  for (const CallArgument& argument : arguments) {
    const std::size_t index =
        argument.name.empty()
            ? position++
            : static_cast<std::size_t>(std::find(names.begin(), names.end(), argument.name) -
                                       names.begin());
    std::string wrong;
    if (index >= names.size()) {
      wrong = argument.name.empty()
                  ? fmt::format("{} takes {} arguments at most", function, names.size())
                  : fmt::format("{} has no argument '{}'{}", function, argument.name,
                                ir::suggestion(argument.name, names));
    } else if (given[index]) {
      wrong = fmt::format("'{}' is given twice", names[index]);
    } else if (argument.text) {
      wrong = fmt::format("'{}' must be a number", names[index]);
    }
    if (wrong.empty()) {
      given[index] = true;
      *(parameters.begin() + static_cast<std::ptrdiff_t>(index))->second = argument.number;
    } else {
      diagnostics.error(argument.location, wrong);
      right = false;
    }
  }
  return right;
}

std::optional<CallText> parse_call(const ir::SourceFilePtr& source,
                                   const std::map<std::string, double>& settings,
                                   ir::Diagnostics& diagnostics, CallNames names) {
  diagnostics.keep(source);
  if (source->text().size() > kMaxLength) {
    diagnostics.error({}, fmt::format("{}: longer than {} characters", source->path(), kMaxLength));
    return std::nullopt;
  }
  ir::ParsedExpression parsed = ir::parse_expression(source);
  diagnostics.append(std::move(parsed.diagnostics));
  if (parsed.expr == nullptr) return std::nullopt;
  CallText result;
  result.location = parsed.expr->location;
  if (const auto* name = std::get_if<ir::Name>(&parsed.expr->node)) {
    result.function = name->id;
    return result;
  }
  const auto* call = std::get_if<ir::Call>(&parsed.expr->node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<ir::Name>(&call->callee->node);
  if (callee == nullptr) {
    diagnostics.error(result.location, "expected name(arguments)");
    return std::nullopt;
  }
  result.function = callee->id;
  result.location = call->callee->location;
  const GoldenScope scope{0, {}, settings};
  const GoldenLimits limits;
  Evaluator evaluator(scope, limits, diagnostics);
  bool right = true;
  const auto add = [&](const ir::Expr& expr, const std::string& name) {
    std::optional<CallArgument> argument = read_argument(expr, evaluator, names, diagnostics);
    right = right && argument.has_value();
    if (!argument) return;
    argument->name = name;
    result.arguments.push_back(std::move(*argument));
  };
  for (const ir::ExprPtr& arg : call->args)
    add(*arg, "");
  for (const ir::Keyword& keyword : call->keywords)
    add(*keyword.value, keyword.name);
  if (!right) return std::nullopt;
  return result;
}

}  // namespace a2a3::models
