// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/node.hpp"

namespace a2a3::ir {

/// What a function is to the system (kernel_language 1.1).
enum class FunctionKind : std::uint8_t { kernel, chip, host };

struct Parameter {
  std::string name;
  SourceLocation location;
  std::optional<TypeExpr> annotation;
  Type type;  ///< by the checker; from the caller when there is no annotation
};

/// A decorated function or method, `self` dropped.
struct Function {
  std::string name;
  SourceLocation location;
  FunctionKind kind = FunctionKind::kernel;
  std::vector<Parameter> parameters;
  std::optional<TypeExpr> result_annotation;
  Type result;
  std::string docstring;
  Block body;
  /// By the checker: every variable of the body, parameters first.
  std::vector<std::string> slot_names;
};

struct DynamicDimInfo {
  std::string name;
  SourceLocation location;
};

/// One program: the functions of a @pl.program class, or the functions a host function reaches.
/// Checked as a whole.
struct Module {
  std::string name;                    ///< the class's or the host function's name
  std::vector<SourceFilePtr> sources;  ///< keeps every SourceLocation of the module alive
  std::vector<std::unique_ptr<Function>> functions;  ///< in source order
  const Function* entry = nullptr;                   ///< the host orchestrator
  std::vector<DynamicDimInfo> dynamic_dims;          ///< indexed by DynamicDim::id

  [[nodiscard]] const Function* find(std::string_view name) const;
};

}  // namespace a2a3::ir
