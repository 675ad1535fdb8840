// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/node.hpp"
#include "ir/parse/expression_parser.hpp"

namespace a2a3::ir {

/// The statements of the grammar. After an error parsing goes on at the next statement; what a
/// faulty statement would have defined is kept with a placeholder for the part that did not parse,
/// so that one mistake is one error.
class StatementParser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

 protected:
  /// The block after a header, from its colon on. A header that was wrong (`header_ok` false) is
  /// skipped to its end first.
  [[nodiscard]] Block parse_block(bool header_ok);
  /// Statements up to the end of the block.
  void parse_statements(Block& out);
  /// The type behind ':' or '->'; null after an error.
  [[nodiscard]] ExprPtr parse_annotation();
  /// Reports what follows a finished simple statement on its line, and moves to the next line.
  void finish_line();
  /// Skips the rest of a faulty line.
  void skip_faulty_line(Block& out);

  [[nodiscard]] Stmt make_statement(decltype(Stmt::node) node, std::size_t first) const;
  [[nodiscard]] bool at_match_statement() const;
  /// Stands for an expression that did not parse.
  [[nodiscard]] static ExprPtr unparsed(SourceLocation location);

 private:
  struct ForTarget {
    bool ok = false;
    bool in_grammar = false;  ///< Python allows more targets than we do
    Name index;
    SourceLocation index_location;
    std::vector<Name> carried;
    SourceLocation location;
  };

  void parse_statement(Block& out);
  void parse_simple_line(Block& out);
  bool parse_compound(Block& out);
  bool parse_unsupported_compound(Block& out);
  bool parse_simple(Block& out);
  bool parse_unsupported_simple();
  bool parse_return(Block& out);
  void parse_if(Block& out);
  void parse_while(Block& out);
  void parse_with(Block& out);
  void refuse_loop_else(Block& out);

  // statement_for.cpp
  void parse_for(Block& out);
  [[nodiscard]] ForTarget parse_for_target();
  [[nodiscard]] bool parse_carried(std::vector<Name>& names);
  [[nodiscard]] std::optional<LoopKind> loop_kind(const Expr& iterator) const;
  [[nodiscard]] For make_for(ForTarget target, ExprPtr iterator);
  [[nodiscard]] bool check_loop(const ForTarget& target, const Expr& iterator);

  // statement_assign.cpp
  bool parse_expression_statement(Block& out);
  bool parse_annotated(Block& out, ExprPtr target, std::size_t first);
  bool parse_assignment(Block& out, ExprPtr target, std::size_t first);
  [[nodiscard]] std::optional<Assign> assignment_to(ExprPtr target);
  void assign_unparsed(Block& out, Assign assign, std::size_t first);
};

}  // namespace a2a3::ir
