// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/parse/lexer_state.hpp"
#include "ir/utf8.hpp"

namespace a2a3::ir {
namespace {

// f-strings nest; deeper than this is no program.
constexpr std::size_t kDeepestFormatString = 64;

/// A string inside a format string, or the format string itself.
struct Level {
  char quote = '"';
  bool triple = false;
  bool format = false;
  std::uint32_t braces = 0;    ///< open replacement fields
  std::uint32_t brackets = 0;  ///< open ( and [ of the replacement field
  bool in_format_spec = false;
};

bool has_letter(std::string_view prefix, char lower) {
  return std::any_of(prefix.begin(), prefix.end(), [lower](char c) { return (c | 0x20) == lower; });
}

}  // namespace

void Lexer::scan_string(std::size_t begin, std::string_view prefix) {
  const SourceLocation start = location(begin, begin + prefix.size() + 1);
  Token token{TokenKind::string, static_cast<std::uint32_t>(begin), 0, line_, start.column, 0};
  const std::size_t first_line_begin = line_begin_;
  pos_ = begin + prefix.size();
  const bool triple = at(pos_ + 1) == at(pos_) && at(pos_ + 2) == at(pos_);
  if (has_letter(prefix, 'b')) token.kind = TokenKind::bytes;
  const bool format = has_letter(prefix, 'f') || has_letter(prefix, 't');
  if (format) token.kind = TokenKind::format_string;

  if (!(format ? skip_format_string(triple) : skip_plain_string(triple))) {
    token.kind = TokenKind::invalid;
    result_.diagnostics.error(start, triple ? "unterminated triple-quoted string literal"
                                            : "unterminated string literal");
    // Whatever it swallowed, the brackets around it are not a second mistake.
    for (Bracket& bracket : brackets_)
      bracket.reported = true;
  }
  token.size = static_cast<std::uint32_t>(pos_ - begin);
  const std::string_view written = text_.substr(begin, token.size);
  token.width = utf8::length(
      first_line_begin == line_begin_ ? written : written.substr(0, written.find_first_of("\r\n")));
  result_.tokens.push_back(token);
  line_has_tokens_ = true;
  first_on_physical_line_ = false;
}

// Both return false at the end of the line or text, and stay in front of it.
bool Lexer::skip_plain_string(bool triple) {
  const char quote = text_[pos_];
  pos_ += triple ? 3 : 1;
  while (pos_ < text_.size()) {
    if (text_[pos_] == '\\' && pos_ + 1 < text_.size()) {
      ++pos_;
      if (is_line_end(pos_)) {
        pass_line_end();
      } else {
        ++pos_;
      }
    } else if (is_line_end(pos_)) {
      if (!triple) return false;
      pass_line_end();
    } else if (text_[pos_] == quote && !triple) {
      ++pos_;
      return true;
    } else if (text_[pos_] == quote && at(pos_ + 1) == quote && at(pos_ + 2) == quote) {
      pos_ += 3;
      return true;
    } else {
      ++pos_;
    }
  }
  return false;
}

bool Lexer::skip_format_string(bool triple) {
  std::vector<Level> levels;
  const auto enter = [&](bool is_triple, bool is_format) {
    levels.push_back({text_[pos_], is_triple, is_format, 0, 0, false});
    pos_ += is_triple ? 3 : 1;
  };
  enter(triple, true);
  while (pos_ < text_.size()) {
    Level& level = levels.back();
    const char c = text_[pos_];
    const bool is_code = level.format && level.braces > 0 && !level.in_format_spec;
    if (is_line_end(pos_)) {
      if (std::none_of(levels.begin(), levels.end(), [](const Level& l) { return l.triple; })) {
        return false;
      }
      pass_line_end();
    } else if (c == '\\' && !is_code) {
      ++pos_;
      if (pos_ < text_.size() && is_line_end(pos_)) {
        pass_line_end();
      } else if (pos_ < text_.size()) {
        ++pos_;
      }
    } else if (!is_code && c == level.quote &&
               (!level.triple || (at(pos_ + 1) == c && at(pos_ + 2) == c))) {
      pos_ += level.triple ? 3 : 1;
      levels.pop_back();
      if (levels.empty()) return true;
    } else if (is_code && (c == '"' || c == '\'')) {
      if (levels.size() == kDeepestFormatString) return false;
      const bool nested_format = (at(pos_ - 1) | 0x20) == 'f' || (at(pos_ - 2) | 0x20) == 'f';
      enter(at(pos_ + 1) == c && at(pos_ + 2) == c, nested_format);
    } else if (level.format && c == '{') {
      const bool escaped = level.braces == 0 && at(pos_ + 1) == '{';
      if (!escaped) {
        ++level.braces;
        level.in_format_spec = false;
      }
      pos_ += escaped ? 2 : 1;
    } else if (level.format && c == '}') {
      if (level.braces > 0) {
        --level.braces;
        level.in_format_spec = level.braces > 0;
      }
      ++pos_;
    } else {
      if (is_code && (c == '(' || c == '[')) ++level.brackets;
      if (is_code && (c == ')' || c == ']') && level.brackets > 0) --level.brackets;
      if (is_code && c == ':' && level.brackets == 0) level.in_format_spec = true;
      ++pos_;
    }
  }
  return false;
}

}  // namespace a2a3::ir
