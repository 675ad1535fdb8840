// SPDX-License-Identifier: Apache-2.0
#include "ir/elaborate.hpp"

#include <set>

#include "ir/elaborate/decorators.hpp"
#include "ir/elaborate/entry.hpp"
#include "ir/elaborate/factory.hpp"
#include "ir/elaborate/reach.hpp"
#include "ir/elaborate/settings.hpp"

namespace a2a3::ir {
namespace {

class Elaboration {
 public:
  Elaboration(File& file, const ElaborateOptions& options)
      : file_(file), options_(options), settings_(options.settings) {
    module_ = std::make_unique<Module>();
    module_->sources.push_back(file.source);
  }

  Elaborated run() {
    for (auto& item : file_.items) {
      if (const auto* definition = std::get_if<ConstantDef>(&item)) {
        define_constant(*definition, *module_, module_->captures, &settings_, diagnostics_);
      }
    }
    const auto candidates = entry_candidates(file_);
    if (const auto* entry = choose_entry(file_, candidates, options_, diagnostics_)) {
      module_->name = entry->name;
      std::visit([this](auto* item) { take(*item); }, entry->item);
    }
    mark_dynamic_settings();
    Elaborated result;
    if (module_->entry != nullptr) result.module = std::move(module_);
    result.diagnostics = std::move(diagnostics_);
    result.unused_settings = settings_.unused();
    return result;
  }

 private:
  void take(ParsedFunction& host) { take_reached(host, file_functions()); }

  std::vector<ParsedFunction*> file_functions() {
    std::vector<ParsedFunction*> functions;
    for (auto& item : file_.items) {
      if (auto* function = std::get_if<ParsedFunction>(&item)) functions.push_back(function);
    }
    return functions;
  }

  void take(ParsedClass& program) {
    module_->is_class = true;
    module_->name = program.name;
    const Function* host = nullptr;
    std::set<std::string> names;
    for (ParsedFunction& method : program.methods) {
      const SourceLocation location = method.function.location;
      if (!names.insert(method.function.name).second) {
        diagnostics_.error(
            location, "class '" + program.name + "' defines '" + method.function.name + "' twice");
      }
      const std::string name = method.function.name;
      auto function = take_function(method, true, diagnostics_);
      if (function == nullptr) {
        module_->left_out.insert(name);
        continue;
      }
      if (function->kind == FunctionKind::host) {
        if (host != nullptr) {
          diagnostics_
              .error(location, "class '" + program.name + "' has a second HOST orchestrator")
              .notes.push_back({"the first one is here", host->location});
        }
        host = function.get();
      }
      module_->functions.push_back(std::move(function));
    }
    if (host == nullptr && !diagnostics_.has_errors()) {
      diagnostics_.error(program.location,
                         "program class '" + program.name +
                             "' has no host function (@pl.function(level=pl.Level.HOST, "
                             "role=pl.Role.Orchestrator)), which allocates the windows and "
                             "dispatches the ranks");
    }
    module_->entry = host;
  }

  void take(Factory& factory) {
    FactoryResult made =
        run_factory(factory, options_, settings_, *module_, module_->captures, diagnostics_);
    if (made.program != nullptr) {
      take(*made.program);
    } else if (made.host != nullptr) {
      if (function_kind(*made.host) != FunctionKind::host) {
        diagnostics_.error(made.host->function.location,
                           "factory '" + factory.name + "' returns '" + made.host->function.name +
                               "', which is not a host function (@pl.jit.host)");
        return;
      }
      std::vector<ParsedFunction*> all = file_functions();
      all.insert(all.end(), made.functions.begin(), made.functions.end());
      take_reached(*made.host, all);
    }
    module_->name = factory.name;
  }

  /// Style A: the host function and what it reaches through calls; the others are kept aside. Of
  /// two functions with one name the later definition counts, as in Python.
  void take_reached(ParsedFunction& host, const std::vector<ParsedFunction*>& all) {
    std::set<const ParsedFunction*> reached;
    std::vector<const ParsedFunction*> pending{&host};
    while (!pending.empty()) {
      const ParsedFunction* current = pending.back();
      pending.pop_back();
      if (!reached.insert(current).second) continue;
      for (const std::string& name : called_names(current->function)) {
        const ParsedFunction* callee = nullptr;
        for (const ParsedFunction* candidate : all) {
          if (candidate->function.name == name) callee = candidate;
        }
        if (callee != nullptr) pending.push_back(callee);
      }
    }
    for (ParsedFunction* parsed : all) {
      if (reached.contains(parsed)) {
        const std::string name = parsed->function.name;
        auto function = take_function(*parsed, false, diagnostics_);
        if (function == nullptr) {
          module_->left_out.insert(name);
          continue;
        }
        if (parsed == &host) module_->entry = function.get();
        module_->functions.push_back(std::move(function));
        continue;
      }
      Diagnostics unreported;
      if (auto function = take_function(*parsed, false, unreported)) {
        module_->unreached.push_back(std::move(function));
      }
    }
  }

  void mark_dynamic_settings() {
    std::set<std::string> names;
    for (const DynamicDimInfo& dim : module_->dynamic_dims)
      names.insert(dim.name);
    for (const auto& function : module_->functions)
      names.merge(inline_dynamic_names(*function));
    for (const std::string& name : names) {
      const auto setting = settings_.take(name);
      if (!setting || std::holds_alternative<std::int64_t>(parse_setting(*setting).value)) continue;
      diagnostics_.error({}, "--set " + name + "=" + *setting + " does not fit: '" + name +
                                 "' is a dynamic dimension, an integer is expected");
    }
  }

  File& file_;
  const ElaborateOptions& options_;
  Settings settings_;
  std::unique_ptr<Module> module_;
  Diagnostics diagnostics_;
};

}  // namespace

Elaborated elaborate(File file, const ElaborateOptions& options) {
  return Elaboration(file, options).run();
}

}  // namespace a2a3::ir
