// SPDX-License-Identifier: Apache-2.0
#include "ir/check/program_checker.hpp"

#include <algorithm>
#include <cctype>

#include "ir/check.hpp"
#include "ir/check/annotation.hpp"
#include "ir/check/function_checker.hpp"
#include "ir/check/init_reads.hpp"

namespace a2a3::ir {
namespace {

bool is_fully_annotated(const Function& function) {
  return std::all_of(function.parameters.begin(), function.parameters.end(),
                     [](const Parameter& parameter) { return parameter.annotation.has_value(); });
}

/// Names that the line `a, b = ...`, `def a(...)` or `for a in ...` gives a value.
void collect_names(std::string_view line, std::set<std::string, std::less<>>& names) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::vector<std::string> words;
  std::size_t i = 0;
  for (; i < line.size(); ++i) {
    if (line[i] == ' ' || line[i] == '\t' || line[i] == ',' || line[i] == '(') continue;
    if (!is_word(line[i])) break;
    const std::size_t begin = i;
    while (i < line.size() && is_word(line[i]))
      ++i;
    words.emplace_back(line.substr(begin, i - begin));
    if (words.size() > 1 && (words[0] == "def" || words.back() == "in")) break;
    --i;
  }
  if (words.empty()) return;
  const bool assigns = i < line.size() && (line[i] == '=' || line[i] == ':') &&
                       (i + 1 >= line.size() || line[i + 1] != '=');
  if (words[0] == "def" || words[0] == "for" || assigns) {
    names.insert(words.begin(), words.end());
  }
}

}  // namespace

ProgramChecker::ProgramChecker(Module& module, Diagnostics& diagnostics, const Diagnostics& earlier)
    : module_(module), diagnostics_(&diagnostics) {
  collect_lost(earlier);
}

void ProgramChecker::collect_lost(const Diagnostics& earlier) {
  for (const Diagnostic& diagnostic : earlier.all()) {
    if (diagnostic.severity != Severity::error || !diagnostic.location.known()) continue;
    has_lost_statements_ = true;
    collect_names(diagnostic.location.file->line(diagnostic.location.line), lost_);
  }
  lost_.insert(module_.left_out.begin(), module_.left_out.end());
}

void ProgramChecker::run() {
  module_.host_collectives.clear();
  for (auto& function : module_.functions)
    resolve_signature(*function);
  for (auto& function : module_.functions) {
    if (function.get() == module_.entry) check_body(*function);
  }
  check_remaining(module_.functions, true);
  check_unreached();
}

void ProgramChecker::check_remaining(std::vector<std::unique_ptr<Function>>& functions,
                                     bool report_unannotated) {
  // Callers first: what they call takes its missing annotations from them.
  for (const FunctionKind kind : {FunctionKind::host, FunctionKind::chip, FunctionKind::kernel}) {
    for (auto& function : functions) {
      if (function->kind != kind || status_[function.get()].state != State::waiting) continue;
      if (is_fully_annotated(*function)) {
        // Every host function outside of the program is one of a program of its own.
        if (kind == FunctionKind::host && !report_unannotated) buffers.clear();
        check_body(*function);
        continue;
      }
      if (!report_unannotated || has_lost_statements_) continue;
      // Inline code that is not called was reported where it stands.
      if (function->outlined != Outlined::no) continue;
      for (const Parameter& parameter : function->parameters) {
        if (parameter.annotation) continue;
        diagnostics_->error(parameter.location, "parameter '" + parameter.name + "' of '" +
                                                    function->name +
                                                    "' has no annotation, and no call of '" +
                                                    function->name + "' gives it a type");
      }
    }
  }
}

void ProgramChecker::check_unreached() {
  // These do not run: what the simulator cannot do yet is no mistake in them.
  Diagnostics found;
  Diagnostics* const reported = diagnostics_;
  diagnostics_ = &found;
  for (auto& function : module_.unreached)
    resolve_signature(*function);
  buffers.clear();
  check_remaining(module_.unreached, false);
  diagnostics_ = reported;
  for (const Diagnostic& diagnostic : found.all()) {
    if (diagnostic.unsupported || diagnostic.severity != Severity::error) continue;
    auto& copy = diagnostics_->error(diagnostic.location, diagnostic.message);
    copy.notes = diagnostic.notes;
  }
}

