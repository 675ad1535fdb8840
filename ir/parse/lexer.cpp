// SPDX-License-Identifier: Apache-2.0
#include "ir/lexer.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "ir/parse/lexer_state.hpp"
#include "ir/utf8.hpp"

namespace a2a3::ir {
namespace {

constexpr std::uint32_t kTabStop = 8;

constexpr std::array<std::string_view, 35> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

constexpr std::array<std::string_view, 25> kLongOperatorList = {
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=",
    "->",  "+=",  "-=",  "*=",  "/=",  "%=", "&=", "|=", "^=", "@=", ":=", "<>"};
constexpr std::span<const std::string_view> kLongOperators(kLongOperatorList);
constexpr std::string_view kOperatorEnds = "*/><.=";  ///< second characters of those
constexpr std::string_view kSingleOperators = "+-*/%@&|^~<>()[]{},:.;=";

// Signs that people paste from documents: punctuation, spaces and symbols beyond ASCII.
bool may_be_in_a_name(char32_t c) {
  if (c < 0x80) return false;
  if (c <= 0xBF) return c == 0xAA || c == 0xB5 || c == 0xB7 || c == 0xBA;
  const bool sign = c == 0xD7 || c == 0xF7 || (c >= 0x2000 && c <= 0x206F) ||
                    (c >= 0x2190 && c <= 0x2BFF) || (c >= 0x3000 && c <= 0x3004) ||
                    (c >= 0x3008 && c <= 0x3020) || (c >= 0xFF01 && c <= 0xFF0F) ||
                    (c >= 0xFF1A && c <= 0xFF20) || (c >= 0xFF3B && c <= 0xFF40) ||
                    (c >= 0xFF5B && c <= 0xFF65) || (c >= 0x1F300 && c <= 0x1FAFF);
  return !sign;
}

}  // namespace

bool is_identifier_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_identifier_part(char c) {
  return is_identifier_start(c) || (c >= '0' && c <= '9');
}

bool is_keyword(std::string_view name) {
  return std::binary_search(kKeywords.begin(), kKeywords.end(), name);
}

std::string nesting_error(std::string_view what, std::uint32_t max_nesting) {
  return fmt::format("{} nest deeper than {} levels; --max-nesting sets the limit", what,
                     max_nesting);
}

TokenizedText tokenize(const SourceFile& source, std::uint32_t max_nesting, TokenizeMode mode) {
  return Lexer(source, max_nesting, mode).run();
}

Lexer::Lexer(const SourceFile& source, std::uint32_t max_nesting, TokenizeMode mode)
    : source_(source), text_(source.text()), max_nesting_(max_nesting), mode_(mode) {}

TokenizedText Lexer::run() {
  if (!refuse_binary()) {
    while (pos_ < text_.size()) {
      if (mode_ == TokenizeMode::file && at_line_start_ && brackets_.empty() && !begin_line()) {
        continue;
      }
      scan_token();
    }
    finish();
  }
  add(TokenKind::end, pos_, pos_);
  return std::move(result_);
}

bool Lexer::refuse_binary() {
  const std::size_t offset = std::min(text_.find('\0'), utf8::first_invalid(text_));
  if (offset == std::string_view::npos) return false;
  // The position is found by walking the lines, so that the message shows where the text stops.
  while (pos_ < offset) {
    if (is_line_end(pos_)) {
      pass_line_end();
    } else {
      ++pos_;
    }
  }
  pos_ = offset;
  const auto byte = static_cast<unsigned char>(text_[offset]);
  result_.diagnostics.error(
      location(offset, offset + 1),
      fmt::format("this is not a text file: byte 0x{:02x} at offset {} is {}", byte, offset,
                  byte == 0 ? "a NUL byte" : "not valid UTF-8"));
  return true;
}

void Lexer::scan_token() {
  const char c = text_[pos_];
  if (c == ' ' || c == '\t' || c == '\f') {
    ++pos_;
  } else if (c == '#') {
    while (pos_ < text_.size() && !is_line_end(pos_))
      ++pos_;
  } else if (is_line_end(pos_)) {
    scan_newline();
  } else if (c == '\\') {
    scan_continuation();
  } else if (is_identifier_start(c)) {
    scan_name();
  } else if ((c >= '0' && c <= '9') || (c == '.' && at(pos_ + 1) >= '0' && at(pos_ + 1) <= '9')) {
    scan_number();
  } else if (c == '"' || c == '\'') {
    scan_string(pos_, "");
  } else {
    scan_operator();
  }
}

void Lexer::scan_newline() {
  if (mode_ == TokenizeMode::file && brackets_.empty()) {
    if (line_has_tokens_) add(TokenKind::newline, pos_, pos_);
    line_has_tokens_ = false;
    line_has_invalid_character_ = false;
    at_line_start_ = true;
  }
  pass_line_end();
}

void Lexer::scan_continuation() {
  const std::size_t begin = pos_++;
  if (is_line_end(pos_)) {
    pass_line_end();
    first_on_physical_line_ = false;
    return;
  }
  result_.diagnostics.error(location(begin, begin + 1),
                            pos_ == text_.size()
                                ? "unexpected end of file after line continuation character"
                                : "unexpected character after line continuation character");
  add(TokenKind::invalid, begin, begin + 1);
  while (pos_ < text_.size() && !is_line_end(pos_))
    ++pos_;
}

void Lexer::scan_name() {
  const std::size_t begin = pos_;
  while (pos_ < text_.size() && is_identifier_part(text_[pos_])) {
    const utf8::Decoded c = utf8::decode(text_, pos_);
    if (c.code_point >= 0x80 && !may_be_in_a_name(c.code_point)) break;
    pos_ += c.bytes;
  }
  if (pos_ == begin) {
    scan_invalid_character();
    return;
  }
  const std::string_view name = text_.substr(begin, pos_ - begin);
  if ((at(pos_) == '"' || at(pos_) == '\'') && name.size() <= 2 &&
      name.find_first_not_of("rRbBuUfFtT") == std::string_view::npos) {
    scan_string(begin, name);
    return;
  }
  if (!brackets_.empty() && first_on_physical_line_ && starts_a_statement(name, begin)) {
    report_open_brackets();
    pos_ = line_begin_;
    return;
  }
  add(TokenKind::name, begin, pos_);
}

void Lexer::scan_operator() {
  // A decorator of ours shows that a bracket is missing above.
  if (!brackets_.empty() && first_on_physical_line_ && text_.substr(pos_).starts_with("@pl.")) {
    report_open_brackets();
    pos_ = line_begin_;
    return;
  }
  const bool may_be_long = kOperatorEnds.find(at(pos_ + 1)) != std::string_view::npos;
  for (const std::string_view op :
       may_be_long ? kLongOperators : std::span<const std::string_view>()) {
    if (text_.substr(pos_).starts_with(op)) {
      pos_ += op.size();
      add(TokenKind::op, pos_ - op.size(), pos_);
      return;
    }
  }
  const char c = text_[pos_];
  if (kSingleOperators.find(c) == std::string_view::npos) {
    scan_invalid_character();
  } else if (c == '(' || c == '[' || c == '{') {
    open_bracket(c);
  } else if (c == ')' || c == ']' || c == '}') {
    close_bracket(c);
  } else {
    ++pos_;
    add(TokenKind::op, pos_ - 1, pos_);
  }
}

void Lexer::scan_invalid_character() {
  const utf8::Decoded c = utf8::decode(text_, pos_);
  const std::size_t end = pos_ + c.bytes;
  // A line of them is one mistake.
  if (!line_has_invalid_character_) {
    const std::string_view shown = text_.substr(pos_, c.bytes);
    result_.diagnostics.error(location(pos_, end),
                              c.code_point < 0x7F && c.code_point > 0x20
                                  ? fmt::format("invalid character '{}'", shown)
                                  : fmt::format("invalid character '{}' (U+{:04X})", shown,
                                                static_cast<std::uint32_t>(c.code_point)));
  }
  add(TokenKind::invalid, pos_, end);
  line_has_invalid_character_ = true;
  pos_ = end;
}

bool Lexer::begin_line() {
  std::uint32_t columns = 0;
  std::uint32_t alternative = 0;
  for (;; ++pos_) {
    if (at(pos_) == ' ') {
      ++columns;
      ++alternative;
    } else if (at(pos_) == '\t') {
      columns = (columns / kTabStop + 1) * kTabStop;
      ++alternative;
    } else if (at(pos_) == '\f') {
      columns = alternative = 0;
    } else {
      break;
    }
  }
  if (pos_ == text_.size()) return false;
  if (is_line_end(pos_) || at(pos_) == '#') {
    while (pos_ < text_.size() && !is_line_end(pos_))
      ++pos_;
    if (pos_ < text_.size()) pass_line_end();
    return false;
  }
  at_line_start_ = false;
  indent_to(columns, alternative);
  return pos_ < text_.size();
}

void Lexer::indent_to(std::uint32_t columns, std::uint32_t alternative) {
  if (columns > indents_.back().columns) {
    // A line that is only out of step does not begin a block.
    if (!check_tabs(indents_.back(), columns, alternative) && !follows_colon()) return;
    if (indents_.size() > max_nesting_) {
      stop_at_nesting_limit("blocks");
      return;
    }
    indents_.push_back({columns, alternative, indents_.back().tabs_reported});
    add(TokenKind::indent, pos_, pos_);
    return;
  }
  // An unindent that fits no block belongs to the innermost block that it is inside of.
  while (columns < indents_.back().columns && columns <= indents_[indents_.size() - 2].columns) {
    indents_.pop_back();
    add(TokenKind::dedent, pos_, pos_);
  }
  if (columns < indents_.back().columns) {
    result_.diagnostics.error(location(pos_, pos_ + 1),
                              "unindent does not match any outer indentation level");
    indents_.back() = {columns, alternative, indents_.back().tabs_reported};
    return;
  }
  check_tabs(indents_.back(), columns, alternative);
}

bool Lexer::follows_colon() const {
  const auto& tokens = result_.tokens;
  return tokens.size() > 1 && text_.substr(tokens[tokens.size() - 2].offset, 1) == ":";
}

bool Lexer::check_tabs(const Indentation& enclosing, std::uint32_t columns,
                       std::uint32_t alternative) {
  const bool consistent = columns == enclosing.columns ? alternative == enclosing.alternative
                                                       : alternative > enclosing.alternative;
  if (consistent || indents_.back().tabs_reported) return consistent;
  indents_.back().tabs_reported = true;
  result_.diagnostics.error(location(line_begin_, pos_),
                            "inconsistent use of tabs and spaces in indentation");
  return false;
}

// What follows would only repeat the error: the text ends here.
void Lexer::stop_at_nesting_limit(std::string_view what) {
  result_.diagnostics.error(location(pos_, pos_ + 1), nesting_error(what, max_nesting_));
  add(TokenKind::invalid, pos_, pos_);
  text_ = text_.substr(0, pos_);
  brackets_.clear();
}

void Lexer::finish() {
  if (!brackets_.empty()) report_open_brackets();
  if (mode_ == TokenizeMode::expression) return;
  if (line_has_tokens_) add(TokenKind::newline, pos_, pos_);
  for (std::size_t i = 1; i < indents_.size(); ++i)
    add(TokenKind::dedent, pos_, pos_);
}

void Lexer::pass_line_end() {
  pos_ += at(pos_) == '\r' && at(pos_ + 1) == '\n' ? 2 : 1;
  ++line_;
  line_begin_ = pos_;
  first_on_physical_line_ = true;
  counted_offset_ = pos_;
  counted_column_ = 1;
}

std::uint32_t Lexer::column_of(std::size_t offset) {
  if (offset < counted_offset_) {
    counted_offset_ = line_begin_;
    counted_column_ = 1;
  }
  counted_column_ += utf8::length(text_.substr(counted_offset_, offset - counted_offset_));
  counted_offset_ = offset;
  return counted_column_;
}

SourceLocation Lexer::location(std::size_t begin, std::size_t end) {
  const std::uint32_t column = column_of(begin);
  return {&source_, line_, column, utf8::length(text_.substr(begin, end - begin))};
}

void Lexer::add(TokenKind kind, std::size_t begin, std::size_t end) {
  const auto size = static_cast<std::uint32_t>(end - begin);
  const std::uint32_t width = size <= 1 ? size : utf8::length(text_.substr(begin, size));
  result_.tokens.push_back(
      {kind, static_cast<std::uint32_t>(begin), size, line_, column_of(begin), width});
  if (kind != TokenKind::newline && kind != TokenKind::indent && kind != TokenKind::dedent) {
    line_has_tokens_ = true;
    first_on_physical_line_ = false;
  }
}

}  // namespace a2a3::ir
