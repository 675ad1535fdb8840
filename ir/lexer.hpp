// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/source.hpp"

namespace a2a3::ir {

/// Python's tokens. Which names are keywords is the parser's business.
enum class TokenKind : std::uint8_t {
  end,
  newline,  ///< end of a logical line
  indent,
  dedent,
  name,
  integer,
  floating,
  imaginary,
  string,
  bytes,
  format_string,
  op,
  invalid,  ///< stands where the lexer has already reported an error
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t offset = 0;  ///< in bytes, into the source's text
  std::uint32_t size = 0;    ///< in bytes
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t width = 0;  ///< code points on its first line
};

struct TokenizedText {
  std::vector<Token> tokens;  ///< the last one is `end`
  Diagnostics diagnostics;
};

enum class TokenizeMode : std::uint8_t {
  file,
  expression,  ///< one expression: line breaks and indentation mean nothing
};

/// Splits a text by Python's rules: indentation (tabs and spaces must agree), implicit joining
/// inside brackets, backslash continuation, comments, form feeds. A text with NUL bytes or invalid
/// UTF-8 gives one error and no tokens but `end`. Brackets or blocks that nest deeper than
/// `max_nesting` end the tokens with an error.
[[nodiscard]] TokenizedText tokenize(const SourceFile& source, std::uint32_t max_nesting,
                                     TokenizeMode mode = TokenizeMode::file);

/// The error for what nests deeper than the limit; `what` are, for example, "brackets".
[[nodiscard]] std::string nesting_error(std::string_view what, std::uint32_t max_nesting);

/// Python's reserved words; soft keywords such as `match` are not among them.
[[nodiscard]] bool is_keyword(std::string_view name);

}  // namespace a2a3::ir
