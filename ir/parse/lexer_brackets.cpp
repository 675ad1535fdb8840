// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ir/parse/lexer_state.hpp"

namespace a2a3::ir {
namespace {

// Keywords that begin a statement and never stand inside brackets.
constexpr std::array<std::string_view, 18> kStatementKeywords = {
    "assert", "break",  "class",    "continue", "def",   "del",    "elif", "except", "finally",
    "global", "import", "nonlocal", "pass",     "raise", "return", "try",  "while",  "with"};

// Keywords that may follow an operand inside brackets.
constexpr std::array<std::string_view, 10> kInfixKeywords = {"and", "as", "async", "else", "for",
                                                             "if",  "in", "is",    "not",  "or"};

char closer_of(char open) {
  if (open == '(') return ')';
  return open == '[' ? ']' : '}';
}

}  // namespace

void Lexer::open_bracket(char open) {
  if (brackets_.size() == max_nesting_) {
    stop_at_nesting_limit("brackets");
    return;
  }
  brackets_.push_back({open, location(pos_, pos_ + 1), false});
  ++pos_;
  add(TokenKind::op, pos_ - 1, pos_);
}

void Lexer::close_bracket(char close) {
  const std::size_t begin = pos_++;
  if (!brackets_.empty() && closer_of(brackets_.back().open) == close) {
    brackets_.pop_back();
    add(TokenKind::op, begin, pos_);
    return;
  }
  add(TokenKind::invalid, begin, pos_);
  if (brackets_.empty()) {
    result_.diagnostics.error(location(begin, pos_), fmt::format("unmatched '{}'", close));
    return;
  }
  const Bracket inner = brackets_.back();
  if (!inner.reported) {
    Diagnostic& error = result_.diagnostics.error(
        location(begin, pos_),
        fmt::format("closing '{}' does not match opening '{}'", close, inner.open));
    error.notes.push_back({fmt::format("'{}' was opened here", inner.open), inner.location});
  }
  // `[f(a]` misses one bracket and closes the outer one; `f(a]` has the wrong one.
  brackets_.pop_back();
  if (!brackets_.empty() && closer_of(brackets_.back().open) == close) brackets_.pop_back();
}

// True for a name at the start of a physical line inside brackets that no expression of Python can
// go on with, so that a bracket must be missing above.
bool Lexer::starts_a_statement(std::string_view name, std::size_t begin) const {
  const auto is_in = [name](const auto& list) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (is_in(kStatementKeywords)) return true;
  if (is_in(kInfixKeywords)) return (name == "for" || name == "if") && heads_a_block(begin);
  const Token& last = result_.tokens.back();
  const std::string_view before = text_.substr(last.offset, last.size);
  switch (last.kind) {
    case TokenKind::name:
      return !is_keyword(before) || before == "True" || before == "False" || before == "None";
    case TokenKind::integer:
    case TokenKind::floating:
    case TokenKind::imaginary:
    case TokenKind::string:
    case TokenKind::bytes:
    case TokenKind::format_string:
      return true;
    case TokenKind::invalid:
      return begin - line_begin_ <= indents_.back().columns;
    case TokenKind::op:
      return before == ")" || before == "]" || before == "}";
    case TokenKind::end:
    case TokenKind::newline:
    case TokenKind::indent:
    case TokenKind::dedent:
      return false;
  }
  return false;
}

// True when the physical line ends with a colon, as no line of a comprehension or conditional does.
bool Lexer::heads_a_block(std::size_t begin) const {
  const std::string_view rest = text_.substr(begin, text_.find_first_of("\r\n#", begin) - begin);
  const std::size_t last = rest.find_last_not_of(" \t");
  return rest[last] == ':' && rest.find(" else ") == std::string_view::npos;
}

void Lexer::report_open_brackets() {
  const Bracket& innermost = brackets_.back();
  if (std::none_of(brackets_.begin(), brackets_.end(),
                   [](const Bracket& b) { return b.reported; })) {
    result_.diagnostics.error(innermost.location,
                              fmt::format("'{}' was never closed", innermost.open));
  }
  // The logical line ends behind its last token.
  Token end = result_.tokens.back();
  end.kind = TokenKind::invalid;
  end.offset += end.size;
  end.column += end.width;
  end.size = end.width = 0;
  result_.tokens.push_back(end);
  if (mode_ == TokenizeMode::file) {
    end.kind = TokenKind::newline;
    result_.tokens.push_back(end);
  }
  brackets_.clear();
  line_has_tokens_ = false;
  line_has_invalid_character_ = false;
  at_line_start_ = true;
}

}  // namespace a2a3::ir
