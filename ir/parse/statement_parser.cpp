// SPDX-License-Identifier: Apache-2.0
#include "ir/parse/statement_parser.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace a2a3::ir {
namespace {

struct UnsupportedStatement {
  std::string_view keyword;
  std::string_view node;  ///< as Python's ast module names it
};

constexpr std::array kUnsupportedSimple = {
    UnsupportedStatement{"raise", "Raise"},     UnsupportedStatement{"assert", "Assert"},
    UnsupportedStatement{"del", "Delete"},      UnsupportedStatement{"global", "Global"},
    UnsupportedStatement{"import", "Import"},   UnsupportedStatement{"nonlocal", "Nonlocal"},
    UnsupportedStatement{"from", "ImportFrom"},
};

}  // namespace

ExprPtr StatementParser::unparsed(SourceLocation location) {
  auto expr = std::make_unique<Expr>();
  expr->node = Name{};
  expr->location = location;
  return expr;
}

Stmt StatementParser::make_statement(decltype(Stmt::node) node, std::size_t first) const {
  return {std::move(node), cursor_.since(first)};
}

void StatementParser::finish_line() {
  if (cursor_.accept(TokenKind::newline) || cursor_.at(TokenKind::end)) return;
  unexpected("end of line");
  Block lost;
  skip_faulty_line(lost);
}

void StatementParser::skip_faulty_line(Block& out) {
  cursor_.skip_line();
  if (!cursor_.accept(TokenKind::indent)) return;
  parse_statements(out);
  cursor_.accept(TokenKind::dedent);
}

Block StatementParser::parse_block(bool header_ok) {
  Block block;
  if (header_ok && !cursor_.accept(":")) {
    unexpected("':'");
    header_ok = false;
  }
  if (!header_ok) {
    skip_faulty_line(block);
    return block;
  }
  if (!cursor_.at(TokenKind::newline)) {
    parse_simple_line(block);
    return block;
  }
  cursor_.advance();
  if (!cursor_.accept(TokenKind::indent)) {
    unexpected("an indented block");
    return block;
  }
  parse_statements(block);
  cursor_.accept(TokenKind::dedent);
  return block;
}

void StatementParser::parse_statements(Block& out) {
  while (!cursor_.at(TokenKind::dedent) && !cursor_.at(TokenKind::end))
    parse_statement(out);
}

void StatementParser::parse_statement(Block& out) {
  if (cursor_.accept(TokenKind::newline)) return;
  if (cursor_.at(TokenKind::indent)) {
    error(cursor_.here(), "unexpected indent");
    cursor_.advance();
    parse_statements(out);
    cursor_.accept(TokenKind::dedent);
    return;
  }
  if (parse_compound(out) || parse_unsupported_compound(out)) return;
  parse_simple_line(out);
}

// Simple statements joined with semicolons.
void StatementParser::parse_simple_line(Block& out) {
  while (true) {
    if (!parse_simple(out)) {
      skip_faulty_line(out);
      return;
    }
    if (!cursor_.accept(";") || cursor_.at(TokenKind::newline)) break;
  }
  finish_line();
}

bool StatementParser::parse_compound(Block& out) {
  if (cursor_.at("for")) {
    parse_for(out);
  } else if (cursor_.at("while")) {
    parse_while(out);
  } else if (cursor_.at("if")) {
    parse_if(out);
  } else if (cursor_.at("with")) {
    parse_with(out);
  } else {
    return false;
  }
  return true;
}

// Statements with blocks that the language lacks. Where the block runs in the same scope its
// statements are still looked at.
bool StatementParser::parse_unsupported_compound(Block& out) {
  const std::size_t first = cursor_.position();
  const auto refuse = [&](std::string_view message) {
    cursor_.to_line_end();
    unsupported(cursor_.since(first), std::string(message));
  };
  const bool is_async = cursor_.at("async");
  const std::size_t ahead = is_async ? 1 : 0;
  if (cursor_.at("@") || cursor_.is(ahead, "def") || cursor_.is(ahead, "class")) {
    while (cursor_.at("@"))
      cursor_.skip_line();
    refuse(cursor_.at("class") ? "Unsupported statement type: ClassDef"
           : is_async          ? "Unsupported statement type: AsyncFunctionDef"
                               : "Unsupported statement type: FunctionDef");
    cursor_.skip_statement();
  } else if (is_async) {
    refuse(cursor_.is(1, "with") ? "Unsupported statement type: AsyncWith"
                                 : "Unsupported statement type: AsyncFor");
    skip_faulty_line(out);
  } else if (cursor_.at("try")) {
    refuse("Unsupported statement type: Try");
    do {
      skip_faulty_line(out);
    } while (cursor_.at("except") || cursor_.at("finally") || cursor_.at("else"));
  } else if (at_match_statement()) {
    refuse("Unsupported statement type: Match");
    cursor_.skip_statement();
  } else if (cursor_.at("else") || cursor_.at("elif") || cursor_.at("except") ||
             cursor_.at("finally")) {
    error(cursor_.here(), fmt::format("'{}' has no statement that it belongs to", cursor_.text()));
    skip_faulty_line(out);
  } else {
    return false;
  }
  return true;
}

