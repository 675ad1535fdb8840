// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/node.hpp"
#include "ir/parse/token_cursor.hpp"
#include "ir/parser.hpp"

namespace a2a3::ir {

/// An expression with the height of its tree, which is limited so that no later step runs out of
/// stack. Empty after an error, which has been reported then.
struct Tree {
  ExprPtr expr;
  std::uint32_t height = 0;

  explicit operator bool() const { return expr != nullptr; }
};

/// The expressions of the grammar. Every function reports at most one error and then returns an
/// empty result, with the cursor somewhere in the statement.
class ExpressionParser {
 public:
  ExpressionParser(const SourceFile& source, const std::vector<Token>& tokens,
                   const ParseLimits& limits)
      : cursor_(source, tokens), max_nesting_(limits.max_nesting) {}

  /// One expression.
  [[nodiscard]] Tree parse_expression();
  /// One expression, or the tuple of `a, b` without parentheses.
  [[nodiscard]] Tree parse_expression_list();
  /// What follows the expression must be the end of the text.
  [[nodiscard]] Tree parse_whole_text();

  [[nodiscard]] Diagnostics take_diagnostics() { return std::move(diagnostics_); }

 protected:
  /// Which errors are reported. Around the kernels Python may use all of its language.
  enum class Reporting : std::uint8_t { all, syntax_only, none };

  /// Counts one level of recursion for as long as it lives: of chains such as `- - a`, and `elif`.
  /// Brackets and blocks are counted by the lexer.
  class Level {
   public:
    explicit Level(ExpressionParser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    ExpressionParser& parser_;
  };

  /// Reports what is not Python.
  void error(SourceLocation location, std::string message);
  /// Reports what is Python, but not of the kernel language.
  void unsupported(SourceLocation location, std::string message);
  /// Reports "expected X, got Y" at the cursor.
  void unexpected(std::string_view expected);
  [[nodiscard]] bool expect(std::string_view op);
  /// Reports and returns true when the recursion is too deep.
  [[nodiscard]] bool too_deep(std::string_view what);
  /// How many errors have been reported.
  [[nodiscard]] std::size_t error_count() const { return diagnostics_.all().size(); }

  [[nodiscard]] Tree make(decltype(Expr::node) node, std::uint32_t height_of_children,
                          std::size_t first_token);

  /// An expression up to the keywords of a conditional expression, which stay.
  [[nodiscard]] Tree parse_operand();

  TokenCursor cursor_;
  Reporting reporting_ = Reporting::all;
  /// Factories are run as Python is: `is` compares as `==` does.
  bool allows_is_ = false;

 private:
  /// True when the lexer has reported an error in the logical line at the cursor: what else seems
  /// wrong in it may follow from that.
  [[nodiscard]] bool line_is_faulty();

  [[nodiscard]] Tree parse_binary(int min_precedence);
  [[nodiscard]] Tree parse_not();
  [[nodiscard]] Tree parse_unary();
  [[nodiscard]] Tree parse_postfix();
  [[nodiscard]] Tree parse_attribute(Tree object, std::size_t first);
  [[nodiscard]] Tree parse_call(Tree callee, std::size_t first);
  [[nodiscard]] bool parse_argument(Call& call, std::uint32_t& height);
  [[nodiscard]] Tree parse_subscript(Tree object, std::size_t first);
  [[nodiscard]] Tree parse_index();

  // expression_atoms.cpp
  [[nodiscard]] Tree parse_atom();
  [[nodiscard]] Tree parse_name();
  [[nodiscard]] Tree parse_integer();
  [[nodiscard]] Tree parse_strings();
  [[nodiscard]] Tree parse_parenthesised();
  [[nodiscard]] Tree parse_list();
  /// Items up to the closing bracket, which stays; `commas` says how many commas there were.
  [[nodiscard]] bool parse_items(Sequence& sequence, std::uint32_t& height, std::size_t& commas);
  [[nodiscard]] bool refuse_unsupported_atom();
  [[nodiscard]] bool refuse_comprehension(std::size_t first, std::string_view node);

  std::uint32_t max_nesting_;
  std::uint32_t depth_ = 0;
  TokenCursor::Line last_line_;
  Diagnostics diagnostics_;
};

}  // namespace a2a3::ir
