// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/elaborate.hpp"
#include "ir/elaborate/settings.hpp"
#include "ir/file.hpp"

namespace a2a3::ir {

/// Evaluates `NAME = expression` into `scope`, replaced by a setting of that name when `settings`
/// is given. What cannot be evaluated is kept as a capture with a problem.
void define_constant(const ConstantDef& definition, Module& module, Scope& scope,
                     Settings* settings, Diagnostics& diagnostics);

/// What a factory made: a program class, or jit functions of which one is returned.
struct FactoryResult {
  ParsedClass* program = nullptr;
  ParsedFunction* host = nullptr;
  /// What they capture: the names of the module and of the factory, for a class those above it.
  std::shared_ptr<Scope> scope;
  std::vector<ParsedFunction*> functions;  ///< all that were defined on the way
};

/// True when the factory holds a program class or a host function, in whatever branch.
[[nodiscard]] bool makes_program(const Factory& factory);

/// Runs a factory: binds its arguments (setting, default, or the device count for an argument named
/// like a rank count), executes its statements and finds what it returns. `outer` holds the
/// module's names.
[[nodiscard]] FactoryResult run_factory(Factory& factory, const ElaborateOptions& options,
                                        Settings& settings, Module& module, const Scope& outer,
                                        Diagnostics& diagnostics);

}  // namespace a2a3::ir
