// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "ir/file.hpp"
#include "ir/parse/statement_parser.hpp"

namespace a2a3::ir {

/// Finds the kernel language in a Python file: decorated functions, program classes, factories that
/// define such, and constants. Everything else is skipped.
class FileParser : public StatementParser {
 public:
  using StatementParser::StatementParser;

  [[nodiscard]] File parse(SourceFilePtr source);

 private:
  /// What stands at a '@', 'def' or 'class'.
  struct Definition {
    enum class Kind : std::uint8_t { function, program, other } kind = Kind::other;
    std::size_t header = 0;     ///< position of the 'def' or 'class' (or 'async') token
    bool is_decorated = false;  ///< by one of our decorators
  };

  // file_parser.cpp: module level
  void parse_item(File& file);
  void parse_definition(File& file);
  void parse_module_line(File& file);
  /// Skips a statement that is not of our language. The constants that it rebinds or changes have
  /// no value from there on.
  void skip_python(File& file);
  [[nodiscard]] std::vector<ConstantDef> skip_rebinding();
  [[nodiscard]] Definition look_at_definition() const;
  [[nodiscard]] static bool at_our_decorator(const TokenCursor& cursor);
  /// Position of the last decorator of ours in the block behind the header at the cursor.
  [[nodiscard]] std::optional<std::size_t> last_decorator_in_block() const;
  [[nodiscard]] bool at_assignment() const;
  /// `A = e`, `A: T = e`, `A = B = e`, `A, B = e, f`, `A += e` as constants; false, and nothing
  /// reported but wrong Python, when the statement is another one or not of our language.
  [[nodiscard]] bool parse_constants(std::vector<ConstantDef>& out);
  [[nodiscard]] bool parse_constant_values(std::vector<ConstantDef>& out,
                                           std::vector<std::vector<ConstantDef>> targets);
  [[nodiscard]] std::optional<std::vector<ConstantDef>> constant_names(const Expr& target) const;

  // file_function.cpp: decorated functions and classes
  [[nodiscard]] std::vector<Decorator> parse_decorators();
  [[nodiscard]] std::optional<Decorator> parse_decorator();
  [[nodiscard]] ParsedFunction parse_function();
  [[nodiscard]] bool parse_parameters(ParsedFunction& parsed);
  void parse_parameter(ParsedFunction& parsed);
  void skip_to_next_parameter();
  void parse_body(ParsedFunction& parsed, bool header_ok);
  [[nodiscard]] ParsedClass parse_class();
  void parse_class_item(ParsedClass& parsed);
  [[nodiscard]] std::string parse_docstring();

  // file_factory.cpp
  [[nodiscard]] Factory parse_factory(std::size_t last_decorator);
  void parse_factory_arguments(Factory& factory);
  void parse_factory_block(std::vector<FactoryStmt>& out);
  void parse_factory_statement(std::vector<FactoryStmt>& out);
  bool parse_factory_definition(std::vector<FactoryStmt>& out);
  void parse_factory_if(std::vector<FactoryStmt>& out);
  void parse_factory_branch(std::vector<FactoryStmt>& out);
  void parse_factory_assert(std::vector<FactoryStmt>& out);
  void parse_factory_raise(std::vector<FactoryStmt>& out);
  bool parse_factory_return(std::vector<FactoryStmt>& out);
  bool parse_factory_assignment(std::vector<FactoryStmt>& out);
  [[nodiscard]] bool parse_choice(std::vector<FactoryStmt>& out);

  /// Position of the factory's last decorator: what stands behind it may be harness.
  std::size_t harness_begin_ = 0;
  std::unordered_set<std::string> constants_;  ///< names that had a value so far
  std::size_t last_definition_ = 0;  ///< number of items up to the last that is no constant
};

}  // namespace a2a3::ir
