// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ir/lexer.hpp"

namespace a2a3::ir {

/// A place in a token list, and the ways to move it.
class TokenCursor {
 public:
  TokenCursor(const SourceFile& source, const std::vector<Token>& tokens)
      : source_(source), tokens_(tokens) {}

  [[nodiscard]] const Token& token(std::size_t ahead = 0) const {
    const std::size_t index = position_ + ahead;
    return tokens_[index < tokens_.size() ? index : tokens_.size() - 1];
  }
  [[nodiscard]] std::string_view text(std::size_t ahead = 0) const { return text_of(token(ahead)); }
  [[nodiscard]] bool at(TokenKind kind) const { return token().kind == kind; }
  /// True at this operator or keyword.
  [[nodiscard]] bool at(std::string_view text) const { return is(0, text); }
  [[nodiscard]] bool is(std::size_t ahead, std::string_view text) const {
    const Token& candidate = token(ahead);
    return (candidate.kind == TokenKind::op || candidate.kind == TokenKind::name) &&
           candidate.size == text.size() && source_.text()[candidate.offset] == text[0] &&
           text_of(candidate) == text;
  }
  /// True at a name that is not a keyword.
  [[nodiscard]] bool at_name(std::size_t ahead = 0) const {
    return token(ahead).kind == TokenKind::name && !is_keyword(text(ahead));
  }

  void advance() {
    if (position_ + 1 < tokens_.size()) ++position_;
  }
  bool accept(std::string_view text) {
    if (!at(text)) return false;
    advance();
    return true;
  }
  bool accept(TokenKind kind) {
    if (!at(kind)) return false;
    advance();
    return true;
  }

  [[nodiscard]] std::size_t position() const { return position_; }
  void rewind(std::size_t position) { position_ = position; }

  /// The tokens of a logical line, from `begin` to its newline at `end`.
  struct Line {
    std::size_t begin = 1;
    std::size_t end = 0;
    bool has_invalid = false;  ///< the lexer has reported an error in it
  };
  /// The logical line at the cursor.
  [[nodiscard]] Line line() const;

  /// Moves to the end of the logical line, in front of its `newline`.
  void to_line_end();
  /// Moves behind the logical line.
  void skip_line();
  /// At an indent: moves behind its block; otherwise does nothing.
  void skip_block();
  /// Moves behind a logical line and, when the line ends with a colon, the block that it heads.
  void skip_statement();
  /// The same behind a faulty header, whether it ends with a colon or not.
  void skip_faulty_statement() {
    skip_line();
    skip_block();
  }

  /// The range from token `first` to token `last`, both included, cut at the end of the first line.
  [[nodiscard]] SourceLocation location(std::size_t first, std::size_t last) const;
  [[nodiscard]] SourceLocation here() const { return location(position_, position_); }
  /// From `first` to the token before this one.
  [[nodiscard]] SourceLocation since(std::size_t first) const {
    return location(first, position_ > first ? position_ - 1 : first);
  }

  /// The token as a message names it: `'pl'`, `end of line`.
  [[nodiscard]] std::string describe() const;

 private:
  [[nodiscard]] bool ends_line(std::size_t index) const {
    const TokenKind kind = tokens_[index].kind;
    return kind == TokenKind::newline || kind == TokenKind::indent || kind == TokenKind::dedent ||
           kind == TokenKind::end;
  }
  [[nodiscard]] std::string_view text_of(const Token& token) const {
    return source_.text().substr(token.offset, token.size);
  }

  const SourceFile& source_;
  const std::vector<Token>& tokens_;
  std::size_t position_ = 0;
};

}  // namespace a2a3::ir
