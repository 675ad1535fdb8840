// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ir/diagnostic.hpp"
#include "ir/file.hpp"

namespace a2a3::ir {

/// A way to say what a function or a class is.
struct ProgramForm {
  std::string name;
  bool supported;
  std::string_view meaning;
};

/// All of them, also those that are refused; for tables.
[[nodiscard]] std::vector<ProgramForm> program_forms();

/// What a decorated function is: `@pl.jit.incore`, `@pl.jit`, `@pl.jit.host`, or
/// `@pl.function(type=, level=, role=)`. Kinds that the language has and we do not run are reported
/// by name; nothing is returned for them.
[[nodiscard]] std::optional<FunctionKind> function_kind(const ParsedFunction& parsed,
                                                        Diagnostics& diagnostics);
/// The same without reporting.
[[nodiscard]] std::optional<FunctionKind> function_kind(const ParsedFunction& parsed);

/// Takes a function out of its parsed form: kind set, `self` dropped. Null when its decorators or
/// parameters are wrong (reported). `in_class`: a leading `self` is required, otherwise forbidden.
[[nodiscard]] std::unique_ptr<Function> take_function(ParsedFunction& parsed, bool in_class,
                                                      Diagnostics& diagnostics);

}  // namespace a2a3::ir
