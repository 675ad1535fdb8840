// SPDX-License-Identifier: Apache-2.0
#include "tools/report/xml_text.hpp"

#include <cstddef>

#include "ir/utf8.hpp"

namespace a2a3::tools {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

/// XML 1.0, production 2 (Char), without the carriage return, which readers take for a line feed.
bool is_xml_char(char32_t c) {
  return c == '\t' || c == '\n' || (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) ||
         (c >= 0x10000 && c <= 0x10FFFF);
}

}  // namespace

std::string xml_text(const std::string& text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size();) {
    const ir::utf8::Decoded one = ir::utf8::decode(text, i);
    i += one.bytes;
    switch (one.code_point) {
      case U'&':
        escaped += "&amp;";
        break;
      case U'<':
        escaped += "&lt;";
        break;
      case U'>':
        escaped += "&gt;";
        break;
      case U'"':
        escaped += "&quot;";
        break;
      default:
        ir::utf8::append(escaped,
                         one.valid && is_xml_char(one.code_point) ? one.code_point : kReplacement);
    }
  }
  return escaped;
}

}  // namespace a2a3::tools
