// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/lexer.hpp"

namespace a2a3::ir {

/// One pass over a text; the work behind tokenize().
class Lexer {
 public:
  Lexer(const SourceFile& source, std::uint32_t max_nesting, TokenizeMode mode);

  [[nodiscard]] TokenizedText run();

 private:
  struct Bracket {
    char open = '(';
    SourceLocation location;
    bool reported = false;  ///< an unterminated string may have swallowed its end
  };
  struct Indentation {
    std::uint32_t columns = 0;      ///< tabs go to the next multiple of 8
    std::uint32_t alternative = 0;  ///< tabs count 1; both orders must agree
    bool tabs_reported = false;
  };

  // lexer.cpp: characters, lines and indentation
  bool refuse_binary();
  void scan_token();
  void scan_newline();
  void scan_continuation();
  void scan_name();
  void scan_operator();
  void scan_invalid_character();
  bool begin_line();
  void indent_to(std::uint32_t columns, std::uint32_t alternative);
  /// False, and reported, when tabs and spaces order the line differently than its columns do.
  bool check_tabs(const Indentation& enclosing, std::uint32_t columns, std::uint32_t alternative);
  [[nodiscard]] bool follows_colon() const;
  void finish();
  void stop_at_nesting_limit(std::string_view what);

  // lexer_brackets.cpp: matching of brackets, and recovery when one is never closed
  void open_bracket(char open);
  void close_bracket(char close);
  [[nodiscard]] bool starts_a_statement(std::string_view name, std::size_t begin) const;
  [[nodiscard]] bool heads_a_block(std::size_t begin) const;
  void report_open_brackets();

  // lexer_string.cpp and lexer_number.cpp
  void scan_string(std::size_t begin, std::string_view prefix);
  bool skip_plain_string(bool triple);
  bool skip_format_string(bool triple);
  void scan_number();
  std::size_t skip_digits(std::size_t from, bool (*is_digit)(char), bool& valid) const;

  [[nodiscard]] char at(std::size_t offset) const {
    return offset < text_.size() ? text_[offset] : '\0';
  }
  [[nodiscard]] bool is_line_end(std::size_t offset) const {
    return at(offset) == '\n' || at(offset) == '\r';
  }
  /// Skips one line end and counts it.
  void pass_line_end();
  [[nodiscard]] std::uint32_t column_of(std::size_t offset);
  [[nodiscard]] SourceLocation location(std::size_t begin, std::size_t end);
  void add(TokenKind kind, std::size_t begin, std::size_t end);

  const SourceFile& source_;
  std::string_view text_;
  std::uint32_t max_nesting_;
  TokenizeMode mode_;
  TokenizedText result_;

  std::size_t pos_ = 0;
  std::uint32_t line_ = 1;
  std::size_t line_begin_ = 0;
  bool at_line_start_ = true;
  bool first_on_physical_line_ = false;
  bool line_has_tokens_ = false;
  bool line_has_invalid_character_ = false;
  std::vector<Indentation> indents_{Indentation{}};
  std::vector<Bracket> brackets_;

  // Columns are counted on from the last position asked for on this line.
  std::size_t counted_offset_ = 0;
  std::uint32_t counted_column_ = 1;
};

[[nodiscard]] bool is_identifier_start(char c);
[[nodiscard]] bool is_identifier_part(char c);

}  // namespace a2a3::ir
