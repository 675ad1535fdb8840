// SPDX-License-Identifier: Apache-2.0
#include "ir/utf8.hpp"

#include <algorithm>
#include <array>

namespace a2a3::ir::utf8 {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Unicode's East Asian Width classes W and F, merged where only unassigned code points lie between.
constexpr std::array kWide = {
    Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},
    Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},
    Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},
    Range{0xFE30, 0xFE6F},   Range{0xFF01, 0xFF60},   Range{0xFFE0, 0xFFE6},
    Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF},
    Range{0x20000, 0x3FFFD},
};

constexpr std::array kZeroWidth = {
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x0610, 0x061A},
    Range{0x064B, 0x065F}, Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200D},
    Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF},
};

template <std::size_t n>
bool contains(const std::array<Range, n>& ranges, char32_t code_point) {
  const auto range = std::partition_point(
      ranges.begin(), ranges.end(), [code_point](const Range& r) { return r.last < code_point; });
  return range != ranges.end() && range->first <= code_point;
}

}  // namespace

Decoded decode(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[offset + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  std::uint8_t bytes = 0;
  char32_t code_point = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    bytes = 2;
    code_point = lead & 0x1Fu;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    bytes = 3;
    code_point = lead & 0x0Fu;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    bytes = 4;
    code_point = lead & 0x07u;
  } else {
    return {lead, 1, false};
  }
  if (text.size() - offset < bytes) return {lead, 1, false};
  for (std::uint8_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return {lead, 1, false};
    code_point = (code_point << 6) | (byte(i) & 0x3Fu);
  }
  const bool overlong = (bytes == 3 && code_point < 0x800) || (bytes == 4 && code_point < 0x10000);
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (overlong || surrogate || code_point > 0x10FFFF) return {lead, 1, false};
  return {code_point, bytes, true};
}

std::size_t first_invalid(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    if (static_cast<unsigned char>(text[offset]) < 0x80) {
      ++offset;
      continue;
    }
    const Decoded decoded = decode(text, offset);
    if (!decoded.valid) return offset;
    offset += decoded.bytes;
  }
  return std::string_view::npos;
}

std::uint32_t length(std::string_view text) {
  std::uint32_t count = 0;
  for (std::size_t offset = 0; offset < text.size(); ++count)
    offset += decode(text, offset).bytes;
  return count;
}

int display_width(char32_t code_point) {
  if (code_point < 0x300) return 1;
  if (contains(kZeroWidth, code_point)) return 0;
  return contains(kWide, code_point) ? 2 : 1;
}

bool is_control(char32_t code_point) {
  if (code_point == '\t') return false;
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) ||
         (code_point >= 0x200E && code_point <= 0x200F) ||
         (code_point >= 0x2028 && code_point <= 0x202E) ||
         (code_point >= 0x2066 && code_point <= 0x2069);
}

void append(std::string& text, char32_t code_point) {
  const auto put = [&text](char32_t byte) { text += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0u | (code_point >> 6));
    put(0x80u | (code_point & 0x3Fu));
  } else if (code_point < 0x10000) {
    put(0xE0u | (code_point >> 12));
    put(0x80u | ((code_point >> 6) & 0x3Fu));
    put(0x80u | (code_point & 0x3Fu));
  } else {
    put(0xF0u | (code_point >> 18));
    put(0x80u | ((code_point >> 12) & 0x3Fu));
    put(0x80u | ((code_point >> 6) & 0x3Fu));
    put(0x80u | (code_point & 0x3Fu));
  }
}

}  // namespace a2a3::ir::utf8