void ProgramChecker::resolve_signature(Function& function) {
  const Parameter* first_scalar = nullptr;
  bool scalar_reported = false;
  for (Parameter& parameter : function.parameters) {
    if (!parameter.annotation) {
      if (function.kind == FunctionKind::host && !has_lost_statements_) {
        diagnostics_->error(parameter.location, "parameter '" + parameter.name +
                                                    "' of host function '" + function.name +
                                                    "' needs an annotation: nothing calls it "
                                                    "that could give it a type");
      }
      continue;
    }
    parameter.type = resolve_annotation(*parameter.annotation, AnnotationPlace::parameter, module_,
                                        *function.captures, *diagnostics_);
    if (function.kind == FunctionKind::host &&
        parameter.type.kind == TypeKind::distributed_tensor) {
      diagnostics_->error(parameter.location,
                          "host function '" + function.name +
                              "' cannot take a DistributedTensor: windows are allocated in its "
                              "body with pld.alloc_window_buffer and pld.window");
      parameter.type = {};
    }
    if (parameter.type.kind == TypeKind::scalar && first_scalar == nullptr) {
      first_scalar = &parameter;
    }
    if (function.kind == FunctionKind::chip && parameter.type.is_tensor_like() &&
        first_scalar != nullptr && !scalar_reported) {
      scalar_reported = true;
      diagnostics_
          ->error(parameter.location, "TaskArgs: cannot add tensor after scalar: '" +
                                          parameter.name + "' follows the scalar '" +
                                          first_scalar->name + "'")
          .notes.push_back({"in the signature of a per-device function all tensors come first, "
                            "then all scalars",
                            {}});
    }
  }
  if (function.result_annotation) {
    function.result = resolve_annotation(*function.result_annotation, AnnotationPlace::result,
                                         module_, *function.captures, *diagnostics_);
  }
}

Function* ProgramChecker::find_function(std::string_view name) {
  for (auto* functions : {&module_.functions, &module_.unreached}) {
    // An unreached function sees the whole file; a reached one calls only reached ones.
    for (auto it = functions->rbegin(); it != functions->rend(); ++it) {
      if ((*it)->name == name) return it->get();
    }
  }
  return nullptr;
}

std::vector<std::string> ProgramChecker::function_names() const {
  std::vector<std::string> names;
  for (const auto& function : module_.functions)
    names.push_back(function->name);
  return names;
}

Type ProgramChecker::parameter_type(const Type& argument, const std::string& parameter) {
  Type type = argument;
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    Dim& dim = type.shape[i];
    const bool is_the_callers =
        std::any_of(dim.terms().begin(), dim.terms().end(), [this](const auto& term) {
          if (term.first.empty() || term.first.back() < Dim::kFirstOpaque) return false;
          const std::size_t symbol = term.first.back() - Dim::kFirstOpaque;
          return symbol == 0 || !module_.opaque_symbols.at(symbol - 1).dividend;
        });
    if (!is_the_callers) continue;
    const auto known = std::find_if(inferred_dims_.begin(), inferred_dims_.end(),
                                    [&](const auto& pair) { return pair.first == dim; });
    if (known != inferred_dims_.end()) {
      dim = known->second;
      continue;
    }
    const auto id = static_cast<std::uint32_t>(module_.dynamic_dims.size());
    module_.dynamic_dims.push_back(
        {dim == Dim::world_size() ? "world_size" : parameter + "_dim" + std::to_string(i), {}});
    inferred_dims_.emplace_back(dim, Dim::symbol(id));
    dim = Dim::symbol(id);
  }
  return type;
}

Type ProgramChecker::enter(Function& callee, const std::vector<Type>& arguments,
                           SourceLocation call) {
  Status& status = status_[&callee];
  for (std::size_t i = 0; i < callee.parameters.size() && i < arguments.size(); ++i) {
    Parameter& parameter = callee.parameters[i];
    if (parameter.annotation || arguments[i].kind == TypeKind::unknown) continue;
    if (module_.is_checked && parameter.type.kind != TypeKind::unknown) continue;
    const Type given = parameter_type(arguments[i], parameter.name);
    if (status.state == State::waiting) {
      parameter.type = given;
      continue;
    }
    if (parameter.type.kind == TypeKind::unknown) continue;
    const bool same = parameter.type.kind == given.kind && parameter.type.dtype == given.dtype &&
                      parameter.type.shape == given.shape;
    if (!same) {
      diagnostics_
          ->error(call, "callers of '" + callee.name + "' disagree about parameter '" +
                            parameter.name +
                            "', which has no annotation: " + module_.describe(arguments[i]) +
                            " here, " + module_.describe(parameter.type) + " before")
          .notes.push_back({"the call that gave it its type", status.first_call});
    }
  }
  if (status.state == State::waiting) {
    status.first_call = call;
    check_body(callee);
  }
  return callee.result;
}

void ProgramChecker::check_body(Function& function) {
  status_[&function].state = State::done;
  FunctionChecker(*this, function).run();
  if (!diagnostics_->has_errors()) warn_of_init_reads(function, *diagnostics_);
}

Diagnostics check(Module& module, const Diagnostics& earlier) {
  Diagnostics diagnostics;
  for (const SourceFilePtr& source : module.sources)
    diagnostics.keep(source);
  ProgramChecker(module, diagnostics, earlier).run();
  diagnostics.sort();
  diagnostics.cap();
  module.is_checked = !diagnostics.has_errors();
  return diagnostics;
}

}  // namespace a2a3::ir
