// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
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

/// The value of a Python name outside the kernel functions: a constant, or a dimension built from
/// dynamic ones (`TOTAL = NR * SIZE`).
using StaticValue = std::variant<Constant, Dim>;

/// A Python name that kernel functions may capture.
struct Capture {
  std::optional<StaticValue> value;  ///< nothing when it could not be evaluated
  std::string problem;               ///< why not; reported where the name is used
  bool reported = false;             ///< the problem is already an error of its own
  SourceLocation location;           ///< of its definition
};
using Scope = std::map<std::string, Capture, std::less<>>;

/// A decorated function or method, `self` dropped.
struct Function {
  std::string name;
  SourceLocation location;
  FunctionKind kind = FunctionKind::kernel;
  /// Names of the Python scopes around it, as it captures them: for a method, where its class
  /// stands; for a jit function, at the end of the module or of the factory that defines it.
  std::shared_ptr<Scope> captures = std::make_shared<Scope>();
  std::vector<Parameter> parameters;
  std::optional<TypeExpr> result_annotation;
  Type result;
  std::string docstring;
  Block body;
  /// By the checker: every variable of the body, parameters first.
  std::vector<std::string> slot_names;
  /// By the checker: for each result (one, or one per element of a tuple) the parameter whose
  /// buffer it is; -1 when that differs between returns or the result is no parameter's buffer.
  std::vector<std::int32_t> result_parameters;
};

struct DynamicDimInfo {
  std::string name;
  SourceLocation location;
};

/// An opaque symbol of the module's dimensions: symbol Dim::kFirstOpaque + 1 + i is the i-th.
struct OpaqueSymbol {
  std::string text;  ///< what it stands for, for messages
  /// Dimension quotients (`NR // 2`) are known once the dynamic dimensions are.
  std::optional<Dim> dividend;
  std::optional<Dim> divisor;
  std::size_t size = 1;  ///< symbols in it, counting those of inner quotients
};

/// One program: the functions of a @pl.program class, or the functions a host function reaches.
/// Checked as a whole.
struct Module {
  std::string name;                    ///< the class's or the host function's name
  bool is_class = false;               ///< calls are written `self.name(...)`
  std::vector<SourceFilePtr> sources;  ///< keeps every SourceLocation of the module alive
  std::vector<std::unique_ptr<Function>> functions;  ///< in source order
  const Function* entry = nullptr;                   ///< the host orchestrator
  std::vector<DynamicDimInfo> dynamic_dims;          ///< indexed by DynamicDim::id
  std::vector<OpaqueSymbol> opaque_symbols;
  /// Other functions of the file, not part of the program: checked for errors, never run.
  std::vector<std::unique_ptr<Function>> unreached;
  /// A check found no errors. Unannotated parameters keep the types it gave them when the module is
  /// checked again, after a pass.
  bool is_checked = false;
  /// Functions that were reported as wrong and left out: calls of them are no further mistake.
  std::set<std::string, std::less<>> left_out;

  [[nodiscard]] const Function* find(std::string_view name) const;
  /// Elements and characters of lists and strings that names of the file have stood for so far.
  std::size_t constants_size = 0;
  std::size_t suggestions = 0;  ///< made so far

  /// A new opaque symbol.
  [[nodiscard]] Dim add_opaque(std::string text);
  /// `dividend // divisor`, rounded down; equal quotients are one symbol. Not known when it nests
  /// so many quotients that more than Dim::kMostTerms symbols stand in it.
  [[nodiscard]] Dim quotient(const Dim& dividend, const Dim& divisor);
  [[nodiscard]] std::string symbol_name(Dim::Symbol symbol) const;
  /// A type in the language's words, with the module's dimension names.
  [[nodiscard]] std::string describe(const Type& type) const;
  [[nodiscard]] std::string describe(const Dim& dim) const;
  /// Counts the value of a name that takes the name's place. False when all of them together have
  /// more than kMostConstants elements and characters: names of names may double without end.
  [[nodiscard]] bool may_copy(const Constant& value);
  static constexpr std::size_t kMostConstants = std::size_t{1} << 22;
  /// suggestion() for a name that is none of those that the program defines. Comparing takes time:
  /// behind the first kMostErrors unknown names there are no suggestions any more.
  [[nodiscard]] std::string suggest(std::string_view unknown,
                                    const std::function<std::vector<std::string>()>& known);
};

/// What to say when may_copy() is false.
[[nodiscard]] std::string too_many_constants();

/// What dynamic dimensions are bound to in a launch.
struct DimBindings {
  std::map<std::uint32_t, std::int64_t> dims;  ///< DynamicDim id -> value
  std::optional<std::int64_t> world_size;
};

/// The value of a dimension in a launch; nothing when a binding is missing, a divisor is 0, or the
/// dimension holds a run-time scalar.
[[nodiscard]] std::optional<std::int64_t> evaluate(const Module& module, const Dim& dim,
                                                   const DimBindings& bindings);

}  // namespace a2a3::ir
