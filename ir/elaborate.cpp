// SPDX-License-Identifier: Apache-2.0
#include "ir/elaborate.hpp"

#include <set>

#include "ir/elaborate/decorators.hpp"
#include "ir/elaborate/entry.hpp"
#include "ir/elaborate/factory.hpp"
#include "ir/elaborate/outline.hpp"
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
    diagnostics_.keep(file.source);
    module_->self_clearing_host_allreduce = options.self_clearing_host_allreduce;
  }

  Elaborated run() {
    const auto candidates = entry_candidates(file_);
    const EntryCandidate* entry = choose_entry(file_, candidates, options_, diagnostics_);
    const auto* program = entry == nullptr ? nullptr : std::get_if<ParsedClass*>(&entry->item);
    for (auto& item : file_.items) {
      // A class captures what stands above it; what the harness does below changes nothing.
      if (program != nullptr && std::get_if<ParsedClass>(&item) == *program) break;
      if (const auto* definition = std::get_if<ConstantDef>(&item)) {
        define_constant(*definition, *module_, *scope_, &settings_, diagnostics_);
      }
    }
    if (entry != nullptr) {
      module_->name = entry->name;
      std::visit([this](auto* item) { take(*item); }, entry->item);
    }
    mark_dynamic_settings();
    outline_launch_scopes(*module_, module_->functions, diagnostics_);
    Diagnostics unreported;
    outline_launch_scopes(*module_, module_->unreached, unreported);
    Elaborated result;
    if (module_->entry != nullptr) result.module = std::move(module_);
    result.diagnostics = std::move(diagnostics_);
    result.unused_settings = settings_.unused();
    return result;
  }

 private:
  /// A function with the names that it captures.
  struct Captured {
    ParsedFunction* function = nullptr;
    std::shared_ptr<Scope> scope;
  };

  void take(ParsedFunction& host) { take_reached(host, file_functions()); }

  std::vector<Captured> file_functions() {
    std::vector<Captured> functions;
    for (auto& item : file_.items) {
      auto* function = std::get_if<ParsedFunction>(&item);
      if (function != nullptr) functions.push_back({function, scope_});
    }
    return functions;
  }

  std::unique_ptr<Function> take_function(const Captured& captured, bool in_class,
                                          Diagnostics& diagnostics) {
    auto function = ir::take_function(*captured.function, in_class, diagnostics);
    if (function != nullptr) function->captures = captured.scope;
    return function;
  }

  void take(ParsedClass& program) { take(program, scope_); }

  void take(ParsedClass& program, const std::shared_ptr<Scope>& scope) {
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
      auto function = take_function({&method, scope}, true, diagnostics_);
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
    FactoryResult made = run_factory(factory, options_, settings_, *module_, *scope_, diagnostics_);
    if (made.program != nullptr) {
      take(*made.program, made.scope);
    } else if (made.host != nullptr) {
      if (function_kind(*made.host) != FunctionKind::host) {
        diagnostics_.error(made.host->function.location,
                           "factory '" + factory.name + "' returns '" + made.host->function.name +
                               "', which is not a host function (@pl.jit.host)");
        return;
      }
      std::vector<Captured> all = file_functions();
      for (ParsedFunction* function : made.functions)
        all.push_back({function, made.scope});
      take_reached(*made.host, all);
    }
    module_->name = factory.name;
  }

  /// Style A: the host function and what it reaches through calls; the others are kept aside. Of
  /// two functions with one name the later definition counts, as in Python.
  void take_reached(ParsedFunction& host, const std::vector<Captured>& all) {
    std::set<const ParsedFunction*> reached;
    std::vector<const ParsedFunction*> pending{&host};
    while (!pending.empty()) {
      const ParsedFunction* current = pending.back();
      pending.pop_back();
      if (!reached.insert(current).second) continue;
      for (const std::string& name : called_names(current->function)) {
        const ParsedFunction* callee = nullptr;
        for (const Captured& candidate : all) {
          if (candidate.function->function.name == name) callee = candidate.function;
        }
        if (callee != nullptr) pending.push_back(callee);
      }
    }
    for (const Captured& captured : all) {
      if (reached.contains(captured.function)) {
        const std::string name = captured.function->function.name;
        auto function = take_function(captured, false, diagnostics_);
        if (function == nullptr) {
          module_->left_out.insert(name);
          continue;
        }
        if (captured.function == &host) module_->entry = function.get();
        module_->functions.push_back(std::move(function));
        continue;
      }
      if (!options_.keep_unreached) continue;
      Diagnostics unreported;
      if (auto function = take_function(captured, false, unreported)) {
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
  std::shared_ptr<Scope> scope_ = std::make_shared<Scope>();  ///< the module's
  Diagnostics diagnostics_;
};

}  // namespace

Elaborated elaborate(File file, const ElaborateOptions& options) {
  return Elaboration(file, options).run();
}

}  // namespace a2a3::ir
