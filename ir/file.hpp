// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/imports.hpp"
#include "ir/module.hpp"

namespace a2a3::ir {

struct Decorator {
  std::string name;  ///< dotted, e.g. "pl.function"
  std::vector<Keyword> keywords;
  SourceLocation location;
};

/// A function as parsed: decorators not yet interpreted, `self` still in place, names unresolved.
struct ParsedFunction {
  std::vector<Decorator> decorators;
  Function function;
  bool has_self = false;
};

struct ParsedClass {
  std::string name;
  SourceLocation location;
  std::string docstring;
  std::vector<ParsedFunction> methods;
};

/// `NAME = constant expression`, at module level or in a factory.
struct ConstantDef {
  std::string name;
  SourceLocation location;
  ExprPtr
      value;  ///< null where Python outside of the language rebinds the name or changes its list
};

struct FactoryStmt;

/// A module function that is not decorated but defines a @pl.program class and returns it:
/// evaluated with arguments given by --set.
struct Factory {
  std::string name;
  SourceLocation location;
  struct Argument {
    std::string name;
    SourceLocation location;
    ExprPtr default_value;  ///< null when there is none
  };
  std::vector<Argument> arguments;
  std::vector<FactoryStmt> body;
};

struct FactoryIf {
  ExprPtr condition;
  std::vector<FactoryStmt> then_body;
  std::vector<FactoryStmt> else_body;
};
struct FactoryAssert {
  ExprPtr condition;
  ExprPtr message;
};
struct FactoryReturn {
  ExprPtr value;
};
struct FactoryStmt {
  std::variant<ConstantDef, FactoryIf, FactoryAssert, FactoryReturn, ParsedClass, ParsedFunction>
      node;
  SourceLocation location;
};

/// A kernel file as parsed: everything of the kernel language in it, the Python harness around it
/// left out.
struct File {
  SourceFilePtr source;
  std::vector<std::variant<ConstantDef, ParsedFunction, ParsedClass, Factory>>
      items;  ///< in source order
  Imports imports;
};

}  // namespace a2a3::ir
