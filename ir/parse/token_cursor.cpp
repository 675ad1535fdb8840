// SPDX-License-Identifier: Apache-2.0
#include "ir/parse/token_cursor.hpp"

#include <algorithm>

#include "ir/utf8.hpp"

namespace a2a3::ir {
namespace {

// A longer token is cut in messages.
constexpr std::size_t kShownBytes = 40;

}  // namespace

TokenCursor::Line TokenCursor::line() const {
  Line line{position_, position_, false};
  while (line.begin > 0 && !ends_line(line.begin - 1))
    --line.begin;
  while (!ends_line(line.end))
    ++line.end;
  for (std::size_t i = line.begin; i < line.end; ++i) {
    line.has_invalid = line.has_invalid || tokens_[i].kind == TokenKind::invalid;
  }
  return line;
}

void TokenCursor::to_line_end() {
  while (!ends_line(position_))
    advance();
}

void TokenCursor::skip_line() {
  to_line_end();
  accept(TokenKind::newline);
}

void TokenCursor::skip_block() {
  if (!at(TokenKind::indent)) return;
  std::size_t depth = 0;
  do {
    if (at(TokenKind::indent)) ++depth;
    if (at(TokenKind::dedent)) --depth;
    advance();
  } while (depth > 0 && !at(TokenKind::end));
}

void TokenCursor::skip_statement() {
  to_line_end();
  const bool heads_a_block = position_ > 0 && text_of(tokens_[position_ - 1]) == ":";
  accept(TokenKind::newline);
  if (heads_a_block) skip_block();
}

SourceLocation TokenCursor::location(std::size_t first, std::size_t last) const {
  const Token& begin = tokens_[std::min(first, tokens_.size() - 1)];
  const Token* end = &tokens_[std::min(last, tokens_.size() - 1)];
  if (end->line != begin.line) {
    const auto next_line =
        std::partition_point(tokens_.begin() + static_cast<std::ptrdiff_t>(first), tokens_.end(),
                             [&begin](const Token& token) { return token.line <= begin.line; });
    end = &*std::prev(next_line);
  }
  const std::uint32_t length = end->column + end->width - begin.column;
  return {&source_, begin.line, begin.column, std::max(length, 1u)};
}

std::string TokenCursor::describe() const {
  switch (token().kind) {
    case TokenKind::end:
      return "end of file";
    case TokenKind::newline:
      return "end of line";
    case TokenKind::indent:
      return "indent";
    case TokenKind::dedent:
      return "unindent";
    default:
      break;
  }
  std::string_view shown = text().substr(0, text().find_first_of("\r\n"));
  if (shown.size() <= kShownBytes && shown.size() == text().size()) {
    return "'" + std::string(shown) + "'";
  }
  std::size_t end = std::min(shown.size(), kShownBytes);
  while (end > 0 && end < shown.size() &&
         (static_cast<unsigned char>(shown[end]) & 0xC0u) == 0x80u) {
    --end;
  }
  return "'" + std::string(shown.substr(0, end)) + "...'";
}

}  // namespace a2a3::ir
