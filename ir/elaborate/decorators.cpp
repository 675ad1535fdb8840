// SPDX-License-Identifier: Apache-2.0
#include "ir/elaborate/decorators.hpp"

#include <algorithm>
#include <array>

#include "ir/vocabulary.hpp"

namespace a2a3::ir {
namespace {

/// The keywords of one @pl.function(...) as enum members.
struct FunctionDecorator {
  std::string type;
  std::string level;
  std::string role;
};

std::optional<FunctionDecorator> read_keywords(const Decorator& decorator,
                                               Diagnostics& diagnostics) {
  FunctionDecorator result;
  bool good = true;
  for (const Keyword& keyword : decorator.keywords) {
    struct Known {
      std::string_view keyword;
      std::string_view enumeration;
      std::string* value;
    };
    const std::array<Known, 3> known{{{"type", "FunctionType", &result.type},
                                      {"level", "Level", &result.level},
                                      {"role", "Role", &result.role}}};
    const auto* entry = std::find_if(known.begin(), known.end(),
                                     [&](const Known& k) { return k.keyword == keyword.name; });
    if (entry == known.end()) {
      diagnostics.error(keyword.location, "@pl.function has no keyword '" + keyword.name +
                                              "'; it takes type=, level= and role=");
      good = false;
      continue;
    }
    const auto dotted = dotted_name(*keyword.value);
    const auto constant = dotted ? language_constant(*dotted) : std::nullopt;
    const auto* member = constant ? std::get_if<EnumMember>(&constant->value) : nullptr;
    if (member == nullptr || member->enumeration != entry->enumeration) {
      const std::string enumeration = "pl." + std::string(entry->enumeration);
      std::vector<std::string> members = language_constant_names();
      std::erase_if(members,
                    [&](const std::string& n) { return !n.starts_with(enumeration + "."); });
      diagnostics.error(keyword.value->location, std::string(entry->keyword) +
                                                     "= must be a member of " + enumeration +
                                                     (dotted ? suggestion(*dotted, members) : ""));
      good = false;
      continue;
    }
    *entry->value = member->member;
  }
  if (!good) return std::nullopt;
  return result;
}

std::optional<FunctionKind> function_decorator_kind(const ParsedFunction& parsed,
                                                    const Decorator& decorator,
                                                    Diagnostics& diagnostics) {
  const auto keywords = read_keywords(decorator, diagnostics);
  if (!keywords) return std::nullopt;
  const std::string& name = parsed.function.name;
  if (!keywords->type.empty() && !(keywords->level.empty() && keywords->role.empty())) {
    diagnostics.error(decorator.location,
                      "@pl.function takes type= or level= with role=, not both");
    return std::nullopt;
  }
  if (keywords->level == "HOST") {
    if (keywords->role == "Orchestrator") return FunctionKind::host;
    if (keywords->role == "SubWorker") {
      diagnostics.error(decorator.location,
                        "function '" + name +
                            "' is a host worker (Role.SubWorker): its body is free Python, which "
                            "is not supported; see docs/coverage.md");
    } else {
      diagnostics.error(decorator.location, "a HOST function needs role=pl.Role.Orchestrator");
    }
    return std::nullopt;
  }
  if (!keywords->level.empty() || !keywords->role.empty()) {
    if (keywords->level == "CHIP" && keywords->role == "Orchestrator") return FunctionKind::chip;
    if (keywords->level == "CORE_GROUP" && keywords->role.empty()) return FunctionKind::kernel;
    diagnostics.error(decorator.location,
                      "this combination of level= and role= is not supported; use "
                      "type=pl.FunctionType.InCore (kernel), type=pl.FunctionType.Orchestration "
                      "(per device), or level=pl.Level.HOST with role=pl.Role.Orchestrator");
    return std::nullopt;
  }
  if (keywords->type == "InCore") return FunctionKind::kernel;
  if (keywords->type == "Orchestration") return FunctionKind::chip;
  diagnostics.error(decorator.location,
                    "function '" + name + "' has type FunctionType." +
                        (keywords->type.empty() ? "Opaque (a bare @pl.function)" : keywords->type) +
                        ", which is not supported; use InCore or Orchestration");
  return std::nullopt;
}

constexpr std::string_view kKernelMeaning = "A kernel, which runs on a core of a device.";
constexpr std::string_view kChipMeaning = "A per-device function, which calls kernels.";
constexpr std::string_view kHostMeaning =
    "A host function: it allocates windows and dispatches per-device functions.";

struct JitDecorator {
  std::string_view name;
  std::optional<FunctionKind> kind;  ///< nothing: refused
  std::string_view meaning;
};
constexpr std::array<JitDecorator, 5> kJitDecorators{{
    {"pl.jit.incore", FunctionKind::kernel, kKernelMeaning},
    {"pl.jit", FunctionKind::chip, kChipMeaning},
    {"pl.jit.host", FunctionKind::host, kHostMeaning},
    {"pl.jit.inline", std::nullopt, "A function whose body takes the place of its calls."},
    {"pl.jit.opaque", std::nullopt, "A function that the compiler does not look into."},
}};

const JitDecorator* find_jit_decorator(std::string_view name) {
  const auto* found = std::find_if(kJitDecorators.begin(), kJitDecorators.end(),
                                   [&](const JitDecorator& d) { return d.name == name; });
  return found == kJitDecorators.end() ? nullptr : found;
}

}  // namespace

std::vector<ProgramForm> program_forms() {
  std::vector<ProgramForm> forms;
  for (const JitDecorator& jit : kJitDecorators)
    forms.push_back({"@" + std::string(jit.name), jit.kind.has_value(), jit.meaning});
  forms.push_back({"@pl.program", true, "A class whose methods are the functions of a program."});
  const auto method = [&](const std::string& keywords, bool supported, std::string_view meaning) {
    forms.push_back({"@pl.function(" + keywords + ")", supported, meaning});
  };
  method("type=pl.FunctionType.InCore", true, kKernelMeaning);
  method("level=pl.Level.CORE_GROUP", true, kKernelMeaning);
  method("type=pl.FunctionType.Orchestration", true, kChipMeaning);
  method("level=pl.Level.CHIP, role=pl.Role.Orchestrator", true, kChipMeaning);
  method("level=pl.Level.HOST, role=pl.Role.Orchestrator", true, kHostMeaning);
  method("level=pl.Level.HOST, role=pl.Role.SubWorker", false, "Python code beside the host.");
  forms.push_back({"@pl.function", false, "The type Opaque."});
  const std::string prefix = "pl.FunctionType.";
  for (const std::string& name : language_constant_names()) {
    if (!name.starts_with(prefix)) continue;
    const std::string type = name.substr(prefix.size());
    if (type == "InCore" || type == "Orchestration") continue;
    method("type=" + name, false, "Another type of function.");
  }
  return forms;
}

std::optional<FunctionKind> function_kind(const ParsedFunction& parsed, Diagnostics& diagnostics) {
  if (parsed.decorators.size() != 1) {
    if (!parsed.decorators.empty()) {
      diagnostics.error(parsed.decorators[1].location,
                        "function '" + parsed.function.name + "' has more than one decorator");
    }
    return std::nullopt;
  }
  const Decorator& decorator = parsed.decorators.front();
  if (decorator.name == "pl.function") {
    return function_decorator_kind(parsed, decorator, diagnostics);
  }
  if (const JitDecorator* jit = find_jit_decorator(decorator.name)) {
    if (!jit->kind) {
      diagnostics.error(decorator.location,
                        "@" + decorator.name + " is not supported; see docs/coverage.md");
      return std::nullopt;
    }
    if (decorator.keywords.empty()) return jit->kind;
    const Keyword& keyword = decorator.keywords.front();
    diagnostics.error(keyword.location,
                      "@" + decorator.name + " takes no keyword '" + keyword.name + "'");
    return std::nullopt;
  }
  if (decorator.name == "pl.program") {
    diagnostics.error(decorator.location, "@pl.program decorates a class, not a function");
    return std::nullopt;
  }
  std::vector<std::string> known{"pl.function"};
  for (const JitDecorator& jit : kJitDecorators)
    known.emplace_back(jit.name);
  diagnostics.error(decorator.location, "unknown decorator '@" + decorator.name + "'" +
                                            suggestion(decorator.name, known));
  return std::nullopt;
}

std::optional<FunctionKind> function_kind(const ParsedFunction& parsed) {
  Diagnostics unreported;
  return function_kind(parsed, unreported);
}

std::unique_ptr<Function> take_function(ParsedFunction& parsed, bool in_class,
                                        Diagnostics& diagnostics) {
  const auto kind = function_kind(parsed, diagnostics);
  if (!kind) return nullptr;
  auto function = std::make_unique<Function>(std::move(parsed.function));
  function->kind = *kind;
  if (in_class && !parsed.has_self) {
    diagnostics.error(function->location, "method '" + function->name +
                                              "' of a @pl.program class needs a leading "
                                              "'self' parameter");
  }
  if (parsed.has_self) {
    if (!in_class) {
      diagnostics.error(function->location, "function '" + function->name +
                                                "' stands outside a @pl.program class and takes "
                                                "no 'self'");
    }
    if (!function->parameters.empty() && function->parameters.front().name == "self") {
      function->parameters.erase(function->parameters.begin());
    }
  }
  return function;
}

}  // namespace a2a3::ir
