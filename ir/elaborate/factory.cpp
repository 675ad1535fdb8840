// SPDX-License-Identifier: Apache-2.0
#include "ir/elaborate/factory.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "ir/elaborate/decorators.hpp"
#include "ir/fold.hpp"
#include "ir/static_eval.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3::ir {
namespace {

bool is_rank_count_name(std::string_view name) {
  constexpr std::array<std::string_view, 16> kNames{
      "P",         "n_ranks",  "nranks",      "num_ranks",  "nr",         "NR",
      "N_RANKS",   "NRANKS",   "ranks",       "world_size", "WORLD_SIZE", "world",
      "n_devices", "ndevices", "num_devices", "n_dev"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool makes_program(const std::vector<FactoryStmt>& body) {
  return std::any_of(body.begin(), body.end(), [](const FactoryStmt& stmt) {
    if (std::holds_alternative<ParsedClass>(stmt.node)) return true;
    if (const auto* function = std::get_if<ParsedFunction>(&stmt.node)) {
      return function_kind(*function) == FunctionKind::host;
    }
    const auto* branch = std::get_if<FactoryIf>(&stmt.node);
    return branch != nullptr &&
           (makes_program(branch->then_body) || makes_program(branch->else_body));
  });
}

class FactoryRun {
 public:
  FactoryRun(Module& module, std::shared_ptr<Scope> scope, Diagnostics& diagnostics)
      : module_(module), scope_(std::move(scope)), diagnostics_(diagnostics) {}

  /// Runs the statements; true when a return was executed or an error stops the factory.
  bool run(std::vector<FactoryStmt>& body) {
    return std::any_of(body.begin(), body.end(), [this](FactoryStmt& stmt) { return run(stmt); });
  }

  FactoryResult result;

 private:
  bool run(FactoryStmt& stmt) {
    if (auto* definition = std::get_if<ConstantDef>(&stmt.node)) {
      define_constant(*definition, module_, *scope_, nullptr, diagnostics_);
      return false;
    }
    if (auto* branch = std::get_if<FactoryIf>(&stmt.node)) {
      const auto taken = condition(*branch->condition);
      if (!taken) return true;
      return run(*taken ? branch->then_body : branch->else_body);
    }
    if (auto* assertion = std::get_if<FactoryAssert>(&stmt.node))
      return assertion_fails(*assertion);
    if (auto* program = std::get_if<ParsedClass>(&stmt.node)) {
      classes_[program->name] = {program, std::make_shared<Scope>(*scope_)};
      return false;
    }
    if (auto* function = std::get_if<ParsedFunction>(&stmt.node)) {
      result.functions.push_back(function);
      return false;
    }
    return_value(std::get<FactoryReturn>(stmt.node), stmt.location);
    return true;
  }

  std::optional<bool> condition(const Expr& expr) {
    const auto value = StaticEvaluator(module_, *scope_).evaluate(expr);
    if (const auto* error = std::get_if<StaticError>(&value)) {
      diagnostics_.error(error->location, error->message);
      return std::nullopt;
    }
    const auto* constant = std::get_if<Constant>(&std::get<StaticValue>(value));
    const auto decided = constant == nullptr ? std::nullopt : truth(*constant);
    if (!decided) {
      diagnostics_.error(expr.location,
                         "a condition in a factory must be known when the program "
                         "is built");
    }
    return decided;
  }

  bool assertion_fails(const FactoryAssert& assertion) {
    const auto holds = condition(*assertion.condition);
    if (!holds) return true;
    if (*holds) return false;
    std::string message = "assertion of the factory fails";
    if (assertion.message != nullptr) {
      const auto text = StaticEvaluator(module_, *scope_).evaluate(*assertion.message);
      const auto* value = std::get_if<StaticValue>(&text);
      const auto* constant = value == nullptr ? nullptr : std::get_if<Constant>(value);
      if (constant != nullptr) {
        const auto* written = std::get_if<std::string>(&constant->value);
        message += ": " + (written != nullptr ? *written : to_string(*constant));
      }
    }
    diagnostics_.error(assertion.condition->location, std::move(message));
    return true;
  }

  void return_value(const FactoryReturn& statement, SourceLocation location) {
    const auto* name =
        statement.value == nullptr ? nullptr : std::get_if<Name>(&statement.value->node);
    if (name != nullptr) {
      if (const auto found = classes_.find(name->id); found != classes_.end()) {
        std::tie(result.program, result.scope) = found->second;
        return;
      }
      // Of two definitions the later one counts, as in Python.
      const auto found =
          std::find_if(result.functions.rbegin(), result.functions.rend(),
                       [&](const ParsedFunction* f) { return f->function.name == name->id; });
      if (found != result.functions.rend()) {
        result.host = *found;
        result.scope = scope_;
        return;
      }
    }
    diagnostics_.error(statement.value == nullptr ? location : statement.value->location,
                       "a factory must return the @pl.program class or the host function that it "
                       "defines");
  }

  Module& module_;
  std::shared_ptr<Scope> scope_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::pair<ParsedClass*, std::shared_ptr<Scope>>> classes_;
};

std::optional<StaticValue> argument_value(const Factory& factory, const Factory::Argument& argument,
                                          const ElaborateOptions& options, Settings& settings,
                                          Module& module, const Scope& scope,
                                          Diagnostics& diagnostics) {
  const auto setting = settings.take(argument.name);
  const bool counts_ranks = argument.default_value == nullptr && is_rank_count_name(argument.name);
  std::optional<StaticValue> known;
  if (counts_ranks) known = Constant{options.world_size};
  if (argument.default_value != nullptr) {
    auto value = StaticEvaluator(module, scope).evaluate(*argument.default_value);
    if (auto* evaluated = std::get_if<StaticValue>(&value)) {
      known = std::move(*evaluated);
    } else if (!setting) {
      const auto& error = std::get<StaticError>(value);
      diagnostics.error(error.location, error.message);
      return std::nullopt;
    }
  }
  if (setting) {
    const auto* original = known ? std::get_if<Constant>(&*known) : nullptr;
    if (original == nullptr || std::holds_alternative<DynamicDim>(original->value) ||
        std::holds_alternative<ConstantList>(original->value)) {
      return parse_setting(*setting);
    }
    if (auto value = setting_like(*original, *setting)) return *std::move(value);
    diagnostics.error(argument.location, "--set " + argument.name + "=" + *setting +
                                             " does not fit: " + expected_setting(*original) +
                                             " is expected" +
                                             (counts_ranks ? ", the number of ranks" : ""));
    return std::nullopt;
  }
  if (known) return known;
  diagnostics.error(argument.location, "argument '" + argument.name + "' of factory '" +
                                           factory.name + "' has no value: give it with --set " +
                                           argument.name + "=VALUE");
  return std::nullopt;
}

StaticEvaluator::Result evaluate_definition(const ConstantDef& definition, Module& module,
                                            const Scope& scope) {
  if (definition.value != nullptr) {
    return StaticEvaluator(module, scope).evaluate(*definition.value);
  }
  return StaticError{definition.location, "a statement outside of the kernel language changes it",
                     true};
}

}  // namespace

void define_constant(const ConstantDef& definition, Module& module, Scope& scope,
                     Settings* settings, Diagnostics& diagnostics) {
  Capture capture;
  capture.location = definition.location;
  auto value = evaluate_definition(definition, module, scope);
  if (auto* known = std::get_if<StaticValue>(&value)) {
    capture.value = std::move(*known);
    if (auto* constant = std::get_if<Constant>(&*capture.value)) {
      if (auto* dim = std::get_if<DynamicDim>(&constant->value)) {
        module.dynamic_dims[dim->id].location = definition.location;
      }
    }
  } else {
    const auto& error = std::get<StaticError>(value);
    capture.problem = error.message;
    capture.reported = !error.not_constant;
    if (capture.reported) diagnostics.error(error.location, error.message);
  }
  const bool dynamic =
      capture.value &&
      (std::holds_alternative<Dim>(*capture.value) ||
       std::holds_alternative<DynamicDim>(std::get<Constant>(*capture.value).value));
  if (settings != nullptr && !dynamic) {
    if (const auto setting = settings->take(definition.name)) {
      if (!capture.value) {
        capture.value = parse_setting(*setting);
      } else if (auto constant = setting_like(std::get<Constant>(*capture.value), *setting)) {
        capture.value = std::move(*constant);
      } else {
        diagnostics.error(
            definition.location,
            "--set " + definition.name + "=" + *setting + " does not fit: '" + definition.name +
                "' is " + to_string(std::get<Constant>(*capture.value)) + " here, " +
                expected_setting(std::get<Constant>(*capture.value)) + " is expected");
      }
    }
  }
  scope.insert_or_assign(definition.name, std::move(capture));
}

bool makes_program(const Factory& factory) {
  return makes_program(factory.body);
}

FactoryResult run_factory(Factory& factory, const ElaborateOptions& options, Settings& settings,
                          Module& module, const Scope& outer, Diagnostics& diagnostics) {
  bool bound = true;
  auto scope = std::make_shared<Scope>(outer);
  for (const Factory::Argument& argument : factory.arguments) {
    Capture capture;
    capture.location = argument.location;
    capture.value =
        argument_value(factory, argument, options, settings, module, outer, diagnostics);
    bound = bound && capture.value.has_value();
    scope->insert_or_assign(argument.name, std::move(capture));
  }
  if (!bound) return {};
  FactoryRun run(module, std::move(scope), diagnostics);
  const bool returned = run.run(factory.body);
  if (!returned && !options.has_losses) {
    diagnostics.error(factory.location, "factory '" + factory.name +
                                            "' returns nothing for these arguments; it must "
                                            "return the @pl.program class that it defines");
  }
  return std::move(run.result);
}

}  // namespace a2a3::ir
