// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ir/parse/lexer_state.hpp"

namespace a2a3::ir {
namespace {

bool is_binary_digit(char c) {
  return c == '0' || c == '1';
}
bool is_octal_digit(char c) {
  return c >= '0' && c <= '7';
}
bool is_decimal_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex_digit(char c) {
  return is_decimal_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Python lets these follow a number without a space.
constexpr std::array<std::string_view, 8> kMayFollow = {"and", "else", "for", "if",
                                                        "in",  "is",   "not", "or"};

}  // namespace

// Digits with single underscores between them; `valid` turns false when an underscore is misplaced.
std::size_t Lexer::skip_digits(std::size_t from, bool (*is_digit)(char), bool& valid) const {
  std::size_t end = from;
  while (is_digit(at(end)) || at(end) == '_') {
    if (at(end) == '_' && !is_digit(at(end + 1))) valid = false;
    ++end;
  }
  return end;
}

void Lexer::scan_number() {
  const std::size_t begin = pos_;
  TokenKind kind = TokenKind::integer;
  bool valid = true;
  std::string_view base = "decimal";
  const auto prefixed = [&](bool (*is_digit)(char), std::string_view name) {
    base = name;
    pos_ = skip_digits(begin + 2, is_digit, valid);
    if (pos_ == begin + 2) valid = false;
  };
  const char marker = at(begin) == '0' ? static_cast<char>(at(begin + 1) | 0x20) : '\0';
  if (marker == 'x') {
    prefixed(is_hex_digit, "hexadecimal");
  } else if (marker == 'o') {
    prefixed(is_octal_digit, "octal");
  } else if (marker == 'b') {
    prefixed(is_binary_digit, "binary");
  } else {
    pos_ = skip_digits(begin, is_decimal_digit, valid);
    if (at(pos_) == '.') {
      kind = TokenKind::floating;
      if (at(pos_ + 1) == '_') valid = false;
      pos_ = skip_digits(pos_ + 1, is_decimal_digit, valid);
    }
    const bool sign = at(pos_ + 1) == '+' || at(pos_ + 1) == '-';
    if ((at(pos_) == 'e' || at(pos_) == 'E') && is_decimal_digit(at(pos_ + (sign ? 2 : 1)))) {
      kind = TokenKind::floating;
      pos_ = skip_digits(pos_ + (sign ? 2 : 1), is_decimal_digit, valid);
    }
    if (at(pos_) == 'j' || at(pos_) == 'J') {
      kind = TokenKind::imaginary;
      ++pos_;
    }
  }
  std::size_t after = pos_;
  while (is_identifier_part(at(after)))
    ++after;
  const std::string_view follows = text_.substr(pos_, after - pos_);
  if (!follows.empty() &&
      std::find(kMayFollow.begin(), kMayFollow.end(), follows) == kMayFollow.end()) {
    valid = false;
    pos_ = after;
  }
  const std::string_view digits = text_.substr(begin, pos_ - begin);
  if (!valid) {
    result_.diagnostics.error(location(begin, pos_), fmt::format("invalid {} literal", base));
  } else if (kind == TokenKind::integer && base == "decimal" && digits.size() > 1 &&
             digits[0] == '0' && digits.find_first_not_of("0_") != std::string_view::npos) {
    valid = false;
    result_.diagnostics.error(location(begin, pos_),
                              "leading zeros in decimal integer literals are not permitted; use "
                              "an 0o prefix for octal integers");
  }
  add(valid ? kind : TokenKind::invalid, begin, pos_);
}

}  // namespace a2a3::ir