bool StatementParser::at_match_statement() const {
  if (!cursor_.is(0, "match") || cursor_.is(1, "=") || cursor_.is(1, ".")) return false;
  TokenCursor ahead = cursor_;
  ahead.skip_line();
  return ahead.at(TokenKind::indent) && ahead.is(1, "case");
}

bool StatementParser::parse_simple(Block& out) {
  const std::size_t first = cursor_.position();
  const auto keyword = [&](std::string_view text, decltype(Stmt::node) node) {
    if (!cursor_.accept(text)) return false;
    out.push_back(make_statement(std::move(node), first));
    return true;
  };
  if (keyword("pass", Pass{}) || keyword("break", Break{}) || keyword("continue", Continue{})) {
    return true;
  }
  if (cursor_.at("return")) return parse_return(out);
  if (parse_unsupported_simple()) return false;
  return parse_expression_statement(out);
}

bool StatementParser::parse_unsupported_simple() {
  const auto* found =
      std::find_if(kUnsupportedSimple.begin(), kUnsupportedSimple.end(),
                   [this](const UnsupportedStatement& s) { return cursor_.at(s.keyword); });
  if (found == kUnsupportedSimple.end()) return false;
  const std::size_t first = cursor_.position();
  cursor_.to_line_end();
  unsupported(cursor_.since(first), fmt::format("Unsupported statement type: {}", found->node));
  return true;
}

bool StatementParser::parse_return(Block& out) {
  const std::size_t first = cursor_.position();
  cursor_.advance();
  if (cursor_.at(TokenKind::newline) || cursor_.at(";")) {
    out.push_back(make_statement(Return{nullptr}, first));
    return true;
  }
  Tree value = parse_expression_list();
  const bool ok = static_cast<bool>(value);
  Return node{ok ? std::move(value.expr) : unparsed(cursor_.here())};
  out.push_back(make_statement(std::move(node), first));
  return ok;
}

void StatementParser::parse_if(Block& out) {
  const std::size_t first = cursor_.position();
  cursor_.advance();
  Tree condition = parse_expression();
  const bool ok = static_cast<bool>(condition);
  If node;
  node.condition = ok ? std::move(condition.expr) : unparsed(cursor_.here());
  Stmt statement = make_statement(Pass{}, first);
  node.then_body = parse_block(ok);
  if (cursor_.at("elif")) {
    node.is_elif_chain = true;
    const Level level(*this);
    if (too_deep("elif branches")) {
      while (cursor_.at("elif") || cursor_.at("else"))
        cursor_.skip_faulty_statement();
    } else {
      parse_if(node.else_body);
    }
  } else if (cursor_.accept("else")) {
    node.else_body = parse_block(true);
  }
  statement.node = std::move(node);
  out.push_back(std::move(statement));
}

void StatementParser::parse_while(Block& out) {
  const std::size_t first = cursor_.position();
  cursor_.advance();
  Tree condition = parse_expression();
  const bool ok = static_cast<bool>(condition);
  While node{ok ? std::move(condition.expr) : unparsed(cursor_.here()), {}};
  Stmt statement = make_statement(Pass{}, first);
  node.body = parse_block(ok);
  statement.node = std::move(node);
  out.push_back(std::move(statement));
  refuse_loop_else(out);
}

void StatementParser::refuse_loop_else(Block& out) {
  if (!cursor_.at("else")) return;
  unsupported(cursor_.here(), "Unsupported statement: a loop has no else branch");
  skip_faulty_line(out);
}

void StatementParser::parse_with(Block& out) {
  const std::size_t first = cursor_.position();
  cursor_.advance();
  Tree manager = parse_expression();
  bool ok = static_cast<bool>(manager);
  With node;
  if (ok && cursor_.accept("as")) {
    if (cursor_.at_name()) {
      node.as = Name{std::string(cursor_.text()), kNoSlot};
      cursor_.advance();
    } else {
      unexpected("a name");
      ok = false;
    }
  }
  if (ok && (cursor_.at(",") || std::holds_alternative<Sequence>(manager.expr->node))) {
    unsupported(cursor_.at(",") ? cursor_.here() : manager.expr->location,
                "Unsupported with statement: it has one context manager");
    ok = false;
  } else if (ok && !std::holds_alternative<Call>(manager.expr->node)) {
    unsupported(manager.expr->location,
                "Unsupported with statement: its context manager must be a call");
    ok = false;
  }
  Stmt statement = make_statement(Pass{}, first);
  if (!ok) {
    if (node.as) {
      out.push_back({Assign{{*node.as},
                            {statement.location},
                            nullptr,
                            std::nullopt,
                            unparsed(statement.location)},
                     statement.location});
    }
    skip_faulty_line(out);
    return;
  }
  node.manager = std::move(manager.expr);
  node.body = parse_block(true);
  statement.node = std::move(node);
  out.push_back(std::move(statement));
}

}  // namespace a2a3::ir
