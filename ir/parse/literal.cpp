// SPDX-License-Identifier: Apache-2.0
#include "ir/parse/literal.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "ir/utf8.hpp"

namespace a2a3::ir {
namespace {

std::string without_underscores(std::string_view text) {
  std::string result(text);
  std::erase(result, '_');
  return result;
}

std::optional<std::uint32_t> digit(char c, std::uint32_t base) {
  std::uint32_t value = 99;
  if (c >= '0' && c <= '9') value = static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') value = static_cast<std::uint32_t>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') value = static_cast<std::uint32_t>(c - 'A') + 10;
  if (value >= base) return std::nullopt;
  return value;
}

/// Replaces the escapes of a string's body.
class Unescaper {
 public:
  explicit Unescaper(std::string_view body) : body_(body) {}

  StringValue run() {
    while (pos_ < body_.size() && result_.error.empty()) {
      const char c = body_[pos_];
      if (c == '\r') {
        pass_line_end();
        result_.value += '\n';
      } else if (c != '\\' || pos_ + 1 == body_.size()) {
        result_.value += c;
        ++pos_;
      } else {
        escape();
      }
    }
    return std::move(result_);
  }

 private:
  void escape() {
    begin_ = pos_;
    const char c = body_[pos_ + 1];
    pos_ += 2;
    constexpr std::string_view kNames = "\\'\"abfnrtv";
    constexpr std::string_view kValues = "\\'\"\a\b\f\n\r\t\v";
    if (const auto simple = kNames.find(c); simple != std::string_view::npos) {
      result_.value += kValues[simple];
    } else if (c == '\n' || c == '\r') {
      --pos_;
      pass_line_end();
    } else if (c == 'x') {
      code_point(2, 2, 16);
    } else if (c == 'u') {
      code_point(4, 4, 16);
    } else if (c == 'U') {
      code_point(8, 8, 16);
    } else if (c >= '0' && c <= '7') {
      --pos_;
      code_point(1, 3, 8);
    } else if (c == 'N') {
      fail("named Unicode escapes are not supported");
    } else {
      // Python keeps the backslash of an escape it does not know.
      result_.value += '\\';
      --pos_;
    }
  }

  void code_point(int min_digits, int max_digits, std::uint32_t base) {
    char32_t value = 0;
    int count = 0;
    for (; count < max_digits && pos_ < body_.size(); ++count, ++pos_) {
      const auto next = digit(body_[pos_], base);
      if (!next) break;
      value = value * base + *next;
    }
    if (count < min_digits) {
      fail("truncated escape in string literal");
    } else if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
      fail("escape in string literal is not a Unicode character");
    } else {
      utf8::append(result_.value, value);
    }
  }

  void pass_line_end() {
    const bool crlf = body_[pos_] == '\r' && pos_ + 1 < body_.size() && body_[pos_ + 1] == '\n';
    pos_ += crlf ? 2 : 1;
  }

  void fail(std::string error) {
    result_.error = std::move(error);
    result_.error_begin = begin_;
  }

  std::string_view body_;
  std::size_t pos_ = 0;
  std::size_t begin_ = 0;
  StringValue result_;
};

std::string with_line_feeds(std::string_view body) {
  std::string result;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\r') {
      result += body[i];
    } else if (i + 1 == body.size() || body[i + 1] != '\n') {
      result += '\n';
    }
  }
  return result;
}

}  // namespace

std::optional<std::uint64_t> integer_value(std::string_view text) {
  std::string digits = without_underscores(text);
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    const char marker = static_cast<char>(digits[1] | 0x20);
    base = marker == 'x' ? 16 : marker == 'o' ? 8 : marker == 'b' ? 2 : 10;
    if (base != 10) digits.erase(0, 2);
  }
  std::uint64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (result.ec != std::errc()) return std::nullopt;
  return value;
}

double float_value(std::string_view text) {
  const std::string digits = without_underscores(text);
  double value = 0.0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc::result_out_of_range) return value;
  const bool tiny = digits.find('-') != std::string::npos;
  return tiny ? 0.0 : std::numeric_limits<double>::infinity();
}

StringValue string_value(std::string_view text) {
  const std::size_t quote = text.find_first_of("'\"");
  const std::string_view prefix = text.substr(0, quote);
  const bool raw = prefix.find_first_of("rR") != std::string_view::npos;
  const bool triple =
      text.size() >= quote + 6 && text[quote + 1] == text[quote] && text[quote + 2] == text[quote];
  const std::size_t quotes = triple ? 3 : 1;
  const std::string_view body = text.substr(quote + quotes, text.size() - quote - 2 * quotes);
  if (raw) return {with_line_feeds(body), "", 0};
  StringValue result = Unescaper(body).run();
  result.error_begin += quote + quotes;
  return result;
}

}  // namespace a2a3::ir
