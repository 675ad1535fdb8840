// SPDX-License-Identifier: Apache-2.0
#include "ir/parser.hpp"

#include <algorithm>
#include <utility>

#include "ir/lexer.hpp"
#include "ir/parse/file_parser.hpp"

namespace a2a3::ir {
namespace {

ParseLimits effective(ParseLimits limits) {
  limits.max_nesting = std::min(limits.max_nesting, kDeepestNesting);
  return limits;
}

class BlockParser : public StatementParser {
 public:
  using StatementParser::StatementParser;

  [[nodiscard]] Block parse() {
    Block block;
    parse_statements(block);
    return block;
  }
};

// What the lexer and the parser found, in the order of the file.
Diagnostics merge(Diagnostics lexed, Diagnostics parsed) {
  Diagnostics all = std::move(lexed);
  all.append(std::move(parsed));
  all.sort();
  all.cap();
  return all;
}

}  // namespace

ParsedFile parse_file(SourceFilePtr source, const ParseLimits& limits) {
  const ParseLimits bounds = effective(limits);
  TokenizedText text = tokenize(*source, bounds.max_nesting);
  FileParser parser(*source, text.tokens, bounds);
  ParsedFile result;
  result.file = parser.parse(source);
  result.diagnostics = merge(std::move(text.diagnostics), parser.take_diagnostics());
  result.diagnostics.keep(std::move(source));
  return result;
}

ParsedBlock parse_block(const SourceFile& source, const ParseLimits& limits) {
  const ParseLimits bounds = effective(limits);
  TokenizedText text = tokenize(source, bounds.max_nesting);
  BlockParser parser(source, text.tokens, bounds);
  ParsedBlock result;
  result.block = parser.parse();
  result.diagnostics = merge(std::move(text.diagnostics), parser.take_diagnostics());
  return result;
}

ParsedExpression parse_expression(SourceFilePtr source, const ParseLimits& limits) {
  const ParseLimits bounds = effective(limits);
  TokenizedText text = tokenize(*source, bounds.max_nesting, TokenizeMode::expression);
  ExpressionParser parser(*source, text.tokens, bounds);
  ParsedExpression result;
  result.expr = parser.parse_whole_text().expr;
  result.diagnostics = merge(std::move(text.diagnostics), parser.take_diagnostics());
  result.diagnostics.keep(std::move(source));
  if (result.diagnostics.has_errors()) result.expr = nullptr;
  return result;
}

}  // namespace a2a3::ir
